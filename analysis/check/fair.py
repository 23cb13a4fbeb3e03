"""Max-min fair sharing: no ring can get more without taking from one that has no more."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TypeVar

R = TypeVar("R", bound=Hashable)
L = TypeVar("L", bound=Hashable)


def max_min_rates(
    routes: Mapping[R, Sequence[L]], capacity: Mapping[L, Fraction]
) -> dict[R, Fraction]:
    """Fill all rings at the same pace; a ring stops when one of its links is full.

    `routes` gives for every ring the links it crosses, each once; without links, no rate.
    """
    waiting: dict[L, dict[R, None]] = {}
    for ring, links in routes.items():
        for link in links:
            waiting.setdefault(link, {})[ring] = None
    free = {link: capacity[link] for link in waiting}
    # What a link offers its rings only grows as rings leave it, so old offers are too small.
    offers = [(free[link] / len(rings), i, link) for i, (link, rings) in enumerate(waiting.items())]
    heapify(offers)
    rates: dict[R, Fraction] = {}
    while offers:
        old, i, link = heappop(offers)
        if not waiting[link]:
            continue
        offer = free[link] / len(waiting[link])
        if offer > old:
            heappush(offers, (offer, i, link))
            continue
        # The link that offers its rings least is full first; they get that and leave.
        for ring in list(waiting[link]):
            rates[ring] = offer
            for crossed in routes[ring]:
                free[crossed] -= offer
                del waiting[crossed][ring]
    return rates
