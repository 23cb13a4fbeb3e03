"""Which updates come first: the least moments by which each set of updates can be applied.

The first k that a plan applies are a set, and the k-th is applied when all of it has arrived. So a
plan is a chain of sets that grow by one update. All chains are tried, set by set; updates are
numbered as they are ready, and a set is the number whose bits are its members. Proof:
`docs/transfers-bounds.md`.
"""

from collections.abc import Sequence
from fractions import Fraction

from ...formulations.transfers.ways import all_ways
from ...instances import TransfersInstance
from ...simulation.transfers import Network
from .moments import alone, crossings

MOST = 12
"""Updates; they have 4,096 sets."""


def least_by_chains(instance: TransfersInstance) -> Fraction | None:
    """Return the least value that chains of sets allow; None if there are too many updates."""
    n, late = len(instance.updates), Fraction(instance.drop_s)
    if n > MOST:
        return None
    order = sorted(range(n), key=lambda i: instance.updates[i].ready_s)
    ends = _ends(instance, order)
    sums = _sums(instance, order, ends)
    if instance.goal == "last":
        return late if sums[-1] is None else min(late, ends[-1])
    return min(
        (found + late * (n - members.bit_count())) / n
        for members, found in enumerate(sums)
        if found is not None
    )


def _ends(instance: TransfersInstance, order: Sequence[int]) -> list[Fraction]:
    """Return for each set when all of it can have arrived, alone and across each hop."""
    network = Network.of(instance)
    ready = [Fraction(one.ready_s) for one in instance.updates]
    sizes = [network.sizes[one.name] for one in instance.updates]
    apart = alone(instance, all_ways(instance))
    found = [Fraction(0)]
    for i in order:
        found += [max(end, apart[i]) for end in found]
    for one in crossings(instance):
        if len(one.crossed) == 1:
            continue
        ends = [Fraction(0)]
        for i in order:
            takes = Fraction(sizes[i], network.rates[one.hop])
            ends += [max(e, ready[i]) + takes for e in ends] if i in one.crossed else ends
        found = [max(pair) for pair in zip(found, ends, strict=True)]
    return found


def _sums(
    instance: TransfersInstance, order: Sequence[int], ends: Sequence[Fraction]
) -> list[Fraction | None]:
    """Return for each set the least sum of moments if it comes first; None if it never does."""
    updates = [instance.updates[i] for i in order]
    dues = [None if one.due_s is None else Fraction(one.due_s) for one in updates]
    staleness = None if instance.aggregators else instance.staleness
    most = [
        -1 if not own else len(order) if staleness is None else staleness - one.behind
        for one, own in ((instance.updates[i], all_ways(instance)[i]) for i in order)
    ]
    sums: list[Fraction | None] = [Fraction(0)]
    for members in range(1, len(ends)):
        before, end = members.bit_count() - 1, ends[members]
        found = []
        for i, due in enumerate(dues):
            if members >> i & 1 and before <= most[i] and (due is None or end <= due):
                least = sums[members ^ 1 << i]
                if least is not None:
                    found.append(least + end)
        sums.append(min(found, default=None))
    return sums
