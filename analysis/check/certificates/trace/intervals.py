"""The rule by which jobs pay for GPUs in intervals: docs/trace/trace-bounds.md has the relaxation.

A job ends half of its least time after the mean moment of its work, and not before it could alone;
so also not before any mean of the two. Let a half GPU have a price in each interval of ticks. A
job then costs its end and what it holds, and no less than if each part of its work was done where
that is cheapest, as much in each interval as it can do there at its best rate, and in its first
tick. All ends are at least these costs, less what all half GPUs cost.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from .....instances.trace.instance import TraceInstance
from ..lists import counts_in, lists_in
from ..steps import ProofStep, StepError
from .needs import Need, needs_of


def intervals(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return the mean that follows from prices in intervals that begin at ticks of `starts`.

    The last has no end and no prices. `pools` are lists of servers by number; each has a row of
    `prices`, paid by jobs that may not use other servers. `shares` say for each job how much its
    mean moment counts, beside its time alone. Prices and shares are whole numbers over `unit`.
    """
    unit, starts = step.whole("unit", 1), counts_in(step, "starts")
    pools, prices, shares = (
        lists_in(step, "pools"),
        lists_in(step, "prices"),
        counts_in(step, "shares"),
    )
    needs = needs_of(instance)
    lengths = [end - start for start, end in pairwise(starts)]
    first = min(need.arrival for need in needs)
    if not starts or starts[0] > first or min(lengths, default=1) < 1:
        raise StepError("starts grow from the first arrival on, or from before it")
    if len(prices) != len(pools) or any(len(row) != len(lengths) for row in prices):
        raise StepError(f"prices have {len(lengths)} in each row, and a row for each of pools")
    if len(shares) != len(needs) or max(shares) > unit:
        raise StepError(f"shares are {len(needs)} numbers of at most unit, {unit}")
    total = Fraction(0)
    for pool, row in zip(map(frozenset, pools), prices, strict=True):
        halves = 2 * sum(server.gpus for s, server in enumerate(instance.servers) if s in pool)
        total -= sum(halves * price * length for price, length in zip(row, lengths, strict=True))
    for need, share in zip(needs, shares, strict=True):
        home = {s for s, gpus in enumerate(need.home) if gpus}
        own = [row for pool, row in zip(pools, prices, strict=True) if home <= {*pool}]
        pays = [sum(some) for some in zip(*own, strict=True)] if own else [0] * len(lengths)
        total += (unit - share) * need.alone + _least(need, share, starts, pays)
    ends = -(-total.numerator // (total.denominator * unit))
    waited = ends - sum(need.arrival for need in needs)
    return waited * Fraction(instance.tick_s) / len(needs)


def _least(need: Need, share: int, starts: Sequence[int], pays: Sequence[int]) -> Fraction:
    """Return the least cost of a job's work, and the half of its least time that comes behind."""
    left, cost = need.work, 0
    for price, most in sorted(_places(need, share, starts, pays)):
        done = min(left, most)
        left, cost = left - done, cost + done * price
        if not left:
            break
    return Fraction(cost, 2 * need.work) + Fraction(share * need.work, 2 * need.rate)


def _places(
    need: Need, share: int, starts: Sequence[int], pays: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield twice the cost of all work in each interval, and the most work that is done there."""
    for k, start in enumerate(starts):
        since = max(start, need.arrival)
        if k == len(pays):
            yield share * (2 * since + 1), need.work
        elif starts[k + 1] > since:
            most = min(need.work, need.rate * (starts[k + 1] - since))
            yield share * (2 * since + 1) + 2 * pays[k] * int(need.area), most
