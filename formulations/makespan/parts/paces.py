"""What a slot of work is worth to a job at each pace, in rows that every whole run satisfies.

A pace is (units of overhead, rings on the busiest server), with 0 rings inside one server.
"""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from .data import ProgramData

Pace = tuple[int, int]
Worth = tuple[Fraction, ...]
"""One number for each row of a job."""


class PaceSlots(NamedTuple):
    """Slots between two releases, or after the last, where `slots` is None; and who may work."""

    start: int
    slots: int | None
    jobs: tuple[str, ...]


def stretches(data: ProgramData) -> list[PaceSlots]:
    """Return the stretches of an instance in order."""
    releases = sorted({task.release for task in data.tasks.values()})
    ends = [*releases[1:], None]
    return [
        PaceSlots(
            start,
            None if end is None else end - start,
            tuple(job for job, task in data.tasks.items() if task.release <= start),
        )
        for start, end in zip(releases, ends, strict=True)
    ]


def worths(data: ProgramData, job: str) -> dict[Pace, Worth]:
    """Return for each pace what a slot counts in the rows of a job, each of which sums to 1.

    A job keeps its placement, so all its slots have the same units u; let n_p of them have
    p rings, and rate r_p. Then sum_p r_p n_p >= F, and for every d > 0, since the n_p are
    whole, sum_p ceil(r_p / d) n_p >= ceil(F / d). Divided by the right-hand sides, and with
    numbers above 1 cut to 1, these hold for every u, whichever it is. The first row has no
    rounding, the others have d = r_1, r_2, ...
    """
    task, count = data.tasks[job], data.most_rings if data.spreads(job) else 0
    found: dict[Pace, Worth] = {}
    if data.fits(job):
        found[data.units(1, task.gpus), 0] = (_alone(data, job),) * (1 + count)
    for units in units_of(data, job):
        rates = [rate_at(data, job, units, rings) for rings in range(1, count + 1)]
        if rates[0]:
            rows = [_row(rates, task.iterations, by) for by in (None, *rates)]
            for rings in range(1, count + 1):
                found[units, rings] = tuple(row[rings - 1] for row in rows)
    return found


def rate_at(data: ProgramData, job: str, units: int, rings: int) -> Fraction:
    """Return iterations per slot of a spread job at a pace."""
    servers, most = (units, 1) if data.instance.overhead == "paper" else (2, units)
    return data.rate(job, servers, most, rings)


def units_of(data: ProgramData, job: str) -> list[int]:
    """Return the units of overhead that a spread job can have."""
    if not data.spreads(job):
        return []
    gpus, sizes = data.tasks[job].gpus, data.open_sizes[job]
    servers = [n for n in range(2, min(gpus, len(sizes)) + 1) if sum(sizes[:n]) >= gpus]
    most = [
        m
        for m in range(1, min(gpus - 1, sizes[0]) + 1)
        if sum(min(size, m) for size in sizes) >= gpus
    ]
    return sorted({data.units(n, m) for n in servers for m in most})


def _alone(data: ProgramData, job: str) -> Fraction:
    rate = data.rate(job, 1, data.tasks[job].gpus, 1)
    return Fraction(1, ceil(data.tasks[job].iterations / rate)) if rate else Fraction(0)


def _row(rates: list[Fraction], iterations: int, by: Fraction | None) -> list[Fraction]:
    if by is None:
        return [min(Fraction(1), rate / iterations) for rate in rates]
    if not by:
        return [Fraction(1) for _ in rates]
    wanted = ceil(iterations / by)
    return [min(Fraction(1), Fraction(ceil(rate / by), wanted)) for rate in rates]
