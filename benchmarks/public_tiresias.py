"""Tiresias' public simulator beside the methods with its rules: which jobs end at other seconds?

    python benchmarks/public_tiresias.py CHECKOUT PYTHON [SCHEDULE ..] [--seeds 20] [--first 100]

CHECKOUT is https://github.com/SymbioticLab/Tiresias, PYTHON a Python 2.7. Runs every schedule that
has a method on its trace of 60 jobs, on `tiresias-testbed` and on random traces, and prints the
table of docs/reference/trace-rules.md, in some ten minutes. Ends of `gandiva` are seen there up to
10 s later; a job without an end there is counted apart.
"""

# ruff: noqa: T201

import argparse
import csv
import os
import subprocess
import tempfile
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from random import Random

import numpy as np

from ringyard.analysis.check import check
from ringyard.instances import Limits, TraceInstance
from ringyard.instances.catalogue import load_as
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.methods import find_method

METHODS = {
    "fifo": "fifo",
    "fjf": "best-effort:placement=pack",
    "lpjf": "tiresias-released:order=pending",
    "sjf": "sjf:size=gpus:stops=yes",
    "shortest": "srtf",
    "shortest-gpu": "srsf",
    "shortest-expected": "tiresias-released:order=expected",
    "dlas": "tiresias-released:service=time",
    "dlas-gpu": "tiresias-released",
    "dlas-gpu-05": "tiresias-released:promote=0.5",
    "dlas-gpu-2": "tiresias-released:promote=2",
    "dlas-gpu-gittins": "tiresias-released:order=gittins",
    "multi-dlas-gpu": "tiresias-released:groups=width:thresholds=[3600]",
    "gandiva": "gandiva:rules=released",
}
"""Our method for each schedule there."""

AFTER = {"gandiva": 10}
"""Schedules whose ends are seen there less than so many seconds after."""

HEADER = ("job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "interval")
CLUSTER = "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,{},4,40,256\n"


@dataclass(frozen=True, kw_only=True)
class TraceFile:
    """A trace for both, and how many servers of 4 GPUs there are."""

    path: Path
    servers: int


def main() -> None:
    """Compare, schedule by schedule."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("python")
    parser.add_argument("schedules", nargs="*", default=METHODS)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=100)
    given = parser.parse_args()
    code = (given.checkout / "simulator").resolve()
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        (there / "numpy.py").touch()
        sixty = code / "60_job.csv"
        traces = {
            "60 jobs, 3 servers": [TraceFile(path=sixty, servers=3)],
            "60 jobs, 32 servers": [TraceFile(path=sixty, servers=32)],
            "testbed": [testbed(there)],
            "random": [drawn(s, there) for s in range(given.first, given.first + given.seeds)],
        }
        print("| trace | schedule | jobs | ends that differ | without an end there |")
        print("|---|---|--:|--:|--:|")
        for schedule in given.schedules:
            for name, files in traces.items():
                rows = [compared(given.python, code, there, one, schedule) for one in files]
                cells = " | ".join(f"{sum(column):,}" for column in zip(*rows, strict=True))
                print(f"| {name} | `{schedule}` | {cells} |", flush=True)


def testbed(folder: Path) -> TraceFile:
    """Write the jobs of `tiresias-testbed`, which come in order, one after the other."""
    jobs = load_as(TraceInstance, "tiresias-testbed").jobs
    rows = [(one.gpus, int(one.arrival_s), int(one.duration_s)) for one in jobs]
    return written(folder / "testbed.csv", rows, 15)


def drawn(seed: int, folder: Path) -> TraceFile:
    """Write jobs some of which come together, for 2 to 8 servers."""
    rng, at = Random(seed), 0
    servers, rows = rng.randint(2, 8), []
    widths = [gpus for gpus in (1, 1, 2, 4, 8, 16) if gpus <= 4 * servers]
    for _ in range(rng.randint(15, 60)):
        gpus = rng.choice(widths)
        rows.append((gpus, at, rng.randint(1, rng.choice([300, 1500, 4000, 9000]))))
        at += rng.choice([0, rng.randint(1, 100), rng.randint(100, 1000)])
    return written(folder / f"{seed}.csv", rows, servers)


def written(path: Path, rows: list[tuple[int, int, int]], servers: int) -> TraceFile:
    """Write GPUs, arrivals and durations as the simulator reads them."""
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(HEADER)
        for number, (gpus, arrival, duration) in enumerate(rows):
            lines.writerow((number, gpus, arrival, 0, "vgg19", duration, 0))
    return TraceFile(path=path, servers=servers)


def compared(
    python: str, code: Path, folder: Path, trace: TraceFile, schedule: str
) -> tuple[int, int, int]:
    """Return how many jobs there are, end at other seconds, and have no end there."""
    theirs = simulated(python, code, folder, trace, schedule)
    ours = ours_of(code, trace, schedule)
    most = AFTER.get(schedule, 1)
    known = [number for number in range(len(ours)) if number in theirs]
    differ = sum(not 0 <= theirs[number] - ours[number] < most for number in known)
    return len(ours), differ, len(ours) - len(known)


def simulated(
    python: str, code: Path, folder: Path, trace: TraceFile, schedule: str
) -> dict[int, int]:
    """Return the ends of jobs there."""
    (folder / "cluster.csv").write_text(CLUSTER.format(trace.servers), encoding="utf-8")
    scheme = "gandiva" if schedule == "gandiva" else "count"
    options = {
        "cluster_spec": folder / "cluster.csv",
        "scheme": scheme,
        "schedule": schedule,
        "trace_file": trace.path,
        "log_path": folder / "log",
    }
    command = [python, "run_sim.py", *(f"--{name}={value}" for name, value in options.items())]
    (folder / "log/job.csv").unlink(missing_ok=True)
    within = os.environ | {"PYTHONPATH": str(folder)}
    subprocess.run(command, cwd=code, env=within, capture_output=True, check=False)
    with (folder / "log/job.csv").open(encoding="utf-8") as file:
        return {int(row["job_id"]): int(row["end_time"]) for row in csv.DictReader(file)}


def ours_of(code: Path, trace: TraceFile, schedule: str) -> list[int]:
    """Return the ends of jobs here, where only GPUs count."""
    servers = f"{trace.servers}x4"
    read = read_trace("tiresias", trace.path, ImportChoices(name="x"), servers=servers)
    with (code / "yarn-gput1000.csv").open(encoding="utf-8") as file:
        law = tuple(Decimal(row["duration"]) for row in csv.DictReader(file))
    jobs = tuple(replace(one, communication=Decimal(0)) for one in read.instance.jobs)
    instance = replace(
        read.instance, jobs=jobs, law=law, restart_s=Decimal(0), resume_s=None, contention=None
    )
    method = find_method(f"{METHODS[schedule]}:ties=stable", "trace")
    answer = method.run(instance, Limits(), np.random.default_rng(0))
    found = check(instance, answer.schedule).ends
    return [int(found[one.name]) for one in jobs]


if __name__ == "__main__":
    main()
