"""The rates that a ring can have, by overhead and contention, and the worth of a slot at each."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor, inf
from typing import NamedTuple

from ...instances import MakespanInstance, RingJob, ServerUplink
from ...simulation.model import iteration_s, parts, slowdown
from .data import ProgramData


class SpreadLevel(NamedTuple):
    """The most overhead units of a spread ring, and the rings on its busiest server."""

    units: int
    rings: int
    rate: Fraction
    """Its iterations per slot (9)."""


def levels(data: ProgramData, job: str) -> tuple[SpreadLevel, ...]:
    """Return the levels of a job across servers, merging equal ones."""
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
    """Return the level of a ring, or the worst one if the ring is worse than all."""
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


Pace = tuple[int, int]
Worth = tuple[Fraction, ...]
"""One number for each row of a job."""


class PaceSlots(NamedTuple):
    """Slots between two releases (None: after the last), with the jobs that may work."""

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
    """Return for each pace the worth of a slot in the rows of a job, where each row sums to 1.

    A pace is (units of overhead, rings on the busiest server), with 0 rings inside one server.

    A job keeps its placement, so all its slots have the same units u. Let n_p of them have p rings,
    and rate r_p. Then sum_p r_p n_p >= F, and for every d > 0, since the n_p are whole, sum_p
    ceil(r_p / d) n_p >= ceil(F / d). Divided by the right-hand sides, and with numbers above 1 cut
    to 1, these hold for every u, whichever it is. The first row has no rounding, the other rows
    have d = r_1, r_2, ...
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
    """Return the units of overhead that a spread job can have, ascending."""
    return [data.units(servers, most) for servers, most in _shapes(data, job)]


def _alone(data: ProgramData, job: str) -> Fraction:
    rate = data.rate(job, 1, data.tasks[job].gpus, 1)
    return Fraction(1, ceil(data.tasks[job].iterations / rate)) if rate else Fraction(0)


def _row(rates: list[Fraction], iterations: int | Fraction, by: Fraction | None) -> list[Fraction]:
    if by is None:
        return [min(Fraction(1), rate / iterations) for rate in rates]
    if not by:
        return [Fraction(1) for _ in rates]
    wanted = ceil(iterations / by)
    return [min(Fraction(1), Fraction(ceil(rate / by), wanted)) for rate in rates]


class CrowdRates(NamedTuple):
    """Iterations per slot (9), or the most there can be, of a ring across servers."""

    calm: Fraction
    crowded: Fraction


def calm_rings(instance: MakespanInstance) -> float:
    """Return how many spread rings a server has room for before they slow one another down.

    Fair sharing of links gives no such statement about servers, so all of them are calm.
    """
    contention = instance.contention
    return floor(1 / Fraction(contention.share)) if isinstance(contention, ServerUplink) else inf


def two_rates(
    instance: MakespanInstance, job: RingJob, units: Iterable[int]
) -> dict[int, CrowdRates]:
    """Return the rates of a job across servers for each of these units of overhead.

    A ring is *calm* while all its servers are, else *crowded*. A crowded ring is given the pace
    that one ring too many leaves it. More rings would only slow it down further.
    """
    contention, crowded = instance.contention, Fraction(1)
    if isinstance(contention, ServerUplink):
        share, degradation = Fraction(contention.share), Fraction(contention.degradation)
        crowded = slowdown(share, degradation, int(calm_rings(instance)) + 1)
    terms = parts(instance, job)

    def rate(number: int, factor: Fraction) -> Fraction:
        servers, most = (number, 1) if instance.overhead == "paper" else (2, number)
        seconds = iteration_s(instance, terms, servers, most, factor)
        found = Fraction(instance.slot_s) / seconds
        return Fraction(floor(found)) if instance.progress == "floor" else found

    return {
        number: CrowdRates(rate(number, Fraction(1)), rate(number, crowded)) for number in units
    }
