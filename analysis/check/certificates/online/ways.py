"""What samples cost at least that may be spread over slots: two relaxations.

Each takes the offers of one slot after the other, and then says what all samples cost up to it;
None if they cannot all be done.
"""

from bisect import insort
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from .offers import Buyer, PricedOffer

LeastCost = Callable[[Sequence[PricedOffer]], Fraction | int | None]


def by_mixing(buyer: Buyer) -> LeastCost:
    """Offers may be mixed: the lower envelope of each slot, and then the cheapest pieces of all."""
    pieces: list[tuple[Fraction, int]] = []

    def least(offers: Sequence[PricedOffer]) -> Fraction | None:
        for piece in _envelope(buyer, offers):
            insort(pieces, piece)
        left, cost = buyer.work, Fraction(0)
        for slope, length in pieces:
            part = min(left, length)
            left, cost = left - part, cost + slope * part
            if not left:
                return cost
        return None

    return least


def _envelope(buyer: Buyer, offers: Sequence[PricedOffer]) -> list[tuple[Fraction, int]]:
    """Return slopes and lengths of the largest convex function below offers and the origin."""
    cheapest: dict[int, int] = {}
    for offer in offers:
        samples = min(buyer.work, _rate(buyer, offer) * offer.workers)
        cheapest[samples] = min(offer.cost, cheapest.get(samples, offer.cost))
    corners = [(0, 0)]
    for point in sorted(cheapest.items()):
        while len(corners) > 1 and not _below(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return [(Fraction(up - y, along - x), along - x) for (x, y), (along, up) in pairwise(corners)]


def _below(one: tuple[int, int], middle: tuple[int, int], other: tuple[int, int]) -> bool:
    """Say whether a point in the middle is below the line between two others."""
    (x, y), (p, q), (u, v) = one, middle, other
    return (q - y) * (u - x) < (v - y) * (p - x)


def _rate(buyer: Buyer, offer: PricedOffer) -> int:
    return buyer.fast if offer.inside else buyer.slow


def by_parts(buyer: Buyer, parts: int) -> LeastCost:
    """One offer in each slot, samples counted in parts of what a worker does inside, rounded up."""
    goal = -(-buyer.work * parts // buyer.fast)
    least = [0]
    """Costs of 0, 1, .. parts, as far as they can be done."""

    def add(offers: Sequence[PricedOffer]) -> int | None:
        gains = [(-(-o.workers * _rate(buyer, o) * parts // buyer.fast), o.cost) for o in offers]
        found: list[int] = []
        for gain, cost in sorted([*gains, (0, 0)], reverse=True):
            some = min(gain, goal)
            reached = [cost] * some + [cost + one for one in least[: goal + 1 - some]]
            found = [*map(min, found, reached), *found[len(reached) :]] if found else reached
        least[:] = found
        return least[goal] if len(least) > goal else None

    return add
