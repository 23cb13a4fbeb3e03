"""Shockwave's published workloads under the policies that it is compared with.

    python benchmarks/public_shockwave.py CHECKOUT [--workloads 120 220] [--policies srtf fifo ..]

CHECKOUT is https://github.com/uw-mad-dash/shockwave. Traces are imported with its measured speeds,
so that a job takes the time of all its epochs. The results of its own simulations are read from
`reproduce/pickles`, which it has for the 120 jobs on 32 GPUs. It prints the tables that
docs/studies/gavel.md sums up: makespan, mean completion time, worst finish-time fairness ratio and
unfair fraction, there and here.
"""

# ruff: noqa: T201

import argparse
import json
import pickle
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ringyard.analysis.check import check
from ringyard.analysis.trace import metrics_of
from ringyard.instances import Limits, TraceInstance
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.instances.importers.gavel import KEY
from ringyard.methods import find_method


class Workload(NamedTuple):
    """A trace, its measured speeds, and the number of V100s."""

    trace: str
    speeds: str
    gpus: int


MIX = "0,0.5,0.5_0.6,0.3,0.09,0.01_multigpu_dynamic"
WORKLOADS = {
    "120": Workload(f"120_0.2_5_100_40_25_{MIX}", "tacc_throughputs.json", 32),
    "220": Workload(f"220_0.2_5_100_25_4_{MIX}", "wisr_throughputs.json", 64),
    "460": Workload(f"460_0.2_5_100_10_1_{MIX}", "wisr_throughputs.json", 128),
    "900": Workload(f"900_0.2_5_100_5_15_{MIX}", "wisr_throughputs.json", 256),
}
"""The workloads of `reproduce/*.sh`, by their number of jobs."""

RESULTS = "reproduce/pickles/tacc_32gpus"
"""The folder of its results."""
ROUNDS = "round_s=120:least_s=1000"
"""Its rounds, and the time between two computations of shares."""
THERE = {
    "max_min_fairness": f"gavel:shares=las:{ROUNDS}",
    "finish_time_fairness": f"gavel:shares=fairness:{ROUNDS}",
    "min_total_duration": f"gavel:shares=duration:close=1.05:{ROUNDS}",
    "max_sum_throughput_perf": f"gavel:shares=throughput:{ROUNDS}",
}
"""Policies there, and their options here."""
OWN = ("themis:lease_s=120", "las", "srtf", "fifo")
ONLY_THERE = ("shockwave", "allox", "gandiva_fair")

RESTART_S = Decimal(20)
"""Seconds that a job loses there in a round if it did not run in the round before."""


def main(words: Sequence[str] | None = None) -> None:
    """Compare, workload by workload."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--workloads", nargs="*", choices=WORKLOADS, default=["120"])
    parser.add_argument("--policies", nargs="*", default=OWN, help="methods besides those there")
    given = parser.parse_args(words)
    scheduler = given.checkout / "scheduler"
    print("| jobs | policy there | here | makespan, s | mean JCT, s | worst FTF | unfair, % |")
    print("|--:|---|---|--:|--:|--:|--:|")
    for name in given.workloads:
        workload = WORKLOADS[name]
        if not (scheduler / "traces/reproduce" / f"{workload.trace}.trace").is_file():
            print(f"skipped: {scheduler} lacks the trace of {name} jobs", file=sys.stderr)
            continue
        instance = imported(scheduler, workload)
        for policy in (*THERE, *ONLY_THERE):
            if (file := results(scheduler, policy, workload)).is_file():
                print(f"| {name} | `{policy}` | | {' | '.join(published(file))} |")
        steps = json.dumps(seconds_of_steps(scheduler / workload.speeds))
        named = {policy: f"{method}:steps={steps}" for policy, method in THERE.items()}
        for policy, method in {**named, **{one: one for one in given.policies}}.items():
            shown = THERE.get(policy, method)
            cells = " | ".join(measured(instance, method))
            print(f"| {name} | | `{shown}` | {cells} |", flush=True)
        if (file := results(scheduler, "max_min_fairness", workload)).is_file():
            print(f"durations agree to {agreement(file, workload.gpus, instance):.1e}")


def results(scheduler: Path, policy: str, workload: Workload) -> Path:
    """Return the file with the results of a policy, if there is one."""
    return scheduler / RESULTS / f"{policy}_{workload.trace}_simulation.pickle"


def imported(scheduler: Path, workload: Workload) -> TraceInstance:
    """Return a workload on servers of one GPU: like there, no placement is slower."""
    return read_trace(
        "gavel",
        scheduler / "traces/reproduce" / f"{workload.trace}.trace",
        ImportChoices(name=f"shockwave-{workload.gpus}", restart_s=RESTART_S, keep_arrivals=True),
        servers=f"{workload.gpus}x1",
        throughputs=scheduler / workload.speeds,
        across="none",
    ).instance


def measured(instance: TraceInstance, method: str) -> tuple[str, ...]:
    """Return the cells of a method."""
    found = find_method(method, "trace").run(instance, Limits(), np.random.default_rng(0))
    metrics = metrics_of(instance, check(instance, found.schedule))
    return cells_of(
        float(metrics.makespan_s),
        float(metrics.mean_jct_s),
        float(metrics.worst_ftf),
        float(metrics.unfair_fraction),
    )


def published(file: Path) -> tuple[str, ...]:
    """Return the cells of a simulation there."""
    there = unpickled(file)
    ratios = there["finish_time_fairness_list"]
    unfair = sum(one > 1.05 for one in ratios) / len(ratios)
    return cells_of(float(there["makespan"]), float(there["avg_jct"]), max(ratios), unfair)


def cells_of(makespan: float, jct: float, worst: float, unfair: float) -> tuple[str, ...]:
    """Return four numbers as text."""
    return f"{makespan:,.0f}", f"{jct:,.0f}", f"{worst:.2f}", f"{100 * unfair:.1f}"


def agreement(file: Path, gpus: int, instance: TraceInstance) -> float:
    """Return the largest relative difference of durations, which the ratios there reveal."""
    there = unpickled(file)
    contention = max(1, len(instance.jobs) / gpus)
    pairs = zip(there["jct_list"], there["finish_time_fairness_list"], strict=True)
    alone = [took / (ratio * contention) for took, ratio in pairs]
    ours = [float(job.duration_s) for job in instance.jobs]
    return max(abs(a / b - 1) for a, b in zip(ours, alone, strict=True))


def seconds_of_steps(file: Path) -> dict[str, float]:
    """Return the seconds of a step by kind of job and GPUs."""
    speeds = json.loads(file.read_text(encoding="utf-8"))["v100"]
    known = {KEY.fullmatch(key): row["null"] for key, row in speeds.items()}
    return {f"{key[1]}@{key[2]}": round(1 / v, 9) for key, v in known.items() if key and v > 0}


class JobIdPair:
    """Stands in for the keys of some results, which are not used."""


class _Reader(pickle.Unpickler):
    """Reads containers and numbers only, so that a file can run no code."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "JobIdPair":
            return JobIdPair
        if module == "builtins" and name == "set":
            return set
        if module == "collections" and name in ("OrderedDict", "defaultdict"):
            return super().find_class(module, name)
        if module.startswith("numpy") and name in ("scalar", "dtype", "_reconstruct", "ndarray"):
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"{module}.{name}: found in a file of results")


def unpickled(file: Path) -> dict[str, Any]:
    """Return the results of a simulation there."""
    with file.open("rb") as stream:
        found: dict[str, Any] = _Reader(stream).load()
    return found


if __name__ == "__main__":
    main()
