"""Rules of `shuffle`: what orders of workers say of messages, and the mean of all orders."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from ....instances.shuffle.instance import ShuffleInstance
from .lists import lists_in
from .steps import ProofStep, StepError


def mean_of_orders(instance: ShuffleInstance, _: ProofStep) -> Fraction:
    """Return the cost if each row lacked costs a unicast, or its share of a multicast."""
    price = _multicast(instance)
    matters = Counter(row for one in instance.workers for row in {*one.has, *one.wants})
    lacked = (row for rows in instance.missing for row in rows)
    shares = Counter(matters[row] for row in lacked)
    costs = (count * min(Fraction(1), price / i) for i, count in shares.items())
    return sum(costs, Fraction(0))


def orders(instance: ShuffleInstance, step: ProofStep) -> Fraction:
    """Return the least cost, over all numbers of multicasts, that the `orders` of workers allow.

    Of an order, at least as many messages as rows that count go to all or to its workers alone;
    and to each worker outside as many go alone as it lacks rows, less the multicasts.
    """
    price, lacks = _multicast(instance), [len(rows) for rows in instance.missing]
    given = [_facts(instance, order) for order in lists_in(step, "orders")]

    def cost(some: int) -> Fraction:
        sums = (
            max(0, count - some) + sum(max(0, lacks[w] - some) for w in outside)
            for count, outside in given
        )
        return price * some + max(sums, default=0)

    most = 0 if len(lacks) == 1 else max([*lacks, *(count for count, _ in given)])
    # The cost is convex: it is least where it stops to fall. Alone, there are no multicasts.
    return cost(bisect_left(range(most), True, key=lambda some: cost(some) <= cost(some + 1)))


def _multicast(instance: ShuffleInstance) -> Fraction:
    return Fraction(1) if len(instance.workers) == 1 else Fraction(instance.multicast)


def _facts(instance: ShuffleInstance, order: Sequence[int]) -> tuple[int, list[int]]:
    """Return how many rows count along an order of workers, and who is not in it."""
    everyone = range(len(instance.workers))
    if len(set(order)) < len(order) or not set(order) <= set(everyone):
        raise StepError(f"the order {list(order)} does not name workers by number, each once")
    met, count = set[int](), 0
    for w in order:
        count += len(instance.missing[w] - met)
        met.update(instance.workers[w].has, instance.workers[w].wants)
    return count, [w for w in everyone if w not in order]


RULES = {"mean of orders": mean_of_orders, "orders": orders}
