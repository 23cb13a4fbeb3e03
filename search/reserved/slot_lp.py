"""GADGET's relaxation of a slot: weights of placements by column generation, and their rounding.

A column is a placement of a ring. Each ring gets at most one column in total, machines and links
hold the weighted columns, and the gain of a column is that of its number of workers. These are the
paper's flows, decomposed. No relaxation is tighter among those that link rings only in the rows of
machines and links. The prices of the rows lead to the missing columns.

Any prices bound the gain: the cost of all limits, and for each ring the most that one of its
columns gains beyond its cost. This holds for any error in the solver's prices.

The cheapest place of every ring and size at these prices is inside one machine, or on machines of
one rack, or on machines of several racks. The last two are found by dynamic programming over
machines, then racks: the state is the number of workers so far, and a machine or a rack that is
used costs its uplink once. All rings are priced together.

LP-RS-MDE, GADGET's solver of a slot, rounds twice. The relaxation over all sizes selects one size
for each ring, the one with the largest gain times weight, which loses a factor of at most the
largest number of sizes (Gamma). The relaxation over these sizes gives each ring a distribution over
placements. All rings sample from theirs independently, many times, and the best sample is used.

As printed, there is no repair. The theorem (after Rost and Schmid on virtual networks):
with high probability a sample gains a third of the relaxation, and exceeds no limit r by more than
the factor ``1 + eps sqrt(2 Delta_r ln |V|)``. There eps is the largest fraction of any limit that
one worker, or one reservation, uses; Delta_r is the sum over rings of the square of its most
workers (or reservations) there; V are the machines. Samples are drawn until one keeps both. Here
capacities are hard: rings whose placement no longer fits, and those without one, are re-placed in
the order of their gain, with as many workers as fit.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from math import inf, log
from sys import float_info
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...formulations.reserved.slot_master import (
    PlacementColumn,
    ResourcePrices,
    RingSlotData,
    SlotMaster,
    uses_of,
)
from ...instances import Limits
from ...policies.reserved import Placement, SlotCapacity
from ...simulation.reserved import Floats, Ints, fits


class _Joined(NamedTuple):
    """Least costs by ring and size, and how many workers of it the last part takes, by part."""

    cost: Floats
    choices: list[Ints]


class Quote(NamedTuple):
    """Least costs of all sizes of all rings, with back pointers to their places."""

    cost: Floats
    """By ring (in the order of the slot's requests) and number of workers, from 0."""
    inside: Floats
    at: Ints
    """The machine for a ring inside one."""
    racks: list[tuple[Ints, _Joined]]
    across: _Joined

    def placement(self, ask: int, size: int) -> Placement:
        """Return where the cheapest ring of a size is."""
        if self.inside[ask, size] <= self.cost[ask, size]:
            return {int(self.at[ask, size]): size}
        for machines, joined in self.racks:
            if joined.cost[ask, size] <= self.cost[ask, size]:
                return _back(machines, joined, ask, size)
        placement: Placement = {}
        numbers = np.arange(len(self.racks))
        for rack, count in _back(numbers, self.across, ask, size).items():
            placement |= _back(*self.racks[rack], ask, count)
        return placement


class Pricer:
    """Prices the rings of one slot."""

    def __init__(self, data: RingSlotData) -> None:
        """Find the machines and links on which each ring fits alone."""
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
        beyond = np.array([joined.cost for _, joined in racks]).transpose(1, 0, 2).copy()
        carried = self._model.rack_uplink >= self._band[:, None]
        fee = np.where(carried, self._band[:, None] * prices.rack_uplink, np.inf)
        beyond[:, :, 1:] += fee[:, :, None]
        across = self._join(list(range(len(racks))), beyond)
        routes = [inside.min(axis=1), *(joined.cost for _, joined in racks), across.cost]
        return Quote(
            cost=np.min(routes, axis=0),
            inside=routes[0],
            at=inside.argmin(axis=1),
            racks=racks,
            across=across,
        )

    def _join(self, parts: list[int], costs: Floats) -> _Joined:
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
        return _Joined(best, choices)


def _back(parts: Ints, joined: _Joined, ask: int, size: int) -> Placement:
    """Return how many workers of a ring each part takes."""
    placement: Placement = {}
    for part, choice in zip(parts[::-1], joined.choices[::-1], strict=True):
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
    """Upper bound on the gain of the relaxation, valid in spite of rounding."""


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
    """Return the gain by ring and size, or minus infinity if the size is not allowed.

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


def round_slot(
    data: RingSlotData, tries: int, limits: Limits, rng: Generator
) -> dict[int, Placement]:
    """Return the best of a number of random choices of placements, by ring."""
    loose = relaxed(data, [range(1, len(ask.gains) + 1) for ask in data.asks], limits)
    sizes = [{size} for size in chosen_sizes(data, loose)]
    choices = PlacementLaw(data, relaxed(data, sizes, limits, loose.columns))
    best: dict[int, Placement] = {}
    most = -1.0
    for _ in range(tries):
        held = repair(data, choices.draw(rng))
        gain = gain_of(data, held)
        if gain > most:
            best, most = held, gain
        if limits.over():
            break
    return best


def chosen_sizes(data: RingSlotData, loose: Relaxed) -> list[int]:
    """Return for each ring the size with the largest gain times weight, or 1 without weight."""
    scores = [np.zeros(len(ask.gains) + 1) for ask in data.asks]
    for column, weight in zip(loose.columns, loose.weights.tolist(), strict=True):
        scores[column.ask][column.size] += column.gain * weight
    return [max(1, int(score.argmax())) for score in scores]


def repair(data: RingSlotData, sample: dict[int, Placement]) -> dict[int, Placement]:
    """Keep the placements that fit, the largest gains first, and re-place the other rings.

    Rings are numbered as in `data.asks` in the sample, and as in the instance in the result.
    """
    capacity, held = SlotCapacity(data.model), dict[int, Placement]()
    asks = data.asks
    for i in sorted(sample, key=lambda i: -sum(asks[i].gains[: sum(sample[i].values())])):
        if capacity.take(asks[i].job, sample[i]):
            held[asks[i].job] = sample[i]
    left = [ask for ask in asks if ask.job not in held]
    for ask in sorted(left, key=lambda ask: -sum(ask.gains)):
        placement = capacity.place(ask.job, len(ask.gains))
        if placement and capacity.take(ask.job, placement):
            held[ask.job] = placement
    return held


def gain_of(data: RingSlotData, held: dict[int, Placement]) -> float:
    """Return the gain of the rings with these placements."""
    return sum(sum(ask.gains[: sum(held.get(ask.job, {}).values())]) for ask in data.asks)


class PlacementLaw:
    """The distribution over placements that a relaxation gives each ring."""

    def __init__(self, data: RingSlotData, tight: Relaxed) -> None:
        """Sort the columns by ring and add up their weights."""
        self._columns: list[list[Placement]] = [[] for _ in data.asks]
        self._weights: list[list[float]] = [[] for _ in data.asks]
        for column, weight in zip(tight.columns, tight.weights.tolist(), strict=True):
            self._columns[column.ask].append(column.placement)
            self._weights[column.ask].append(weight)

    def draw(self, rng: Generator) -> dict[int, Placement]:
        """Draw a placement for each ring, or none, with the weights as probabilities."""
        sample: dict[int, Placement] = {}
        for ask, chance in enumerate(rng.random(len(self._columns)).tolist()):
            reached = bisect_right(list(accumulate(self._weights[ask])), chance)
            if reached < len(self._columns[ask]):
                sample[ask] = self._columns[ask][reached]
        return sample


THIRD = 1 / 3
"""The part of the relaxation over one size that a sample gains with high probability."""


class SoftSample(NamedTuple):
    """A sample, and how full it makes everything: 1 is as much as there is."""

    held: dict[int, Placement]
    """By ring, numbered as in the instance."""
    gain: float
    machine: float
    """The fullest resource of a machine."""
    link: float
    """The fullest link, of a machine or a rack."""
    kept: bool
    """True if no limit is exceeded by more than its factor."""
    fitting: float
    """The gain of the placements that fit, with the largest gains first."""


class SoftSlot(NamedTuple):
    """The values of a slot's relaxations, the printed factors, and samples."""

    loose: float
    """The relaxation over all sizes: no placements in the slot gain more."""
    tight: float
    """That over one size for each ring."""
    machine: float
    """The largest printed factor of a resource of a machine."""
    link: float
    """That of a link."""
    draws: Sequence[SoftSample]

    @property
    def first(self) -> int | None:
        """The first sample that gains a third and keeps all factors, or None."""
        fine = (
            i for i, draw in enumerate(self.draws) if draw.kept and draw.gain >= THIRD * self.tight
        )
        return next(fine, None)


def soft_slot(data: RingSlotData, tries: int, rng: Generator) -> SoftSlot:
    """Solve the relaxations of a slot, and draw `tries` samples."""
    loose = relaxed(data, [range(1, len(ask.gains) + 1) for ask in data.asks], Limits())
    sizes = chosen_sizes(data, loose)
    tight = relaxed(data, [{size} for size in sizes], Limits(), loose.columns)
    law, factors = PlacementLaw(data, tight), printed_factors(data, sizes)
    split = data.model.capacity.size
    draws = [_drawn(data, law.draw(rng), factors) for _ in range(tries)]
    machine, link = (float(part.max(initial=1.0)) for part in (factors[:split], factors[split:]))
    return SoftSlot(loose.gain, tight.gain, machine, link, draws)


def _drawn(data: RingSlotData, drawn: Mapping[int, Placement], factors: Floats) -> SoftSample:
    held = {data.asks[ask].job: placement for ask, placement in drawn.items()}
    full, split = fullness(data, held), data.model.capacity.size
    machine, link = (float(part.max(initial=0.0)) for part in (full[:split], full[split:]))
    kept, fits = bool((full <= factors).all()), gain_of(data, fitting(data, drawn))
    return SoftSample(held, gain_of(data, held), machine, link, kept, fits)


def fitting(data: RingSlotData, drawn: Mapping[int, Placement]) -> dict[int, Placement]:
    """Return the part of a sample that fits, by ring, if the largest gains come first."""
    capacity = SlotCapacity(data.model)
    order = sorted(drawn, key=lambda i: -sum(data.asks[i].gains[: sum(drawn[i].values())]))
    fits = [i for i in order if capacity.take(data.asks[i].job, drawn[i])]
    return {data.asks[i].job: drawn[i] for i in fits}


def fullness(data: RingSlotData, held: Mapping[int, Placement]) -> Floats:
    """Return how full placements make every limit: 1 is all there is of it."""
    limits = _limits(data)
    taken = np.zeros_like(limits)
    for job, placement in held.items():
        for place, amount in uses_of(data.model, job, placement):
            taken[place] += amount
    return np.divide(taken, limits, out=np.zeros_like(taken), where=taken > 0)


def printed_factors(data: RingSlotData, sizes: Sequence[int]) -> Floats:
    """Return the factor of every limit, with rings of these sizes, or 1 if no ring exceeds it."""
    model, limits = data.model, _limits(data)
    machines, split = len(model.capacity), model.capacity.size
    once, squares = np.zeros_like(limits), np.zeros_like(limits)
    for ask, size in zip(data.asks, sizes, strict=True):
        most = np.minimum(fits(model.capacity, model.worker[ask.job]), size)
        part = np.zeros_like(limits)
        part[:split] = (model.worker[ask.job] * (most > 0)[:, None]).ravel()
        part[split:] = model.reserved[ask.job] if size > 1 else 0.0
        often = np.ones_like(limits)
        often[:split] = np.repeat(most, model.capacity.shape[1])
        squares += np.where(part > 0, often**2, 0.0)
        once = np.maximum(once, part)
    parts = np.divide(once, limits, out=np.zeros_like(once), where=once > 0)
    factors: Floats = 1 + parts.max(initial=0.0) * np.sqrt(2 * squares * log(machines))
    return factors


def _limits(data: RingSlotData) -> Floats:
    return np.concatenate([limit.ravel() for limit in data.model.limits])
