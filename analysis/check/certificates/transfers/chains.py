"""The rule by which the first updates that a plan applies are some set: all sets are tried."""

from fractions import Fraction

from .....instances.transfers.instance import TransfersInstance
from ..steps import ProofStep, StepError
from .facts import NONE, TransferFacts

MOST = 14
"""Updates; of more there are too many sets."""


def chains(instance: TransfersInstance, _: ProofStep) -> Fraction:
    """The k-th update is applied when the first k can have crossed every hop, in any order."""
    n, late, facts = len(instance.updates), Fraction(instance.drop_s), TransferFacts(instance)
    if n > MOST:
        raise StepError(f"there are {n} updates, and sets are tried of at most {MOST}")
    ends, sums = _ends(facts), dict[int, Fraction]({0: NONE})
    most = [_most_before(facts, i) for i in range(n)]
    dues = [one.due_s for one in instance.updates]
    for members in range(1, 1 << n):
        size, end = members.bit_count(), ends[members]
        before = [
            sums[members ^ 1 << i]
            for i in range(n)
            if members >> i & 1 and size - 1 <= most[i] and members ^ 1 << i in sums
            if (due := dues[i]) is None or end <= due
        ]
        if before:
            sums[members] = end + min(before)
    if instance.goal == "last":
        full = (1 << n) - 1
        return min(late, ends[full]) if full in sums else late
    return min(found + late * (n - members.bit_count()) for members, found in sums.items()) / n


def _most_before(facts: TransferFacts, i: int) -> int:
    """Return how many updates may be applied before this one; -1 if it has to be dropped."""
    most, updates = facts.instance.staleness, facts.instance.updates
    if not facts.ways[i]:
        return -1
    fresh = most is None or bool(facts.instance.aggregators)
    return len(updates) if most is None or fresh else most - updates[i].behind


def _ends(facts: TransferFacts) -> list[Fraction]:
    """Return for each set, by bits, when all of it can have arrived and crossed every hop."""
    n = len(facts.alone)
    ends = [NONE]
    for members in range(1, 1 << n):
        last = members.bit_length() - 1
        ends.append(max(ends[members ^ 1 << last], facts.alone[last]))
    by_ready = sorted(range(n), key=lambda i: facts.ready[i])
    for hop in facts.hops:
        own = {i: facts.takes(i, hop) for i in facts.crossing(hop)}
        if len(own) > 1:
            for members in range(1, 1 << n):
                now = NONE
                for i in by_ready:
                    if members >> i & 1 and i in own:
                        now = max(now, facts.ready[i]) + own[i]
                ends[members] = max(ends[members], now)
    return ends
