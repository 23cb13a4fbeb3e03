"""Short ways to write small fleet instances and logs."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from check.rental.plans import number

from ringyard.analysis.check import check
from ringyard.instances import (
    FleetInstance,
    FleetJob,
    FleetJobRuns,
    FleetLog,
    FleetRun,
    JobType,
    Lease,
    validate,
)


def job(name: str, kind: str, *work: Any, arrival: Any = 0) -> FleetJob:
    times = tuple(number(each) for each in work)
    return FleetJob(name=name, type=kind, arrival_s=number(arrival), work_s=times)


def fleet(types: Sequence[JobType], *jobs: FleetJob, **more: Any) -> FleetInstance:
    """The budget is 100 GPUs over an hour unless said otherwise."""
    kept = ("widths", "node_gpus")
    rest = {key: value if key in kept else number(value) for key, value in more.items()}
    rest = {"span_s": number(3600), "budget_gpus": number(100)} | rest
    made = FleetInstance(name="small", types=tuple(types), jobs=jobs, **rest)
    validate(made)
    return made


def run(start: Any, stop: Any, gpus: Any) -> FleetRun:
    stop_s = None if stop is None else number(stop)
    return FleetRun(start_s=number(start), stop_s=stop_s, gpus=number(gpus))


def runs(name: str, *every: FleetRun, end: Any = None) -> FleetJobRuns:
    return FleetJobRuns(job=name, runs=every, end_s=None if end is None else number(end))


def lease(gpus: Any, start: Any, stop: Any) -> Lease:
    return Lease(gpus=number(gpus), start_s=number(start), stop_s=number(stop))


def log(jobs: Sequence[FleetJobRuns], leases: Sequence[Lease], **more: Any) -> FleetLog:
    return FleetLog(instance="small", jobs=tuple(jobs), leases=tuple(leases), **more)


def broken(instance: FleetInstance, made: FleetLog) -> list[tuple[str, str, Fraction]]:
    return [(v.rule, v.where, v.amount) for v in check(instance, made).violations]


def ends(instance: FleetInstance, *jobs: FleetJobRuns) -> dict[str, Fraction]:
    """Return the ends of runs that must be valid, with GPUs for all of them."""
    verdict = check(instance, log(jobs, [lease(90, 0, 10**9)]))
    assert {v.rule for v in verdict.violations} <= {"budget"}
    return dict(verdict.ends)
