"""Short ways to write small trace instances and schedules."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from ringyard.analysis.check import check
from ringyard.instances import (
    JobRuns,
    Phase,
    RackServer,
    TraceInstance,
    TraceJob,
    TraceRun,
    TraceSchedule,
    TraceType,
    Width,
    validate,
)
from ringyard.instances.trace import WORK
from ringyard.instances.trace.problems import done_in_phase


def number(value: Any) -> Any:
    return Decimal(str(value)) if isinstance(value, int | float) else value


def job(name: str, gpus: int, duration: float, arrival: float = 0, **more: Any) -> TraceJob:
    widths = tuple(Width(gpus=w, speed=number(s)) for w, s in more.pop("speeds", {}).items())
    rest = {key: number(value) for key, value in more.items()}
    return TraceJob(
        name=name,
        gpus=gpus,
        duration_s=number(duration),
        arrival_s=number(arrival),
        speeds=widths,
        **rest,
    )


def type_of(name: str, *phases: tuple[float, dict[int, float]]) -> TraceType:
    """Phases are their shares, and their speeds by number of GPUs."""
    return TraceType(
        name=name,
        phases=tuple(
            Phase(
                share=number(share),
                speeds=tuple(Width(gpus=w, speed=number(s)) for w, s in speeds.items()),
            )
            for share, speeds in phases
        ),
    )


def make_instance(servers: dict[str, int], *jobs: TraceJob, **more: Any) -> TraceInstance:
    """Servers are named by rack and number, such as ``a0``; `regions` are those of some.

    `kinds` are those of their GPUs.
    """
    regions, kinds = more.pop("regions", {}), more.pop("kinds", {})
    rest = {key: number(value) for key, value in more.items()}
    machines = tuple(
        RackServer(name=n, gpus=g, gpu=kinds.get(n), rack=n[0], region=regions.get(n))
        for n, g in servers.items()
    )
    made = TraceInstance(name="small", servers=machines, jobs=jobs, **rest)
    validate(made)
    return made


def with_unsaved(job: TraceJob, instance: TraceInstance, rng: Random) -> TraceJob:
    """Return a job whose run, if it goes on at time 0, had its last checkpoint before."""
    if not instance.checkpoint_s or not job.held or job.stopped or job.held_s:
        return job
    ticks, unit = (
        rng.randrange(int(instance.checkpoint_s / instance.tick_s)),
        instance.tick_s / WORK,
    )
    most = done_in_phase(job, instance)
    done = most * rng.randint(0, 4) / 4 // unit * unit if ticks else Decimal(0)
    return replace(job, unsaved_s=ticks * instance.tick_s, unsaved_done_s=done)


def run(start: float, stop: float | None, share: Any = "whole", /, **gpus: int) -> TraceRun:
    pieces = tuple(gpus.items())
    return TraceRun(start_s=number(start), stop_s=number(stop), gpus=pieces, share=share)


def plan(name: str, *runs: TraceRun, end: float | None = None) -> JobRuns:
    return JobRuns(job=name, runs=runs, end_s=number(end))


def schedule(*jobs: JobRuns, **more: Any) -> TraceSchedule:
    return TraceSchedule(instance="small", jobs=jobs, **more)


def broken(instance: TraceInstance, made: TraceSchedule) -> list[tuple[str, str, Fraction]]:
    return [(v.rule, v.where, v.amount) for v in check(instance, made).violations]


def ends(instance: TraceInstance, *jobs: JobRuns) -> dict[str, Fraction]:
    """Return the ends of a schedule that must be valid."""
    verdict = check(instance, schedule(*jobs))
    assert verdict.violations == ()
    return dict(verdict.ends)
