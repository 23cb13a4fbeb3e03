"""Rules of `shuffle`: what orders of workers say of messages, and the mean of all orders."""

from bisect import bisect_left
from collections import Counter
from fractions import Fraction

from ....instances.shuffle.instance import ShuffleInstance
from .kernel import NONE
from .steps import ProofStep, StepError


def mean_of_orders(instance: ShuffleInstance, _: ProofStep) -> Fraction:
    """Return the cost if each row lacked costs a unicast, or its share of a multicast."""
    matters = Counter(row for one in instance.workers for row in {*one.has, *one.wants})
    price, shares = (
        _multicast(instance),
        Counter(matters[r] for rows in instance.missing for r in rows),
    )
    return sum((count * min(Fraction(1), price / i) for i, count in shares.items()), NONE)


def orders(instance: ShuffleInstance, step: ProofStep) -> Fraction:
    """Return the least cost, over all numbers of multicasts, that the `orders` of workers allow.

    Of an order, at least as many messages as rows that count go to all or to its workers alone;
    and to each worker outside as many go alone as it lacks rows, less the multicasts.
    """
    price, lacks = _multicast(instance), [len(rows) for rows in instance.missing]
    given = list[tuple[int, list[int]]]()
    for order in step.rows("orders"):
        if len({*order}) < len(order) or not {*order} <= {*range(len(lacks))}:
            raise StepError(f"the order {[*order]} does not name workers by number, each once")
        met, count = set[int](), 0
        for w in order:
            count += len(instance.missing[w] - met)
            met.update(instance.workers[w].has, instance.workers[w].wants)
        given.append((count, [lack for w, lack in enumerate(lacks) if w not in order]))

    def cost(some: int) -> Fraction:
        sums = (
            max(0, count - some) + sum(max(0, lack - some) for lack in outside)
            for count, outside in given
        )
        return price * some + max(sums, default=0)

    most = 0 if len(lacks) == 1 else max([*lacks, *(count for count, _ in given)])
    # The cost is convex: it is least where it stops to fall. Alone, there are no multicasts.
    return cost(bisect_left(range(most), True, key=lambda some: cost(some) <= cost(some + 1)))


def _multicast(instance: ShuffleInstance) -> Fraction:
    return Fraction(1) if len(instance.workers) == 1 else Fraction(instance.multicast)


RULES = {"mean of orders": mean_of_orders, "orders": orders}
