"""Pollux's published workloads under the policies that it is compared with.

    python benchmarks/public_pollux.py CHECKOUT [--workloads 1 2] [--policies pollux ..]

CHECKOUT is https://github.com/petuum/adaptdl, branch `osdi21-artifact`. Workloads are imported with
its measurements on 16 servers of 4 GPUs. The results of its own simulations are read from
`simulator/results-jobload`. It prints the table that docs/studies/gavel.md sums up: mean completion
times, there and here.

`pollux` tunes batch sizes. The other policies have the GPUs and batch sizes of the workload. Its
simulator has two rules that are not in the data: jobs of ncf have one GPU and their batch size in
any case, and a GPU takes at most 8 images of yolov3. The first start takes 30 s, like a restart.
"""

# ruff: noqa: T201

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from shutil import copytree
from statistics import fmean
from tempfile import TemporaryDirectory

import numpy as np

from ringyard.analysis.check import check
from ringyard.analysis.trace import metrics_of
from ringyard.instances import Limits, TraceInstance, TraceType
from ringyard.instances.importers.phases import Batches, read_jobs
from ringyard.methods import find_method

ROUNDS = "interval_s=60:rounds=yes"
POLICIES = {
    "pollux": "pollux",
    "optimus": f"optimus:speed_model=measured:{ROUNDS}",
    "tiresias": f"tiresias-released:order=entry:thresholds=[57600]:{ROUNDS}",
}
"""Policies there, and their options here."""
TUNED = ("pollux",)
"""Policies that tune batch sizes."""
SERVERS, RESTART_S, EPOCHS = "16x4", 30, 100
"""Its cluster, the seconds of a restart, and more epochs than a training has."""
FIXED, LIMITED = "ncf", {"yolov3": 8}
"""An application with one GPU, and most examples on a GPU."""


def main(words: Sequence[str] | None = None) -> None:
    """Compare, workload by workload."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--workloads", nargs="*", type=int, default=range(1, 9))
    parser.add_argument("--policies", nargs="*", choices=POLICIES, default=tuple(POLICIES))
    given = parser.parse_args(words)
    simulator = given.checkout / "simulator"
    print("| workload | policy | mean JCT there, s | here, s | difference, % |")
    print("|--:|---|--:|--:|--:|")
    with TemporaryDirectory() as folder:
        profiles = limited(simulator / "traces", Path(folder))
        for policy in given.policies:
            there = published(simulator, policy)
            pairs = []
            for number in given.workloads:
                workload = simulator / "workloads" / f"workload-{number}.csv"
                if not workload.is_file():
                    print(f"skipped: {workload} is not there", file=sys.stderr)
                    continue
                here = measured(imported(profiles, workload, policy in TUNED), POLICIES[policy])
                pairs.append((there[workload.stem], here))
                print(row(str(number), policy, *pairs[-1]), flush=True)
            if pairs:
                print(row("mean", policy, *map(fmean, zip(*pairs, strict=True))), flush=True)


def row(workload: str, policy: str, there: float, here: float) -> str:
    """Return a line of the table."""
    more = 100 * (here / there - 1)
    return f"| {workload} | `{policy}` | {there:,.0f} | {here:,.0f} | {more:+.1f} |"


def published(simulator: Path, policy: str) -> Mapping[str, float]:
    """Return the mean completion time of each workload there."""
    file = simulator / "results-jobload" / f"{policy}-1.0" / "summary.json"
    found: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))["avgs"]
    return found


def limited(profiles: Path, folder: Path) -> Path:
    """Return a copy of the measurements without those above the limits of applications."""
    copied = copytree(profiles, folder / "profiles")
    for application, most in LIMITED.items():
        for kind in ("placements", "scalability"):
            file = copied / application / f"{kind}.csv"
            if file.is_file():
                head, *lines = csv.reader(file.read_text(encoding="utf-8").splitlines())
                at = head.index("local_bsz")
                kept = [head, *(line for line in lines if int(line[at]) <= most)]
                file.write_text("\n".join(map(",".join, kept)) + "\n", encoding="utf-8")
    return copied


def imported(profiles: Path, workload: Path, tuned: bool) -> TraceInstance:
    """Return a workload with its own batch sizes, or tuned ones for all applications but one."""
    own = _imported(profiles, workload, "workload")
    made = _imported(profiles, workload, "tuned") if tuned else own
    fixed = {job.name: job for job in own.jobs if job.model == FIXED}
    names = {job.type for job in fixed.values()}
    narrow = [on_one_gpu(one) for one in own.types if one.name in names]
    jobs = tuple(fixed.get(job.name, job) for job in made.jobs)
    other = {job.type for job in jobs} - names
    return replace(
        made, jobs=jobs, types=(*(one for one in made.types if one.name in other), *narrow)
    )


def on_one_gpu(kind: TraceType) -> TraceType:
    """Return a type whose jobs run on one GPU only."""
    phases = [
        replace(phase, speeds=tuple(one for one in phase.speeds if one.gpus == 1))
        for phase in kind.phases
    ]
    return replace(kind, phases=tuple(phases))


def _imported(profiles: Path, workload: Path, batches: Batches) -> TraceInstance:
    return read_jobs(
        profiles,
        workload,
        SERVERS,
        name=workload.stem,
        batches=batches,
        stretches=EPOCHS,
        restart_s=Decimal(RESTART_S),
        start_s=RESTART_S,
    ).instance


def measured(instance: TraceInstance, method: str) -> float:
    """Return the mean completion time of a method, as the judge computes it."""
    found = find_method(method, "trace").run(instance, Limits(), np.random.default_rng(0))
    return float(metrics_of(instance, check(instance, found.schedule)).mean_jct_s)


if __name__ == "__main__":
    main()
