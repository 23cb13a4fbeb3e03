"""The rule that bounds the value of every slot, given the total work.

A job with prices of rows has their sum as its value. In a slot it earns parts of it by its cut and
the rings on its servers, so that over all its slots it earns the whole. Its work in a slot is an
integer multiple of one of its rates. The largest earnings of concurrent jobs are found by trying
all placements that no bound excludes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from .....instances.cluster import ServerUplink
from .....instances.makespan import MakespanInstance, RingJob
from .....instances.regions import may_run
from ..reading import ProofStep, StepError
from .part import iteration_s, iterations_per_slot, part_of, slots_of, slower_s

MOST_PLACEMENTS = 200_000
"""Maximum number of placements of concurrent jobs examined."""

Held = tuple[int, ...]
"""GPUs on each server."""

Gain = Callable[[RingJob, Held, int], int]
"""A job's earnings in a slot on its GPUs, given the number of rings on its busiest server."""


class SideBySide(NamedTuple):
    """Concurrent jobs: the placed ones with their GPUs, the free GPUs, and the jobs decided."""

    placed: tuple[tuple[RingJob, Held], ...]
    free: Held
    asked: int


def configurations(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """Work value that the slots before the last release cannot earn is earned after it."""
    part, prices, model = part_of(instance, step), step.named("prices"), instance.contention
    if not part.slotted or not isinstance(model, ServerUplink):
        raise StepError("this rule applies only to slotted time with `server_uplink` contention")
    if "regions" in step.values or not {*prices} <= {job.name for job in instance.jobs}:
        raise StepError("prices must name jobs of the instance, and `regions` is not supported")
    gain, starts = _gains(instance, model, prices), sorted({one.release for one in part.jobs})
    most = [
        _most(instance, [one.job for one in part.jobs if one.release <= start], gain)
        for start in starts
    ]
    if not most[-1]:
        raise StepError("at these prices every slot is worth 0")
    worth = Fraction(sum(map(sum, prices.values())))
    for (start, end), slot in zip(pairwise(starts), most[:-1], strict=True):
        worth -= (end - start) * slot
    return part.rounded(starts[-1] + max(Fraction(0), worth / most[-1]))


def _gains(
    instance: MakespanInstance, model: ServerUplink, prices: Mapping[str, Sequence[int]]
) -> Gain:
    """Return the earnings of jobs, rounded up."""

    @cache
    def earned(job: RingJob, units: int, inside: bool, rings: int) -> int:
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
        rate, all_of_it, earns = rates[rings - 1], job.iterations, Fraction(0)
        # The first price is for iterations; the others for multiples of a rate, rounded up.
        for price, unit in zip(own, [Fraction(0), *rates], strict=False):
            part = Fraction(ceil(rate / unit), ceil(all_of_it / unit)) if unit else rate / all_of_it
            earns += price * min(Fraction(1), part)
        return ceil(earns)

    def gain(job: RingJob, held: Held, rings: int) -> int:
        pieces = len(held) - held.count(0)
        if instance.overhead == "paper":
            return earned(job, pieces, pieces == 1, rings)
        units = 0 if pieces == 1 else 1 if instance.overhead == "step" else max(held)
        return earned(job, units, pieces == 1, rings)

    return gain


def _most(instance: MakespanInstance, jobs: Sequence[RingJob], gain: Gain) -> int:
    """Return the largest earnings of a set of concurrent jobs.

    Jobs are placed or skipped one by one. The undecided jobs add at most their earnings alone, as
    far as the free GPUs suffice.
    """
    order = sorted(jobs, key=lambda job: -job.gpus)
    nobody = SideBySide((), tuple(server.gpus for server in instance.cluster.servers), 0)
    optimistic = [[0] * (sum(nobody.free) + 1)]
    for job in reversed(order):
        own = max((gain(job, held, 1) for held in _placements(instance, nobody, job)), default=0)
        later = optimistic[0]
        more = map(max, later[job.gpus :], (own + value for value in later))
        optimistic.insert(0, [*later[: job.gpus], *more])
    best, looked, stack = 0, 0, [nobody]
    while stack:
        state = stack.pop()
        looked += 1
        if looked > MOST_PLACEMENTS:
            raise StepError(f"there are over {MOST_PLACEMENTS} placements of jobs side by side")
        value = _value(state.placed, gain)
        best = max(best, value)
        if state.asked == len(order) or value + optimistic[state.asked][sum(state.free)] <= best:
            continue
        job = order[state.asked]
        stack.append(state._replace(asked=state.asked + 1))
        for held in _placements(instance, state, job):
            left = tuple(have - own for have, own in zip(state.free, held, strict=True))
            stack.append(SideBySide((*state.placed, (job, held)), left, state.asked + 1))
    return best


def _value(placed: Sequence[tuple[RingJob, Held]], gain: Gain) -> int:
    """Return the earnings of concurrent jobs."""
    spread = [held for _, held in placed if max(held) < sum(held)]
    rings, value = [sum(map(bool, column)) for column in zip(*spread, strict=True)], 0
    for job, held in placed:
        inside = max(held) == sum(held)
        busiest = 1 if inside else max(n for n, own in zip(rings, held, strict=True) if own)
        value += gain(job, held, busiest)
    return value


def _placements(instance: MakespanInstance, state: SideBySide, job: RingJob) -> Iterator[Held]:
    """Yield the placements of a job, up to exchanges of equal servers.

    Servers are equal if their free GPUs, rings and regions are equal.
    """
    servers, alike = instance.cluster.servers, list[tuple[object, ...]]()
    rings = [held for _, held in state.placed if max(held) < sum(held)]
    room, before = list[int](), list[int | None]()
    for s, (have, one) in enumerate(zip(state.free, servers, strict=True)):
        kind = have, one.region, *(held[s] for held in rings)
        before.append(max((r for r in range(s) if alike[r] == kind), default=None))
        alike.append(kind)
        room.append(have if may_run(job, one) else 0)

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
