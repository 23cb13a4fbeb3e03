"""Rules of `trace`: no mean of completion times is below what jobs need, in ticks and half GPUs.

They need it alone, on one fluid machine, or at prices of GPUs in intervals; the proofs are in
docs/theory/trace-bounds.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, gcd, lcm
from typing import NamedTuple

from .....instances.trace import TraceInstance, Width
from ..kernel import bought, fluid
from ..steps import ProofStep, StepError
from .every import every_tick

FULL = 10**6
"""Work of a tick at full speed."""

PART = 2**60
"""Parts of a tick in which means are counted, rounded down."""


Offers = list[tuple[int, int]]
"""Prices of a unit of work, and how much of it there is."""


class Need(NamedTuple):
    """What a job needs at least, however it runs."""

    arrival: int
    work: int
    rate: int
    """Of the work, the most that it does in a tick."""
    whole: int
    """Half GPUs times ticks that it holds, in whole ticks."""
    area: int
    """The same if there were parts of ticks, rounded down."""
    home: tuple[int, ...]
    """GPUs of the servers that it may use, 0 for the others."""
    modes: tuple[tuple[int, int], ...]
    """Half GPUs, and the work of a tick on them, for each way to run."""

    @property
    def alone(self) -> int:
        """The tick before which it cannot have ended."""
        return self.arrival + -(-self.work // self.rate)


Needs = Sequence[Need]


def needs_of(instance: TraceInstance) -> list[Need]:
    """Return what each job needs."""
    tick = Fraction(instance.tick_s)

    @cache
    def home_of(allowed: tuple[str, ...] | None) -> tuple[int, ...]:
        open_to = (allowed is None or server.region in allowed for server in instance.servers)
        return tuple(s.gpus if own else 0 for s, own in zip(instance.servers, open_to, strict=True))

    @cache
    def modes_of(
        gpus: int,
        communication: Fraction,
        packed: Fraction | None,
        speeds: tuple[Width, ...],
        largest: int,
    ) -> list[tuple[int, int]]:
        """Return half GPUs and work of a tick for each way to run, in its best place."""
        widths = [(gpus, Fraction(1)), *((width.gpus, Fraction(width.speed)) for width in speeds)]
        modes = [(2 * width, speed) for width, speed in widths]
        modes += [] if packed is None else [(width, speed * packed) for width, speed in widths]
        across = 1 + communication
        return [
            (halves, max(1, round(FULL * (rate / across if halves > 2 * largest else rate))))
            for halves, rate in modes
        ]

    found = []
    for job in instance.jobs:
        home, packed = home_of(job.allowed_regions), job.packed_speed
        shared = None if packed is None else Fraction(packed)
        modes = modes_of(job.gpus, Fraction(job.communication), shared, job.speeds, max(home))
        arrival, work = Fraction(job.arrival_s) / tick, int(FULL * Fraction(job.duration_s) / tick)
        # Whole ticks do multiples of what divides all rates, and hold multiples of the same kind.
        work += -work % gcd(*(rate for _, rate in modes))
        area = work * min(Fraction(halves, rate) for halves, rate in modes)
        whole = ceil(area) + -ceil(area) % gcd(*(halves for halves, _ in modes))
        fastest = max(rate for _, rate in modes)
        found.append(Need(int(arrival), work, fastest, whole, int(area), home, tuple(modes)))
    return found


def _mean(instance: TraceInstance, needs: Needs, ends: int) -> Fraction:
    """Return the mean of completion times if all ends add up to so many ticks."""
    waited = ends - sum(need.arrival for need in needs)
    return waited * Fraction(instance.tick_s) / len(needs)


def _alone(needs: Needs, _: int) -> int:
    """Every job as if there was no other."""
    return sum(need.alone for need in needs)


def _fluid_ends(needs: Needs, halves: int) -> list[int]:
    """The k-th end of a schedule is not before the k-th of the machine, shortest left first."""
    played = fluid([halves * n.arrival for n in needs], [n.whole for n in needs], by_left=True)
    last = {j: end for j, _, end in played}
    return [-(-end // halves) for end in sorted(last.values())]


def _end_by_end(needs: Needs, halves: int) -> int:
    """And not before that of as many jobs alone."""
    return sum(map(max, sorted(need.alone for need in needs), _fluid_ends(needs, halves)))


def _busy_times(needs: Needs, halves: int) -> int:
    """The least sum of mean busy times, the smallest job first, and of half of the least times."""
    moments, total = [0] * len(needs), 0
    played = fluid([halves * n.arrival for n in needs], [n.area for n in needs], by_left=False)
    for j, start, end in played:
        moments[j] += end * end - start * start
    for need, moment in zip(needs, moments, strict=True):
        # The mean of the moments of its work is moment / (2 area), in parts of the machine.
        size = 2 * halves * need.area
        total += PART * moment // size if size else PART * need.arrival
        total += PART * need.work // (2 * need.rate)
    return -(-total // PART)


def _region_by_region(needs: Needs, _: int) -> int:
    """The jobs that may use the same servers, by themselves on these, and so for all such sets."""
    apart: dict[tuple[int, ...], list[Need]] = {}
    for need in needs:
        apart.setdefault(need.home, []).append(need)
    pairs = [(own, 2 * sum(home)) for home, own in apart.items()]
    return sum(max(_end_by_end(*pair), _busy_times(*pair)) for pair in pairs)


def _counted(ends: Callable[[Needs, int], int]) -> Callable[[TraceInstance, ProofStep], Fraction]:
    """Return the rule by which ends add up to what is counted, given all half GPUs."""

    def rule(instance: TraceInstance, _: ProofStep) -> Fraction:
        needs = needs_of(instance)
        return _mean(instance, needs, ends(needs, 2 * instance.gpus))

    return rule


def cheapest_plans(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return the mean that follows from prices of half GPUs in intervals that begin at `starts`.

    A job costs its end and what it holds until then, and no less than its cheapest plan. All ends
    are at least these costs, less what all half GPUs cost.

    The last interval has no end and no prices. `pools` are lists of servers by number; each has a
    row of `prices`, paid by jobs that may not use other servers. Prices are whole, over `unit`.
    """
    unit, starts, needs = step.whole("unit", 1), step.counts("starts"), needs_of(instance)
    pools, prices = step.rows("pools"), step.rows("prices")
    lengths = [end - start for start, end in pairwise(starts)]
    first = min(need.arrival for need in needs)
    if not starts or starts[0] > first or min(lengths, default=1) < 1:
        raise StepError("starts grow from the first arrival on, or from before it")
    if len(prices) != len(pools) or any(len(row) != len(lengths) for row in prices):
        raise StepError(f"prices have {len(lengths)} in each row, and a row for each of pools")
    priced = [(frozenset(pool), row) for pool, row in zip(pools, prices, strict=True)]
    total = Fraction(0)
    for pool, row in priced:
        halves = 2 * sum(server.gpus for s, server in enumerate(instance.servers) if s in pool)
        total -= sum(halves * price * length for price, length in zip(row, lengths, strict=True))
    for need in needs:
        home = {s for s, gpus in enumerate(need.home) if gpus}
        own = [row for pool, row in priced if home <= pool]
        pays = [sum(some) for some in zip(*own, strict=True)] if own else [0] * len(lengths)
        total += _cheapest(need, starts, pays, unit)
    return _mean(instance, needs, ceil(total / unit))


def _pieces(modes: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return how the work of a tick may grow beyond what is cheaper, and by how many half GPUs.

    These are the sides of the convex hull of all modes: from one corner on it goes to the mode
    to which a unit of work costs least, the farthest of them.
    """
    found, work, halves = [], 0, 0
    while more := [(h - halves, rate - work) for h, rate in modes if rate > work]:
        taken, done = min(more, key=lambda one: (Fraction(one[0], one[1]), -one[1]))
        found.append((taken, done))
        work, halves = work + done, halves + taken
    return found


def _cheapest(need: Need, starts: Sequence[int], pays: Sequence[int], unit: int) -> Fraction:
    """Return the least that a plan costs, over all ends.

    In an interval the cost falls ever more slowly as the end comes later: so the least can be found
    by halving, and is not below that of the last end less all ticks before it.
    """
    pieces = _pieces(need.modes)
    grain = lcm(*(work for _, work in pieces))
    tick, before = unit * grain, Offers()
    sides = [(halves * grain // work, work) for halves, work in pieces]
    best = tick * starts[-1]
    for (start, until), pay in zip(pairwise(starts), pays, strict=True):
        since, least = max(start, need.arrival), max(start + 1, need.alone)
        if since >= until:
            continue
        if tick * start >= best:
            break

        def cost(end: int, since: int = since, pay: int = pay, before: Offers = before) -> int:
            new = [(pay * price, work * (end - since)) for price, work in sides]
            return tick * end + (bought(sorted(before + new), need.work) or 0)

        if least <= until and cost(until) - tick * (until - least) < best:
            last = until
            while least < last:
                middle = (least + last) // 2
                if cost(middle) <= cost(middle + 1):
                    last = middle
                else:
                    least = middle + 1
            best = min(best, cost(least))
        before = sorted(before + [(pay * price, work * (until - since)) for price, work in sides])
    return Fraction(best, grain)


RULES = {
    "each alone": _counted(_alone),
    "one machine": _counted(lambda needs, halves: sum(_fluid_ends(needs, halves))),
    "end by end": _counted(_end_by_end),
    "busy times": _counted(_busy_times),
    "region by region": _counted(_region_by_region),
    "cheapest plans": cheapest_plans,
    "every tick": every_tick,
}
