"""GADGET's relaxation of a slot: weights of placements, found by column generation.

A column is a placement of a ring. Each ring gets at most one column in all, machines and links hold
what the weighted columns take, and the gain of a column is that of its number of workers. These
are the paper's flows, decomposed: no relaxation is tighter in which rings meet in the rows of
machines and links only. The prices of the rows lead to the columns that are missing.

Any prices bound the gain: what all limits cost, and for each ring the most that one of its columns
gains beyond its cost. Whatever the solver says of its prices, this holds.

The cheapest place for every ring of every size, at prices of machines and links.

A ring is inside one machine, or on machines of one rack, or on machines of several racks. The last
two are found by dynamic programming over machines, then racks: the state is the number of
workers so far, and a machine or a rack that is used at all costs its uplink once. All rings are
priced together.
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
from ...policies.reserved.planning import Placement
from ...simulation.reserved import Floats, Ints, fits


class _Way(NamedTuple):
    """Least costs by ring and size, and how many workers of it the last part takes, by part."""

    cost: Floats
    choices: list[Ints]


class Quote(NamedTuple):
    """Least costs of all sizes of all rings, with what leads back to their places."""

    cost: Floats
    """By ring (in the order of the slot's asks) and number of workers, from 0."""
    inside: Floats
    at: Ints
    """The machine for a ring inside one."""
    racks: list[tuple[Ints, _Way]]
    across: _Way

    def placement(self, ask: int, size: int) -> Placement:
        """Return where the cheapest ring of a size is."""
        if self.inside[ask, size] <= self.cost[ask, size]:
            return {int(self.at[ask, size]): size}
        for machines, way in self.racks:
            if way.cost[ask, size] <= self.cost[ask, size]:
                return _back(machines, way, ask, size)
        placement: Placement = {}
        numbers = np.arange(len(self.racks))
        for rack, count in _back(numbers, self.across, ask, size).items():
            placement |= _back(*self.racks[rack], ask, count)
        return placement


class Pricer:
    """Prices the rings of one slot."""

    def __init__(self, data: RingSlotData) -> None:
        """Find out where a ring alone fits."""
        self._model = model = data.model
        jobs = [ask.job for ask in data.asks]
        self._needs, self._band = model.worker[jobs], model.reserved[jobs]
        most = np.array([len(ask.gains) for ask in data.asks])
        room = np.array([fits(model.capacity, need) for need in self._needs])
        self._room = np.minimum(room, most[:, None])
        self._linked = np.where(model.uplink >= self._band[:, None], self._room, 0)
        self._counts = np.arange(most.max() + 1)
        self._by_rack = [np.flatnonzero(model.rack_of == k) for k in range(len(model.rack_uplink))]

    def quote(self, prices: ResourcePrices) -> Quote:
        """Return the least cost of every size of every ring."""
        each = self._needs @ prices.machine.T
        costs = self._counts * each[:, :, None]
        inside = np.where(self._counts <= self._room[:, :, None], costs, np.inf)
        links = (self._band[:, None] * prices.uplink)[:, :, None] * (self._counts > 0)
        linked = np.where(self._counts <= self._linked[:, :, None], costs + links, np.inf)
        racks = [(machines, self._join(list(machines), linked)) for machines in self._by_rack]
        beyond = np.array([way.cost for _, way in racks]).transpose(1, 0, 2).copy()
        carried = self._model.rack_uplink >= self._band[:, None]
        fee = np.where(carried, self._band[:, None] * prices.rack_uplink, np.inf)
        beyond[:, :, 1:] += fee[:, :, None]
        across = self._join(list(range(len(racks))), beyond)
        ways = [inside.min(axis=1), *(way.cost for _, way in racks), across.cost]
        return Quote(
            cost=np.min(ways, axis=0),
            inside=ways[0],
            at=inside.argmin(axis=1),
            racks=racks,
            across=across,
        )

    def _join(self, parts: list[int], costs: Floats) -> _Way:
        """Return the least costs of all sizes over parts with costs by ring, part and size."""
        best = np.full((len(costs), len(self._counts)), np.inf)
        best[:, 0] = 0.0
        choices = []
        for part in parts:
            before, choice = best.copy(), np.zeros(best.shape, dtype=np.int64)
            for count in self._counts[1:]:
                found = before[:, :-count] + costs[:, part, count, None]
                better = found < best[:, count:]
                best[:, count:] = np.where(better, found, best[:, count:])
                choice[:, count:][better] = count
            choices.append(choice)
        return _Way(best, choices)


def _back(parts: Ints, way: _Way, ask: int, size: int) -> Placement:
    """Return how many workers of a ring each part takes."""
    placement: Placement = {}
    for part, choice in zip(parts[::-1], way.choices[::-1], strict=True):
        if count := int(choice[ask, size]):
            placement[int(part)] = count
            size -= count
    return placement


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
