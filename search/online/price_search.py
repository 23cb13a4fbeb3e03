"""What prices prove, by `dual_bound`, and good prices for it: subgradient steps on grids.

The bound is convex in the prices. Where a resource is taken less than it is there, a lower price
lowers the bound, and the other way round. A step aims a little below the best value so far (level
steps of Polyak); after too many without success it aims half as far.

Machines in groups and slots in blocks share prices first: then there are few prices, and few steps
make them good. Every grid starts from the best prices of the coarser one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from math import fsum

import numpy as np

from ...instances import Limits, OnlineInstance
from ...simulation.online.model import Floats, Ints, online_model
from .asks import Market, market
from .pricing import OfferMix, add_loads, by_envelopes, by_table

TINY = 1e-150
"""Lower prices count as 0, so that nothing underflows."""


@dataclass(frozen=True, slots=True, eq=False)
class PricedBound:
    """The bound that prices give, with its two sums, and what the jobs would take."""

    value: Fraction
    sold: float
    """All that there is, at these prices."""
    gains: float
    """What the jobs have left of their utilities."""
    load: Floats
    """What they would take, by slot, group and resource."""


def evaluate(offered: Market, prices: Floats, limits: Limits) -> PricedBound | None:
    """Return the bound of prices[slot, group, resource]; None if the time is up before."""
    prices = np.ascontiguousarray(np.where(prices < TINY, 0.0, prices))
    mix = OfferMix(*(np.zeros(offered.slots, dtype) for dtype in (np.int64, np.int64, float)))
    load, gains = np.zeros_like(prices), []
    for ask in offered.jobs:
        if limits.over():
            return None
        best = by_table if ask.parts else by_envelopes
        gain, end = best(prices, ask, mix)
        gains.append(gain)
        if end >= 0:
            add_loads(prices, ask, mix, end, load)
    sold, left = fsum((prices * offered.capacity).ravel()), fsum(gains)
    slack = Fraction(offered.margin)
    value = (Fraction(sold) + Fraction(left) + 2 * slack * Fraction(offered.hope)) * (1 + slack)
    return PricedBound(value, sold, left, load)


FIRST, ROUGH, CLOSE = 0.05, 2e-3, 1e-5
"""Parts of the value: how far below it the first steps aim, and when it is good enough."""

FINER = 16
"""How many times as many groups and blocks the next grid has."""

QUICK, PATIENT = 5, 30
"""Steps without success until they become smaller, on coarse grids and on the finest."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceGroups:
    """Which machines and which slots share prices."""

    market: Market
    block: Ints
    """Of each slot."""
    room: Floats
    """What there is in all, by block, group and resource."""
    finest: bool
    """Whether none share any."""

    def coarse(self, prices: Floats) -> Floats:
        """Return prices of slots and machines as those of one of each block and group."""
        slots = np.unique(self.block, return_index=True)[1]
        machines = np.unique(self.market.group, return_index=True)[1]
        return prices[slots][:, machines]

    def fine(self, prices: Floats) -> Floats:
        """Return the prices for every slot and machine."""
        return prices[self.block][:, self.market.group]

    def fall(self, prices: Floats, load: Floats) -> Floats:
        """Return how much the bound falls with prices of all that there is."""
        taken = np.zeros_like(self.room)
        np.add.at(taken, self.block, load)
        with np.errstate(divide="ignore", invalid="ignore"):
            fall = np.where(self.room > 0, 1 - taken / self.room, 0.0)
        return np.where((prices > 0) | (fall < 0), fall, 0.0)


def best_prices(
    instance: OnlineInstance, limits: Limits, steps: int | None = None
) -> tuple[PricedBound, Floats]:
    """Return the best prices found until the time is up or steps are in vain, and what they give.

    The finest grid has at most so many steps. Prices are by slot, machine and resource, for the
    units of `online_model`.
    """
    model = online_model(instance)
    prices = np.zeros((model.slots, *model.capacity.shape))
    best: PricedBound | None = None
    few = repeat(None) if steps is None else repeat(None, steps)
    for grid in _grids(instance):
        if best is None:
            best = evaluate(grid.market, grid.coarse(prices)[grid.block], Limits())
            assert best is not None
        patience = PATIENT if grid.finest else QUICK
        while not limits.over():
            before = float(best.value)
            near = CLOSE if grid.finest else ROUGH
            turns = few if grid.finest else repeat(None)
            found, reached = _descend(grid, grid.coarse(prices), limits, patience, near, turns)
            if found is not None and found.value < best.value:
                best, prices = found, grid.fine(reached)
            patience *= 2
            if not grid.finest or float(best.value) > before * (1 - CLOSE):
                break
    assert best is not None
    return best, prices


def _grids(instance: OnlineInstance) -> Iterator[PriceGroups]:
    """Yield grids from one group and one block to every machine and every slot."""
    model = online_model(instance)
    machines, slots = len(model.capacity), model.slots
    part = model.capacity / np.maximum(model.capacity.sum(axis=0), 1)
    part /= np.maximum(part.sum(axis=1, keepdims=True), TINY)
    rank = np.argsort(np.argsort(part[:, part.std(axis=0).argmax()], kind="stable"))
    count = 1
    while True:
        groups, blocks = min(count, machines), min(count, slots)
        block = np.arange(slots) * blocks // slots
        offered = market(instance, rank * groups // machines)
        room = np.bincount(block)[:, None, None] * offered.capacity
        finest = groups == machines and blocks == slots
        yield PriceGroups(market=offered, block=block, room=room, finest=finest)
        if finest:
            return
        count *= FINER


def _descend(
    grid: PriceGroups,
    prices: Floats,
    limits: Limits,
    patience: int,
    near: float,
    turns: Iterator[None],
) -> tuple[PricedBound | None, Floats]:
    """Return the best of a walk of a step each turn, or None if there was no time or no turn."""
    best, kept, fallen, aim, since = None, prices, np.zeros_like(prices), 0.0, 0
    for _ in turns:
        found = evaluate(grid.market, prices[grid.block], limits)
        if found is None:
            break
        value, fall, since = float(found.value), grid.fall(prices, found.load), since + 1
        aim = aim or FIRST * value
        if best is None or found.value < best.value:
            since = 0 if best is None or value <= float(best.value) - aim / 2 else since
            best, kept, fallen = found, prices, fall
        if since > patience:
            aim, since, prices, value, fall = aim / 2, 0, kept, float(best.value), fallen
        size = float((fall * fall).sum())
        if aim < near * float(best.value) or not size:
            break
        step = (value - float(best.value) + aim) / size
        prices = np.maximum(0.0, prices - step * fall / np.where(grid.room > 0, grid.room, 1.0))
    return best, kept
