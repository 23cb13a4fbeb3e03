"""The rates that a ring across servers can have: a few levels of overhead and contention."""

from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from .data import ProgramData


class SpreadLevel(NamedTuple):
    """The most overhead units of a spread ring, and the rings on its busiest server."""

    units: int
    rings: int
    rate: Fraction
    """Its iterations per slot (9)."""


def levels(data: ProgramData, job: str) -> tuple[SpreadLevel, ...]:
    """Return the levels of a job across servers; what makes no difference is merged."""
    columns: dict[tuple[Fraction, ...], int] = {}
    for servers, most in _shapes(data, job):
        rates = tuple(data.rate(job, servers, most, 1 + k) for k in range(data.most_rings))
        columns[rates] = data.units(servers, most)
    return tuple(
        SpreadLevel(units, rings, rate)
        for rates, units in columns.items()
        for rate, rings in {rate: k for k, rate in enumerate(rates, 1)}.items()
    )


def level_of(known: tuple[SpreadLevel, ...], units: int, rings: int) -> SpreadLevel:
    """Return the level of a ring; the worst one where it is worse than all."""
    fitting = [one for one in known if one.units >= units] or [
        one for one in known if one.units == known[-1].units
    ]
    column = [one for one in fitting if one.units == fitting[0].units]
    return next((one for one in column if one.rings >= rings), column[-1])


def least_servers(data: ProgramData, job: str) -> int:
    """Return the fewest servers of a job across servers."""
    held = accumulate(data.open_sizes[job])
    return max(2, 1 + sum(gpus < data.tasks[job].gpus for gpus in held))


def _shapes(data: ProgramData, job: str) -> list[tuple[int, int]]:
    """Return (servers, most GPUs on one) for every number of overhead units, ascending."""
    if not data.spreads(job):
        return []
    gpus, sizes = data.tasks[job].gpus, data.open_sizes[job]
    if data.instance.overhead == "paper":
        return [(n, gpus) for n in range(least_servers(data, job), min(gpus, len(sizes)) + 1)]
    if data.instance.overhead == "step":
        return [(2, gpus)]
    highest = range(1, min(gpus - 1, max(sizes)) + 1)
    return [(2, c) for c in highest if sum(min(size, c) for size in sizes) >= gpus]
