"""Rules of `shuffle`: bounds on messages from orders of workers, all orders, and all sums."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from ....instances.shuffle import ShuffleInstance
from .kernel import NONE
from .reading import ProofStep, StepError

MOST_ROWS = 5
"""Maximum number of rows that some worker lacks, because of the number of sums."""


def mean_of_orders(instance: ShuffleInstance, _: ProofStep) -> Fraction:
    """Return the cost if each row lacked costs a unicast, or its share of a multicast."""
    matters = Counter(row for one in instance.workers for row in {*one.has, *one.wants})
    price = _multicast(instance)
    shares = Counter(matters[r] for rows in instance.missing for r in rows)
    return sum((count * min(Fraction(1), price / i) for i, count in shares.items()), NONE)


def orders(instance: ShuffleInstance, step: ProofStep) -> Fraction:
    """Return the minimum cost over all numbers of multicasts that the `orders` allow.

    For an order, the messages to all or only to its workers number at least its relevant rows. Each
    worker outside gets at least its missing rows as single messages, minus the multicasts.
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

    most = max([*lacks, *(count for count, _ in given)])
    # The cost is convex: it is least where it stops to fall.
    return cost(bisect_left(range(most), True, key=lambda some: cost(some) <= cost(some + 1)))


def all_sums(instance: ShuffleInstance, _: ProofStep) -> Fraction:
    """Return the minimum cost over all spaces of multicast sums.

    A worker that then knows too little receives single rows. Their number is the dimension of the
    space that it has, hears and lacks, minus the dimension of the space that it has and hears.
    """
    rows = sorted({row for lacks in instance.missing for row in lacks})
    if len(rows) > MOST_ROWS:
        raise StepError(f"{len(rows)} rows are lacked, and sums are tried of at most {MOST_ROWS}")
    bits = {row: 1 << i for i, row in enumerate(rows)}
    pairs = [
        ([bits[row] for row in one.has if row in bits], [bits[row] for row in lacks])
        for one, lacks in zip(instance.workers, instance.missing, strict=True)
    ]

    def cost(space: tuple[int, ...]) -> Fraction:
        unicasts = (
            len(_basis([*space, *has, *lacks])) - len(_basis([*space, *has]))
            for has, lacks in pairs
        )
        return price * len(space) + sum(unicasts)

    price, spaces = _multicast(instance), {tuple[int, ...]()}
    best = cost(())
    for _dimension in rows:
        wider = {_basis((*one, some)) for one in spaces for some in range(1, 1 << len(rows))}
        spaces = wider - spaces
        best = min(best, *map(cost, spaces))
    return best


def _basis(sums: Iterable[int]) -> tuple[int, ...]:
    """Return the reduced basis of the span of sums modulo 2, with rows as bits."""
    found = list[int]()
    for one in sums:
        for other in found:
            one = min(one, one ^ other)
        if one:
            found = sorted([one, *(min(other, other ^ one) for other in found)])
    return tuple(found)


def _multicast(instance: ShuffleInstance) -> Fraction:
    """Return its price. A single worker receives each row for 1."""
    return Fraction(1) if len(instance.workers) == 1 else Fraction(instance.multicast)


RULES = {"mean of orders": mean_of_orders, "orders": orders, "all sums": all_sums}
