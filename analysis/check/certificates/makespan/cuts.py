"""How a ring may be cut into pieces, one for each of its servers, and what the pieces cost.

Units of overhead go with the cut: with the number of pieces, with the largest piece, or with
neither. For some units at least the cuts with these units are looked at, and also some with
fewer; so the cheapest of them is a lower bound on what the ring pays.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from math import inf
from typing import NamedTuple

FEW = 4
"""Units that are told apart; a ring with more counts as one with the last, cut in any way."""


class CutKind(NamedTuple):
    """Units of overhead of a ring across servers, and the most and the largest pieces."""

    units: int
    pieces: int
    largest: int


Cost = Callable[[int, CutKind], float]
"""The least price of so many GPUs cut as a spread says, a whole number; infinity if none are."""


def spreads_of(overhead: str, sizes: Sequence[int], gpus: int) -> Iterator[CutKind]:
    """Yield the ways to spread so many GPUs over servers of these sizes, the largest first."""
    pieces, largest = min(gpus, len(sizes)), min(gpus - 1, sizes[0])
    if pieces < 2:
        return
    if overhead == "paper":
        held = [0, *accumulate(sizes)]
        units = [n for n in range(2, pieces + 1) if held[n] >= gpus][:FEW]
        ways = [CutKind(n, n, largest) for n in units]
    elif overhead == "step":
        ways = [CutKind(1, pieces, largest)]
    else:
        enough = (m for m in range(1, largest + 1) if sum(min(s, m) for s in sizes) >= gpus)
        ways = [CutKind(m, pieces, m) for m, _ in zip(enough, range(FEW), strict=False)]
    yield from ways[:-1]
    yield from (way._replace(pieces=pieces, largest=largest) for way in ways[-1:])


def cheapest(prices: Sequence[int], widest: int, pieces: int) -> Cost:
    """Return the cost of cuts of up to `widest` GPUs, into up to so many pieces of these prices."""

    @cache
    def layers(largest: int) -> list[list[float]]:
        """Return by number of pieces, and GPUs, the cheapest of no more and no larger pieces."""
        found: list[list[float]] = [[0, *([inf] * widest)]]
        while len(found) < pieces:
            before, after = found[-1], list(found[-1])
            for gpus in range(1, widest + 1):
                for piece in range(1, min(largest, gpus) + 1):
                    after[gpus] = min(after[gpus], before[gpus - piece] + prices[piece])
            if after == before:
                break
            found.append(after)
        return found

    def cost(gpus: int, spread: CutKind) -> float:
        """Add to the others the last piece, which is not the whole ring."""
        tables = layers(spread.largest)
        others = tables[min(spread.pieces - 1, len(tables) - 1)]
        last = range(1, min(spread.largest, gpus - 1) + 1)
        return min((prices[piece] + others[gpus - piece] for piece in last), default=inf)

    return cost
