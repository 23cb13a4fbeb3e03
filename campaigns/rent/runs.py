"""Jobs that come and run: as a plan of widths says, or as a method for fleets decides."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from ...analysis.check import check
from ...analysis.check.fleet.judge import FleetVerdict
from ...analysis.fleet.batch_means import mean_over_time, ratio_of
from ...analysis.fleet.metrics import FleetCourse, course_of, deadlines_of
from ...analysis.intervals import Interval
from ...instances import (
    Choice,
    FleetInstance,
    FleetLog,
    RefusedError,
    RentalInstance,
    RentalPlan,
    Stretch,
    TypePlan,
)
from ...run import solve
from ...simulation.fleet import MILLI, FleetResult, JobStream, simulate, to_log
from .path import Path
from .simulated import CUT, ENOUGH, Simulated, measured

Told = Callable[[int], None]
"""Called with the number of jobs that are done."""

ONE = Decimal(1)


def planned(
    instance: RentalInstance, path: Path, plan: RentalPlan, seed: int, told: Told | None
) -> tuple[Simulated, FleetLog | None]:
    """Let jobs run as a plan says; return also the log, if the path is an instance."""
    stream, fleet = path.stream, path.fleet
    played = simulate(
        stream,
        completed(plan, stream),
        seed=seed,
        marks=CUT.edges(0, int(stream.at[-1])).astype(np.int64),
        keep=fleet is not None,
        progress=told,
    )
    spend = _spend(played, float(instance.price_per_gpu_h))
    course = _course(path, played, Fraction(instance.price_per_gpu_h))
    found = measured(instance, stream, course, spend, plan)
    if fleet is None or path.order is None:
        return found, None
    return found, to_log(fleet, path.order, played, plan.method)


def served(
    instance: RentalInstance,
    path: Path,
    method: str,
    seed: int,
    time_limit: float | None = None,
) -> tuple[Simulated, FleetLog]:
    """Let a method for fleets rent GPUs for the jobs of a path.

    Raises:
        RefusedError: If it finds no log.
    """
    fleet = path.fleet
    assert fleet is not None, "methods for fleets need the path as an instance"
    answer = solve(fleet, method, seed=seed, time_limit=time_limit)
    log, verdict = answer.schedule, answer.verdict
    if log is None or not isinstance(verdict, FleetVerdict) or not answer.valid:
        why = answer.outcome.note or answer.outcome.termination.value.replace("_", " ")
        raise RefusedError(f"{fleet.name}: {method} has no valid log: {why}")
    course = course_of(fleet, verdict.ends, verdict.held, verdict.leased)
    spend = _lease_spend(fleet, log) if _long(path.stream) else None
    return measured(instance, path.stream, course, spend, answer.method.name), log


def completed(plan: RentalPlan, stream: JobStream) -> RentalPlan:
    """Return a plan for all types, also those of which there are no jobs."""
    known = {one.type: one for one in plan.types}
    types = []
    for one in stream.types:
        alone = tuple(Stretch(epoch=e, gpus=ONE) for e in range(len(one.epochs)))
        none = TypePlan(type=one.name, choices=(Choice(stretches=alone),))
        types.append(known.get(one.name, none))
    return replace(plan, types=tuple(types))


def _course(path: Path, played: FleetResult, price: Fraction) -> FleetCourse:
    stream, fleet = played.stream, path.fleet
    hours = Fraction(stream.tick_s) / 3600 / MILLI
    span_s = (int(stream.at[-1]) + 1) * Fraction(stream.tick_s)
    return FleetCourse(
        kinds=stream.kind,
        arrivals=stream.at,
        ends=played.end,
        alone=stream.work.sum(axis=1),
        weights=tuple(Fraction(one.weight) for one in stream.types),
        deadlines_h=deadlines_of(stream.types),
        tick_s=Fraction(stream.tick_s),
        span_s=span_s if fleet is None else Fraction(fleet.span_s),
        held_gpu_h=int(played.held.sum()) * hours,
        paid_gpu_h=played.paid * hours,
        price_per_gpu_h=price,
    )


def _long(stream: JobStream) -> bool:
    """Say whether there are jobs and ticks enough for batches in time."""
    return min(len(stream.at), int(stream.at[-1])) >= ENOUGH


def _spend(played: FleetResult, price: float) -> Interval | None:
    """Return what is spent in an hour, while jobs arrive."""
    ticks, rented = played.marks[:, 0], played.marks[:, 1]
    hours = float(played.stream.tick_s) / 3600
    if not _long(played.stream):
        return None
    return ratio_of(np.diff(rented) * (hours * price / MILLI), np.diff(ticks) * hours)


def _lease_spend(fleet: FleetInstance, log: FleetLog) -> Interval:
    """Return the same of a log, whose leases count for as long as they last."""
    price = float(fleet.price_per_gpu_h)
    last = float(max(job.arrival_s for job in fleet.jobs))
    return mean_over_time(
        np.array([float(lease.gpus) * price for lease in log.leases]),
        np.array([float(lease.start_s) for lease in log.leases]),
        np.array([float(lease.stop_s) for lease in log.leases]),
        CUT.edges(0.0, last),
    )


def violations(fleet: FleetInstance, log: FleetLog) -> list[str]:
    """Return what the judge finds wrong with a log."""
    return [f"{one.rule} at {one.where}" for one in check(fleet, log).violations]
