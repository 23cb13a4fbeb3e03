"""Rules of `trace`: no mean of completion times is below that of a fluid machine, or of jobs alone.

Nothing but the rule's name is given: all of it is counted again, in ticks and half GPUs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import gcd

from ....instances.regions import may_run
from ....instances.trace.instance import TraceInstance, TraceJob
from .steps import ProofStep

FULL = 10**6
"""Work of a tick at full speed."""

PART = 2**60
"""Parts of a tick in which means are counted, rounded down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a job needs at least, however it runs."""

    arrival: int
    ticks: int
    """Whole ticks in which it works."""
    mean: Fraction
    """Half of its ticks, if there were parts of ticks."""
    whole: int
    """Half GPUs times ticks that it holds, in whole ticks."""
    area: Fraction
    """The same if there were parts of ticks."""
    home: tuple[int, ...]
    """GPUs of the servers that it may use, 0 for the others."""


Needs = Sequence[Need]
Rule = Callable[[TraceInstance, ProofStep], Fraction]


def needs_of(instance: TraceInstance) -> list[Need]:
    """Return what each job needs."""
    homes: dict[object, tuple[int, ...]] = {}
    modes: dict[object, list[tuple[int, int]]] = {}
    found = []
    for job in instance.jobs:
        allowed = job.allowed_regions
        if allowed not in homes:
            homes[allowed] = tuple(s.gpus if may_run(job, s) else 0 for s in instance.servers)
        key = allowed, job.gpus, job.communication, job.packed_speed, job.speeds
        if key not in modes:
            modes[key] = list(_modes(job, max(homes[allowed])))
        found.append(_need(instance, job, modes[key], homes[allowed]))
    return found


def _modes(job: TraceJob, largest: int) -> Iterator[tuple[int, int]]:
    """Yield half GPUs and work of a tick for each way to run, in its best place."""
    widths = [(job.gpus, Fraction(1)), *((w.gpus, Fraction(w.speed)) for w in job.speeds)]
    shares = [(2, Fraction(1))]
    if job.packed_speed is not None:
        shares.append((1, Fraction(job.packed_speed)))
    for gpus, speed in widths:
        for halves, slower in shares:
            rate = speed * slower
            if gpus * halves > 2 * largest:
                rate /= 1 + Fraction(job.communication)
            yield gpus * halves, max(1, round(FULL * rate))


def _need(
    instance: TraceInstance, job: TraceJob, modes: list[tuple[int, int]], home: tuple[int, ...]
) -> Need:
    tick = Fraction(instance.tick_s)
    arrival, work = int(Fraction(job.arrival_s) / tick), int(FULL * Fraction(job.duration_s) / tick)
    # Whole ticks do multiples of what divides all rates, and hold multiples of the same kind.
    grain = gcd(*(rate for _, rate in modes))
    work += -work % grain
    fastest = max(rate for _, rate in modes)
    area = work * min(Fraction(halves, rate) for halves, rate in modes)
    whole = -(-area.numerator // area.denominator)
    return Need(
        arrival=arrival,
        ticks=-(-work // fastest),
        mean=Fraction(work, 2 * fastest),
        whole=whole + -whole % gcd(*(halves for halves, _ in modes)),
        area=area,
        home=home,
    )


Stretch = tuple[int, int, int]
"""Which job is at work on the fluid machine, from when, and until when."""


def fluid(arrivals: Sequence[int], sizes: Sequence[int], *, by_left: bool) -> Iterator[Stretch]:
    """Yield who is at work on a machine that does 1 in a unit of time.

    It is always the job with the least left, or the smallest as a whole.
    """
    events = sorted(range(len(sizes)), key=lambda j: arrivals[j], reverse=True)
    left, ready, now = list(sizes), list[tuple[int, int]](), 0
    while events or ready:
        if not ready:
            now = max(now, arrivals[events[-1]])
        while events and arrivals[events[-1]] <= now:
            j = events.pop()
            heappush(ready, (left[j], j))
        key, j = heappop(ready)
        end = now + left[j]
        if events:
            end = min(end, arrivals[events[-1]])
        yield j, now, end
        left[j] -= end - now
        if left[j]:
            heappush(ready, (left[j] if by_left else key, j))
        now = end


def fluid_ends(needs: Needs, halves: int) -> list[int]:
    """Return the ticks before which not one, two, .. jobs have ended: shortest area left first."""
    arrivals, sizes = [halves * need.arrival for need in needs], [need.whole for need in needs]
    ends = dict[int, int]()
    for j, _, end in fluid(arrivals, sizes, by_left=True):
        ends[j] = end
    return [-(-end // halves) for end in sorted(ends.values())]


def _alone(needs: Needs, _: int) -> int:
    """Every job as if there was no other."""
    return sum(need.arrival + need.ticks for need in needs)


def _one_machine(needs: Needs, halves: int) -> int:
    """The k-th end of a schedule is not before the k-th of the fluid machine, for every k."""
    return sum(fluid_ends(needs, halves))


def _end_by_end(needs: Needs, halves: int) -> int:
    """And not before that of as many jobs alone."""
    alone = sorted(need.arrival + need.ticks for need in needs)
    return sum(map(max, alone, fluid_ends(needs, halves)))


def _busy_times(needs: Needs, halves: int) -> int:
    """The least sum of mean busy times, the smallest job first, and of half of the least times."""
    arrivals, sizes = [halves * need.arrival for need in needs], [int(need.area) for need in needs]
    moments = [0] * len(needs)
    for j, start, end in fluid(arrivals, sizes, by_left=False):
        moments[j] += end * end - start * start
    total = 0
    for need, size, moment in zip(needs, sizes, moments, strict=True):
        # The mean of the moments of its work is moment / (2 size), in parts of the machine.
        busy = PART * moment // (2 * halves * size) if size else PART * need.arrival
        total += busy + int(PART * need.mean)
    return -(-total // PART)


def _region_by_region(needs: Needs, _: int) -> int:
    """The jobs that may use the same servers, by themselves on these, and so for all such sets."""
    apart: dict[tuple[int, ...], list[Need]] = {}
    for need in needs:
        apart.setdefault(need.home, []).append(need)
    pairs = [(own, 2 * sum(home)) for home, own in apart.items()]
    return sum(max(_end_by_end(*pair), _busy_times(*pair)) for pair in pairs)


def _mean(count: Callable[[Needs, int], int]) -> Rule:
    """Return the rule that what is counted gives: a sum of ends, less all arrivals, in the mean."""

    def rule(instance: TraceInstance, _: ProofStep) -> Fraction:
        needs = needs_of(instance)
        halves = 2 * sum(server.gpus for server in instance.servers)
        waited = count(needs, halves) - sum(need.arrival for need in needs)
        return waited * Fraction(instance.tick_s) / len(needs)

    return rule


RULES = {
    "each alone": _mean(_alone),
    "one machine": _mean(_one_machine),
    "end by end": _mean(_end_by_end),
    "busy times": _mean(_busy_times),
    "region by region": _mean(_region_by_region),
}
