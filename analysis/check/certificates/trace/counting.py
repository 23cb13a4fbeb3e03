"""Rules of `trace`: no mean of completion times is below that of a fluid machine, or of jobs alone.

Nothing but the rule's name is given: all of it is counted again, in ticks and half GPUs.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from .....instances.trace.instance import TraceInstance
from ..fluid import fluid
from ..steps import ProofStep
from .needs import Need, needs_of

PART = 2**60
"""Parts of a tick in which means are counted, rounded down."""


Needs = Sequence[Need]
Rule = Callable[[TraceInstance, ProofStep], Fraction]


def fluid_ends(needs: Needs, halves: int) -> list[int]:
    """Return the ticks before which not one, two, .. jobs have ended: shortest area left first."""
    arrivals, sizes = [halves * need.arrival for need in needs], [need.whole for need in needs]
    ends = dict[int, int]()
    for j, _, end in fluid(arrivals, sizes, by_left=True):
        ends[j] = end
    return [-(-end // halves) for end in sorted(ends.values())]


def _alone(needs: Needs, _: int) -> int:
    """Every job as if there was no other."""
    return sum(need.alone for need in needs)


def _one_machine(needs: Needs, halves: int) -> int:
    """The k-th end of a schedule is not before the k-th of the fluid machine, for every k."""
    return sum(fluid_ends(needs, halves))


def _end_by_end(needs: Needs, halves: int) -> int:
    """And not before that of as many jobs alone."""
    alone = sorted(need.alone for need in needs)
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
        total += busy + PART * need.work // (2 * need.rate)
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


COUNTING = {
    "each alone": _mean(_alone),
    "one machine": _mean(_one_machine),
    "end by end": _mean(_end_by_end),
    "busy times": _mean(_busy_times),
    "region by region": _mean(_region_by_region),
}
