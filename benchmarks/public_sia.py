"""Sia's sample workloads under `sia`, beside the results of its own simulator.

    python benchmarks/public_sia.py CHECKOUT [--workloads philly/1 ..] [--there LOG ..]

CHECKOUT is https://github.com/siasosp23/artifacts. It has the workloads and measurements, but no
results. A LOG is what `public_sia_driver.py CHECKOUT WORKLOAD LOG` writes, one for each workload,
also with the jobs that `--save FOLDER` writes here.
Prints a table of means and makespans, there and here, and for each LOG the means by application.
Here all jobs lose `--restart-s` when they restart. There the time depends on the application, and
is lost at the first start as well. With `--calibrated`, jobs are as slow as in its simulator, which
divides measured speeds by constants.
"""

# ruff: noqa: T201

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ringyard.analysis.check import check
from ringyard.analysis.trace import facts_of
from ringyard.instances import Limits, TraceInstance, save
from ringyard.instances.importers.phases import read_jobs
from ringyard.methods import find_method

SERVERS = "6x4:aws,2x8:dgx-ext,3x8:rtx"
"""The cluster of `simulator_config.py`."""

SLOWDOWNS = {
    "cifar10": Decimal("1.8"),
    "imagenet": Decimal("1.2"),
    "yolov3": Decimal("1.2"),
    "bert": Decimal("1.2"),
    "deepspeech2": Decimal("1.2"),
    "ncf": Decimal("1.5"),
}
"""The constants of `simulator_config.py`."""

PHASES = 20
"""Phases of a job, unless its application has fewer epochs."""


class Result(NamedTuple):
    """Completion times of all jobs by application, from arrival to end, and the last end."""

    jcts: Mapping[str, Sequence[float]]
    makespan_s: float

    @property
    def mean_s(self) -> float:
        """The mean completion time."""
        return fmean(jct for one in self.jcts.values() for jct in one)


def main(words: Sequence[str] | None = None) -> None:
    """Compare, workload by workload."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--workloads", nargs="+", default=["philly/1"], help="such as saturn/2")
    parser.add_argument("--there", nargs="+", type=Path, default=[], help="logs, one for each")
    parser.add_argument("--method", default="sia", help="the method here")
    parser.add_argument("--restart-s", type=Decimal, default=Decimal(30))
    parser.add_argument("--calibrated", action="store_true", help="slower, as its simulator")
    parser.add_argument("--save", type=Path, help="write the jobs to FOLDER/philly-1.json")
    given = parser.parse_args(words)
    if given.there and len(given.there) != len(given.workloads):
        parser.error(f"--there: {len(given.there)} logs, expected one for each workload")
    print("| workload | mean JCT, s: there | here | % | makespan, s: there | here | % |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    logs, details = [*given.there, *(None for _ in given.workloads)], list[str]()
    for name, log in zip(given.workloads, logs, strict=False):
        instance = imported(given.checkout / "sia-simulator", name, given.restart_s)
        if instance is None:
            print(f"skipped: {given.checkout} lacks the workload {name}", file=sys.stderr)
            continue
        instance = slower(instance) if given.calibrated else instance
        if given.save:
            given.save.mkdir(parents=True, exist_ok=True)
            save(instance, given.save / f"{name.replace('/', '-')}.json")
        here = measured(instance, given.method)
        there = None if log is None else published(log)
        cells = [*both(there and there.mean_s, here.mean_s)]
        cells += both(there and there.makespan_s, here.makespan_s)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        if there is not None:
            details += (f"| {name} | {line} |" for line in by_application(there, here))
    if details:
        print("\n| workload | application | jobs | mean JCT, s: there | here | % |")
        print("|---|---|--:|--:|--:|--:|", *details, sep="\n")


def imported(simulator: Path, name: str, restart_s: Decimal) -> TraceInstance | None:
    """Return a workload such as philly/1, or None if it is missing."""
    folder, _, number = name.partition("/")
    path = simulator / "workloads" / folder / f"workload-{number}.csv"
    if not path.is_file():
        return None
    return read_jobs(
        simulator / "traces",
        path,
        SERVERS,
        name=f"sia-{folder}-{number}",
        stretches=PHASES,
        restart_s=restart_s,
    ).instance


def slower(instance: TraceInstance) -> TraceInstance:
    """Return the jobs with the calibrated durations of the simulator."""
    jobs = (
        replace(job, duration_s=Decimal(round(job.duration_s * SLOWDOWNS[str(job.model)])))
        for job in instance.jobs
    )
    return replace(instance, jobs=tuple(jobs))


def measured(instance: TraceInstance, method: str) -> Result:
    """Return the result of a method here, as the judge times the runs."""
    found = find_method(method, "trace").run(instance, Limits(), np.random.default_rng(0))
    facts = facts_of(instance, check(instance, found.schedule))
    tick = float(instance.tick_s)
    return result((str(one.job.model), one.arrival * tick, float(one.end) * tick) for one in facts)


def published(log: Path) -> Result:
    """Return the result in a log of the simulator, whose last line has all jobs."""
    with log.open(encoding="utf-8") as stream:
        for line in stream:
            last = line
    jobs = json.loads(last)["submitted_jobs"]
    times = ("submission_time", "completion_time")
    return result((job["name"].rpartition("-")[0], *(job[time] for time in times)) for job in jobs)


def result(rows: Iterable[tuple[str, float, float]]) -> Result:
    """Return the result of applications, arrivals and ends of jobs."""
    jcts, last = dict[str, list[float]](), 0.0
    for application, arrival, end in rows:
        jcts.setdefault(application, []).append(end - arrival)
        last = max(last, end)
    return Result(jcts, last)


def both(there: float | None, here: float) -> tuple[str, str, str]:
    """Return two numbers and their difference as text."""
    if there is None:
        return "-", f"{here:,.0f}", "-"
    return f"{there:,.0f}", f"{here:,.0f}", f"{100 * (here / there - 1):+.1f}"


def by_application(there: Result, here: Result) -> Iterable[str]:
    """Yield the means of each application, as cells."""
    for name, ours in sorted(here.jcts.items()):
        if theirs := there.jcts.get(name):
            yield " | ".join([name, str(len(ours)), *both(fmean(theirs), fmean(ours))])


if __name__ == "__main__":
    main()
