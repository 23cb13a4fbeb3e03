"""A certified upper bound from prices: utilities pay for at most the capacity of the machines.

Give every resource of every machine a price p >= 0 in every slot. A schedule of value OPT uses at
most the capacity. An admitted job's use costs at least the cost of its samples on the cheapest plan
for them up to its last slot. Therefore

    OPT <= sum_(t,h,r) p_h^r[t] C_h^r
           + sum_i max(0, max_e (u_i(e - a_i) - cost_i(e))),

for any cost_i(e) that is at most the cost of every plan of job i that ends by slot e. This is weak
duality for the program of schedules. Any prices give a bound, good ones a good one.

Least cost of a job. In one slot, w workers cost no less than

- inside a machine: w workers and ceil(w / gamma) parameter servers at the cheapest machine that
  holds them while it is empty,
- across machines: w workers, the cheapest first, up to the capacity of each empty machine; and
  likewise ceil(w / gamma) parameter servers, as if there were no workers.

Each is a *candidate*, (samples, cost), with samples capped at the job's need. From the candidates
of slots, cost_i(e) is computed in one of two forms, the second for small jobs:

- by envelopes: the largest convex function below the candidates of a slot and (0, 0), and then the
  cheapest pieces of all slots first until the samples are enough: a relaxation, because any choice
  of one candidate for each slot is some choice of pieces;
- by a table: least cost for 0, 1, .. parts of samples, slot after slot, over all candidates. A
  worker inside makes a whole number of parts. Samples across are rounded up.

Machines in a group have the same prices. A candidate of the group is then the best of its machines
inside, and the capacity of all of them across.

Rounding. Utilities are rounded up to doubles. Required samples are lowered by the margin e = 8 n
2^-53, where n exceeds the number of terms of every sum. All costs are sums, products, quotients and
minima of nonnegative numbers, so they have a relative error below e. Pieces of an envelope are
slopes to the candidate of least slope. At every candidate the envelope exceeds the cost by at most
its relative rounding error, as do the pieces summed in any order. A job that pays cost c has c <=
u_i(0), so the sum of gains is short by less than 2 e sum_i u_i(0), which is added. Products p C are
positive, and e covers them. Both sums are made without loss, by `math.fsum`. Prices below 1e-150
are set to 0 first to exclude underflow.

Good prices come from subgradient steps on grids. The bound is convex in the prices. If jobs use
less of a resource than its capacity, a lower price lowers the bound, and vice versa. A step aims a
little below the best value so far (level steps of Polyak). After too many failures it aims half as
far.

Slots in blocks and machines in groups share prices first: then there are few prices, and few steps
make them good. Slots are separated before machines, because demand differs more between slots.
Every grid starts from the best prices of the coarser one. On coarse grids all jobs are priced by
envelopes, which is faster. A small instance has one coarse grid, with tables.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle, repeat
from math import fsum, lcm
from typing import Any

import numpy as np

from ...instances import Bound, BoundKind, Limits, OnlineInstance
from ...simulation.online import Floats, Ints, online_model
from ..asked_bounds import AskedBounds
from .bounds import combinatorial_bounds
from .pricing import CandidateMix, Market, add_loads, by_envelopes, by_table, market, parts_of

TINY = 1e-150
"""Lower prices are set to 0 to exclude underflow."""


@dataclass(frozen=True, slots=True, eq=False)
class PricedBound:
    """The bound from prices, with its two sums, and the jobs' use."""

    value: Fraction
    sold: float
    """All that there is, at these prices."""
    gain: list[float]
    """The utility of each job minus its cost, at least 0."""
    load: Floats
    """The amounts that they would take, by slot, group and resource."""


def evaluate(grouped: Market, prices: Floats, limits: Limits) -> PricedBound | None:
    """Return the bound of prices[slot, group, resource], or None if the time is up before."""
    prices = np.ascontiguousarray(np.where(prices < TINY, 0.0, prices))
    mix = CandidateMix(*(np.zeros(grouped.slots, dtype) for dtype in (np.int64, np.int64, float)))
    load, gains = np.zeros_like(prices), []
    for ask in grouped.jobs:
        if limits.over():
            return None
        best = by_table if ask.parts else by_envelopes
        gain, end = best(prices, ask, mix)
        gains.append(gain)
        if end >= 0:
            add_loads(prices, ask, mix, end, load)
    sold, left = fsum((prices * grouped.capacity).ravel()), fsum(gains)
    slack = Fraction(grouped.margin)
    short = 2 * slack * Fraction(grouped.total_worth)
    value = (Fraction(sold) + Fraction(left) + short) * (1 + slack)
    return PricedBound(value, sold, gains, load)


FIRST, LATER, ROUGH, CLOSE = 0.05, 0.003, 2e-3, 1e-5
"""Parts of the value: how far below it the first steps aim, and when it is good enough."""

FINER = 16
"""Ratio of groups and blocks between a grid and the next one."""

QUICK, PATIENT = 5, 30
"""Steps without success until they become smaller, on coarse grids and on the finest.

They are twice as many on the finest after several coarse ones.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceGroups:
    """Groups of machines and of slots that share prices."""

    market: Market
    block: Ints
    """Of each slot."""
    room: Floats
    """The capacity by block, group and resource."""
    finest: bool
    """True if every price is separate."""

    def coarse(self, prices: Floats) -> Floats:
        """Return prices of slots and machines by one representative of each block and group."""
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
    """Return the best prices found by the time limit or stagnation, and their bound.

    The finest grid has at most `steps`. Prices are by slot, machine and resource, for the units of
    `online_model`.
    """
    model = online_model(instance)
    prices = np.zeros((model.slots, *model.capacity.shape))
    best: PricedBound | None = None
    few = repeat(None) if steps is None else repeat(None, steps)
    for number, grid in enumerate(_grids(instance)):
        if best is None or grid.finest:
            again = evaluate(grid.market, grid.coarse(prices)[grid.block], Limits())
            assert again is not None
            best = again if best is None or again.value < best.value else best
        patience = PATIENT * min(number, 2) if grid.finest else QUICK
        while not limits.over():
            before = float(best.value)
            near = ROUGH if len(grid.room) < model.slots else CLOSE
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
    """Yield grids from one group and one block to every slot, and then to every machine."""
    model = online_model(instance)
    machines, slots = len(model.capacity), model.slots
    part = model.capacity / np.maximum(model.capacity.sum(axis=0), 1)
    part /= np.maximum(part.sum(axis=1, keepdims=True), TINY)
    rank = np.argsort(np.argsort(part[:, part.std(axis=0).argmax()], kind="stable"))
    blocks, groups, small = 1, 1, max(slots, machines) <= FINER
    while True:
        block = np.arange(slots) * blocks // slots
        finest = groups == machines and blocks == slots
        grouped = market(instance, rank * groups // machines)
        if not finest and not small:
            grouped = replace(grouped, jobs=tuple(ask._replace(parts=0) for ask in grouped.jobs))
        room = np.bincount(block)[:, None, None] * grouped.capacity
        yield PriceGroups(market=grouped, block=block, room=room, finest=finest)
        if finest:
            return
        if blocks == slots or small:
            groups = min(groups * FINER, machines)
        blocks = min(blocks * FINER, slots)


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
        aim = aim or (FIRST if grid.finest or grid.room.shape[1] == 1 else LATER) * value
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


MOST_PRICES = 200_000
"""In a proof that is written down."""

Proof = tuple[dict[str, Any], ...]


def dual_bound(instance: OnlineInstance, limits: Limits, steps: int | None = None) -> Bound:
    """Return the bound of the best prices found in some steps, unless the time is up before.

    It is at most the worth of the jobs without any price.
    """
    return proved(instance, *best_prices(instance, limits, steps))


def proved(instance: OnlineInstance, found: PricedBound, prices: Floats) -> Bound:
    """Return the bound of prices with its proof."""
    return bound_of(found, _proof(instance, prices))


def slow_bounds(instance: OnlineInstance, limits: Limits, _: Fraction | None) -> AskedBounds:
    """Ask for the bound by prices, whatever the `best` schedule is worth."""
    asked = AskedBounds(combinatorial_bounds(instance)[0], maximize=True)
    asked.ask("prices", lambda: dual_bound(instance, limits), "nothing")
    return asked


def _proof(instance: OnlineInstance, prices: Floats) -> Proof | None:
    """Return prices as whole numbers over one unit, slots that have the same prices in one row.

    None if there are too many.
    """
    if prices.size > MOST_PRICES:
        return None
    model, rows = online_model(instance), dict[int, list[Fraction]]()
    starts = [t for t in range(len(prices)) if not t or (prices[t] != prices[t - 1]).any()]
    for t in starts:
        at = np.where(prices[t] < TINY, 0.0, prices[t])
        # The model has different units of resources.
        pairs = zip(at.ravel().tolist(), cycle(model.units.tolist()), strict=False)
        rows[t] = [Fraction(price) * int(units) for price, units in pairs]
    unit = lcm(*(price.denominator for row in rows.values() for price in row))
    return (
        {
            "rule": "prices",
            "unit": unit,
            "starts": starts,
            "rows": [[int(price * unit) for price in row] for row in rows.values()],
            "parts": parts_of(instance),
        },
    )


def bound_of(found: PricedBound, proof: Proof | None = None) -> Bound:
    """Return the bound that prices prove."""
    argument = (
        f"at these prices the whole capacity costs {found.sold:.6g}, "
        f"and jobs keep {fsum(found.gain):.6g} of their utilities"
    )
    return Bound(
        value=found.value, kind=BoundKind.DUAL, name="prices", argument=argument, proof=proof
    )
