"""GADGET's relaxation of a slot: weights of placements, found by column generation.

A column is a placement of a ring. Each ring gets at most one column in all, machines and links hold
what the weighted columns take, and the gain of a column is that of its number of workers. These
are the paper's flows, decomposed: no relaxation is tighter in which rings meet in the rows of
machines and links only. The prices of the rows lead to the columns that are missing.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...formulations.reserved.slot_data import RingSlotData
from ...formulations.reserved.slot_master import Column, Master
from ...instances import Limits
from ...simulation.reserved_model import Floats
from .pricing import Pricer

CLOSE = 1e-9
"""A column is missing if it would gain more than this part of the largest gain."""

Sizes = Sequence[Collection[int]]
"""The numbers of workers that each ring may have."""


class Relaxed(NamedTuple):
    """The value of a relaxation, and its columns of weight above 0 with their weights."""

    gain: float
    columns: list[Column]
    weights: Floats


def relaxed(
    data: RingSlotData, sizes: Sizes, limits: Limits, known: Iterable[Column] = ()
) -> Relaxed:
    """Solve the relaxation, beginning with columns that are known to be good.

    If time is up it ends with the columns found so far.
    """
    master, pricer, gains = Master(data), Pricer(data), _gains(data, sizes)
    least = CLOSE * float(gains.max())
    for column in known:
        if column.size in sizes[column.ask]:
            master.add(column)
    while True:
        solved = master.solve()
        quote = pricer.quote(solved.prices)
        surplus = gains - quote.cost - solved.fees[:, None]
        best = surplus.argmax(axis=1).tolist()
        missing = [
            Column(ask, quote.placement(ask, size), float(gains[ask, size]))
            for ask, size in enumerate(best)
            if surplus[ask, size] > least
        ]
        used = np.flatnonzero(solved.weights > CLOSE)
        done = Relaxed(solved.gain, [master.columns[i] for i in used], solved.weights[used])
        if not sum(map(master.add, missing)) or limits.over():
            return done


def _gains(data: RingSlotData, sizes: Sizes) -> Floats:
    """Return the gain by ring and size; minus infinity where the size is not allowed."""
    gains = np.full((len(data.asks), max(len(ask.gains) for ask in data.asks) + 1), -np.inf)
    for row, ask, allowed in zip(gains, data.asks, sizes, strict=True):
        for size in allowed:
            row[size] = sum(ask.gains[:size])
    return gains
