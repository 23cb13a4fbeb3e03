"""The rule by which no slot is worth more than some number, and all work so much in total.

A job with prices of rows is worth their sum. In a slot it earns parts of these, by its cut and
the rings beside it, so that over all its slots it earns the whole: what it does in a slot, in
whole multiples of one of its rates, comes to all that it has to do. The most that jobs earn side
by side is found by trying all ways to place them but those that a bound rules out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from .....instances.cluster import ServerUplink
from .....instances.makespan.instance import MakespanInstance, RingJob
from .....instances.regions import may_run
from ..steps import ProofStep, StepError
from .part import iteration_s, iterations_per_slot, part_of, slots_of, slower_s

MOST_WAYS = 200_000
"""Ways to place jobs side by side that are looked at."""

Held = tuple[int, ...]
"""GPUs on each server."""

Prices = Mapping[str, Sequence[int]]

Gain = Callable[[RingJob, int, int, int], int]
"""What a job earns in a slot on so many servers, with at most so many GPUs on one of them, and
so many rings on its busiest one."""


class Side(NamedTuple):
    """Jobs side by side: those placed, with their GPUs, the GPUs left, and how many were asked."""

    placed: tuple[tuple[RingJob, Held], ...]
    free: Held
    asked: int


def configurations(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """What work is worth and slots before the last release cannot earn is earned after it."""
    part, prices = part_of(instance, step), step.lists("prices")
    if not part.slotted or not isinstance(instance.contention, ServerUplink):
        raise StepError("it holds for slots and uplinks of servers only")
    if "regions" in step.values or not {*prices} <= {job.name for job in instance.jobs}:
        raise StepError("prices are of jobs of the instance, and of the whole of it")
    gain, starts = _gains(instance, prices), sorted({one.release for one in part.jobs})
    most = [
        _most(instance, [one.job for one in part.jobs if one.release <= start], gain)
        for start in starts
    ]
    if not most[-1]:
        raise StepError("at these prices no slot is worth anything")
    worth = Fraction(sum(map(sum, prices.values())))
    worth -= sum(
        (end - start) * slot for (start, end), slot in zip(pairwise(starts), most[:-1], strict=True)
    )
    return part.rounded(starts[-1] + max(Fraction(0), worth / most[-1]))


def _gains(instance: MakespanInstance, prices: Prices) -> Gain:
    model = instance.contention
    assert isinstance(model, ServerUplink)

    @cache
    def earned(job: RingJob, units: int, inside: bool, rings: int) -> int:
        """Return it, rounded up."""
        seconds, own = iteration_s(instance, job, units, inside=inside), prices.get(job.name, ())
        slots = slots_of(instance, job, seconds)
        if slots is None:
            return 0
        if inside:
            return ceil(sum(own) / slots)
        rates = [
            iterations_per_slot(instance, seconds + slower_s(instance, model, job, n))
            for n in range(1, max(rings, len(own)) + 1)
        ]
        parts = (_part(rates[rings - 1], job.iterations, unit) for unit in (Fraction(0), *rates))
        return ceil(sum(price * part for price, part in zip(own, parts, strict=False)))

    def gain(job: RingJob, servers: int, most: int, rings: int) -> int:
        if instance.overhead == "paper":
            return earned(job, servers, servers == 1, rings)
        units = 0 if servers == 1 else 1 if instance.overhead == "step" else most
        return earned(job, units, servers == 1, rings)

    return gain


def _part(rate: Fraction, iterations: int, unit: Fraction) -> Fraction:
    """Return the part of all iterations that a slot does, each rounded up to units if not 0."""
    if not unit:
        return min(Fraction(1), rate / iterations)
    return min(Fraction(1), Fraction(ceil(rate / unit), ceil(iterations / unit)))


def _most(instance: MakespanInstance, jobs: Sequence[RingJob], gain: Gain) -> int:
    """Return the most that some of the jobs earn side by side.

    Jobs are placed or left out one after the other. What those not yet asked may add is at most
    what they earn alone, as many as the free GPUs suffice for.
    """
    order = sorted(jobs, key=lambda job: -job.gpus)
    free = tuple(server.gpus for server in instance.cluster.servers)
    hope, best, looked = _hopes(instance, order, free, gain), 0, 0
    stack = [Side((), free, 0)]
    while stack:
        side = stack.pop()
        looked += 1
        if looked > MOST_WAYS:
            raise StepError(f"there are over {MOST_WAYS} ways to place jobs side by side")
        value = _value(side.placed, gain)
        best = max(best, value)
        if side.asked == len(order) or value + hope[side.asked][sum(side.free)] <= best:
            continue
        job = order[side.asked]
        stack.append(side._replace(asked=side.asked + 1))
        for held in _ways(instance, side, job):
            left = tuple(have - own for have, own in zip(side.free, held, strict=True))
            stack.append(Side((*side.placed, (job, held)), left, side.asked + 1))
    return best


def _hopes(
    instance: MakespanInstance, order: Sequence[RingJob], free: Held, gain: Gain
) -> list[list[int]]:
    """Return what the jobs from each one on earn at most, by the number of free GPUs."""
    total = sum(free)
    hopes = [[0] * (total + 1)]
    for job in reversed(order):
        ways = _ways(instance, Side((), free, 0), job)
        own = max((gain(job, len(held) - held.count(0), max(held), 1) for held in ways), default=0)
        later = hopes[0]
        hopes.insert(
            0,
            [
                max(later[room], own + later[room - job.gpus]) if room >= job.gpus else later[room]
                for room in range(total + 1)
            ],
        )
    return hopes


def _value(placed: Sequence[tuple[RingJob, Held]], gain: Gain) -> int:
    """Return what jobs side by side earn."""
    spread = [held for _, held in placed if max(held) < sum(held)]
    rings = [sum(map(bool, column)) for column in zip(*spread, strict=True)]
    value = 0
    for job, held in placed:
        inside = max(held) == sum(held)
        busiest = 1 if inside else max(n for n, own in zip(rings, held, strict=True) if own)
        value += gain(job, len(held) - held.count(0), max(held), busiest)
    return value


def _ways(instance: MakespanInstance, side: Side, job: RingJob) -> Iterator[Held]:
    """Yield the ways to place a job, one of those that differ by an exchange of equal servers.

    Servers are equal if as many GPUs are free, the same rings are there, and in one region.
    """
    servers = instance.cluster.servers
    room = [have if may_run(job, one) else 0 for have, one in zip(side.free, servers, strict=True)]
    rings = [held for _, held in side.placed if max(held) < sum(held)]
    alike = [
        (have, one.region, *(held[s] for held in rings))
        for s, (have, one) in enumerate(zip(side.free, servers, strict=True))
    ]
    before = [
        max((r for r in range(s) if alike[r] == alike[s]), default=None) for s in range(len(room))
    ]

    def further(held: Held, left: int) -> Iterator[Held]:
        s = len(held)
        if s == len(room):
            yield held
            return
        other = before[s]
        most = min(room[s], left, left if other is None else held[other])
        for own in range(most, max(0, left - sum(room[s + 1 :])) - 1, -1):
            yield from further((*held, own), left - own)

    yield from further((), job.gpus)
