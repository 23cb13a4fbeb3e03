"""Max-min fair sharing: no ring can get more without taking from one that has no more."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

R = TypeVar("R", bound=Hashable)
L = TypeVar("L", bound=Hashable)


def max_min_rates(
    routes: Mapping[R, Sequence[L]], capacity: Mapping[L, Fraction]
) -> dict[R, Fraction]:
    """Fill all rings at the same pace; a ring stops when one of its links is full.

    `routes` gives for every ring the links it crosses, each once; without links, no rate.
    """
    free = dict(capacity)
    waiting: dict[L, list[R]] = {}
    for ring, links in routes.items():
        for link in links:
            waiting.setdefault(link, []).append(ring)
    rates: dict[R, Fraction] = {}
    while waiting:
        # The link that offers its rings least is full first; they get that and leave.
        offer, full = min(
            ((free[link] / len(rings), link) for link, rings in waiting.items()),
            key=lambda pair: pair[0],
        )
        for ring in list(waiting[full]):
            rates[ring] = offer
            for link in routes[ring]:
                free[link] -= offer
                waiting[link].remove(ring)
                if not waiting[link]:
                    del waiting[link]
    return rates
