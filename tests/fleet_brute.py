"""Logs of tiny fleets by brute force: every job one run, all widths and starts of a few.

Shares no line with the engine; what it finds is held against the judge.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product

from check.fleet.naive import work_of
from fleet_player import UNITS

from ringyard.instances import FleetInstance, FleetJobRuns, FleetLog, FleetRun, Lease

WIDTHS, LATE = (1, 2, 3), 6
"""What a job may hold, and how many ticks it may wait at most beside the time to provide GPUs."""

MOST = 6000
"""Logs that are looked at; fleets that have more are left out."""

Leased = tuple[int, int, int]
"""GPUs, start and stop in ticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A log that keeps to the budget, and its weighted mean completion time in hours."""

    log: FleetLog
    mean_h: Fraction


def best_by_hand(fleet: FleetInstance) -> Found | None:
    """Return the best log within the budget of all that are looked at; None without any."""
    if len(WIDTHS) ** len(fleet.jobs) * (LATE + 1) ** len(fleet.jobs) > MOST:
        return None
    tick, best = Fraction(fleet.tick_s), None
    weights = {one.name: Fraction(one.weight) for one in fleet.types}
    total = sum(weights[job.type] for job in fleet.jobs)
    price = Fraction(fleet.price_per_gpu_h) * tick / 3600
    for runs in _runs(fleet):
        took = (
            weights[job.type] * (stop * tick - Fraction(job.arrival_s))
            for job, (_, stop, _) in zip(fleet.jobs, runs, strict=True)
        )
        mean = sum(took, Fraction(0)) / total / 3600
        if best is not None and mean >= best.mean_h:
            continue
        leases, paid = _leases(fleet, runs)
        if paid * price <= fleet.budget:
            best = Found(log=_log(fleet, runs, leases), mean_h=mean)
    return best


def _runs(fleet: FleetInstance) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Yield starts, stops and widths of all jobs."""
    choices = []
    for job in fleet.jobs:
        first = int((job.arrival_s + fleet.provision_s) / fleet.tick_s)
        own = []
        for width in WIDTHS:
            left, ticks = [UNITS * int(part / fleet.tick_s) for part in job.work_s], 0
            while left:
                ticks += -(-left[0] // work_of(fleet, job, left, Decimal(width)))
                del left[0]
            own += [(first + late, first + late + ticks, width) for late in range(LATE + 1)]
        choices.append(own)
    yield from product(*choices)


def _leases(fleet: FleetInstance, runs: Sequence[tuple[int, int, int]]) -> tuple[list[Leased], int]:
    """Return what covers the runs, node by node, with the GPU-ticks that are paid for."""
    unit, period = fleet.node_gpus or 1, int((fleet.billing_s or fleet.tick_s) / fleet.tick_s)
    early, paid = int(fleet.provision_s / fleet.tick_s), 0
    steps: dict[int, int] = {}
    for start, stop, width in runs:
        steps[start] = steps.get(start, 0) + width
        steps[stop] = steps.get(stop, 0) - width
    leases: list[Leased] = []
    for low in range(0, sum(width for *_, width in runs), unit):
        held, busy, since = 0, list[tuple[int, int]](), None
        for now in sorted(steps):
            held += steps[now]
            if held > low and since is None:
                since = now
            elif held <= low and since is not None:
                busy.append((since, now))
                since = None
        cost, own = _cheapest(busy, early, period)
        paid += unit * cost
        leases += [(unit, start - early, stop) for start, stop in own]
    return leases, paid


def _cheapest(
    busy: Sequence[tuple[int, int]], early: int, period: int
) -> tuple[int, list[tuple[int, int]]]:
    """Return the cheapest way to keep a node over gaps, or to take another after them."""
    best: list[tuple[int, list[tuple[int, int]]]] = [(0, [])]
    for last, (_, stop) in enumerate(busy):
        ways = []
        for first in range(last + 1):
            cost, before = best[first]
            start = busy[first][0]
            length = -(-(stop - start + early) // period) * period
            ways.append((cost + length, [*before, (start, stop)]))
        best.append(min(ways))
    return best[-1]


def _log(
    fleet: FleetInstance, runs: Sequence[tuple[int, int, int]], leases: Sequence[Leased]
) -> FleetLog:
    tick = fleet.tick_s
    return FleetLog(
        instance=fleet.name,
        leases=tuple(
            Lease(gpus=Decimal(gpus), start_s=start * tick, stop_s=stop * tick)
            for gpus, start, stop in leases
        ),
        jobs=tuple(
            FleetJobRuns(job=job.name, runs=(FleetRun(start_s=start * tick, gpus=Decimal(width)),))
            for job, (start, _, width) in zip(fleet.jobs, runs, strict=True)
        ),
    )
