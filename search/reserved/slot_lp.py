"""GADGET's relaxation of a slot: weights of placements, found by column generation.

A column is a placement of a ring. Each ring gets at most one column in all, machines and links hold
what the weighted columns take, and the gain of a column is that of its number of workers. These
are the paper's flows, decomposed: no relaxation is tighter in which rings meet in the rows of
machines and links only. The prices of the rows lead to the columns that are missing.

Any prices bound the gain: what all limits cost, and for each ring the most that one of its columns
gains beyond its cost. Whatever the solver says of its prices, this holds.
"""

from collections.abc import Collection, Iterable, Sequence
from math import inf
from sys import float_info
from typing import NamedTuple

import numpy as np

from ...formulations.reserved.slot_master import (
    PlacementColumn,
    ResourcePrices,
    RingSlotData,
    SlotMaster,
)
from ...instances import Limits
from ...simulation.reserved.model import Floats
from .pricing import Pricer

CLOSE = 1e-9
"""A column is missing if it would gain more than this part of the largest gain."""

Sizes = Sequence[Collection[int]]
"""The numbers of workers that each ring may have."""


class Relaxed(NamedTuple):
    """The value of a relaxation, and its columns of weight above 0 with their weights."""

    gain: float
    columns: list[PlacementColumn]
    weights: Floats
    most: float
    """No point of the relaxation gains more, whatever was rounded on the way."""


def relaxed(
    data: RingSlotData, sizes: Sizes, limits: Limits, known: Iterable[PlacementColumn] = ()
) -> Relaxed:
    """Solve the relaxation, beginning with columns that are known to be good.

    If time is up it ends with the columns found so far.
    """
    return relaxed_by(data, gains_of(data, sizes), limits, known)


def relaxed_by(
    data: RingSlotData, gains: Floats, limits: Limits, known: Iterable[PlacementColumn] = ()
) -> Relaxed:
    """Solve the relaxation with gains by ring and size: minus infinity is not allowed."""
    master, pricer = SlotMaster(data), Pricer(data)
    least, most = CLOSE * float(gains.max()), inf
    for column in known:
        gain = float(gains[column.ask, column.size])
        if gain > -inf:
            master.add(column._replace(gain=gain))
    while True:
        solved = master.solve()
        quote = pricer.quote(solved.prices)
        most = min(most, _most(data, solved.prices, gains, quote.cost))
        surplus = gains - quote.cost - solved.fees[:, None]
        best = surplus.argmax(axis=1).tolist()
        missing = [
            PlacementColumn(ask, quote.placement(ask, size), float(gains[ask, size]))
            for ask, size in enumerate(best)
            if surplus[ask, size] > least
        ]
        used = np.flatnonzero(solved.weights > CLOSE)
        columns = [master.columns[i] for i in used]
        done = Relaxed(solved.gain, columns, solved.weights[used], most)
        if not sum(map(master.add, missing)) or limits.over():
            return done


def gains_of(data: RingSlotData, sizes: Sizes) -> Floats:
    """Return the gain by ring and size; minus infinity where the size is not allowed.

    Any ring may be left out.
    """
    gains = np.full((len(data.asks), max(len(ask.gains) for ask in data.asks) + 1), -np.inf)
    gains[:, 0] = 0.0
    for row, ask, allowed in zip(gains, data.asks, sizes, strict=True):
        for size in allowed:
            row[size] = sum(ask.gains[:size])
    return gains


def _most(data: RingSlotData, prices: ResourcePrices, gains: Floats, costs: Floats) -> float:
    """Return the bound that prices give, with room for all that is rounded in it.

    All numbers are sums of at most `terms` products of one sign.
    """
    limits = np.concatenate([limit.ravel() for limit in data.model.limits])
    paid = np.concatenate([part.ravel() for part in prices])
    slack = (limits.size + len(gains) + 10) * float_info.epsilon
    allowed = np.isfinite(gains) & np.isfinite(costs)
    beyond = np.full(gains.shape, -inf)
    up, down = gains[allowed] + slack * np.abs(gains[allowed]), costs[allowed] * (1 - slack)
    beyond[allowed] = up - down + slack * (np.abs(up) + down)
    each = beyond.max(axis=1)
    if np.isneginf(each).any():
        return -inf
    total = np.concatenate([paid[paid > 0] * limits[paid > 0], each])
    return float(total.sum() + slack * np.abs(total).sum())
