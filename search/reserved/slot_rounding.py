"""LP-RS-MDE: ring sizes by the relaxation, then random placements of these sizes.

Source: GADGET, its solver of a slot. The relaxation over all sizes names one size for each ring,
that with the largest gain times weight, which loses a factor of at most the largest number of sizes
(Gamma). The relaxation over these sizes gives each ring a distribution over placements. All rings
draw from theirs independently, many times, and the best draw counts.

As published a draw may exceed capacities, by the factors of the paper's theorem. Here they are
hard: rings whose placement does not fit any more, and those that drew none, are placed anew in the
order of their gain, with as many workers as fit.

GADGET's rounding as printed: a draw may exceed machines and links by factors of its theorem.
With every ring at one size, each draws its placement from the distribution that the relaxation
gives it, and nothing is repaired. The theorem (recalled, after Rost and Schmid on virtual
networks): with high probability a draw gains a third of the relaxation, and exceeds no limit r by
more than the factor ``1 + eps sqrt(2 Delta_r ln |V|)``. There eps is the largest part of any limit
that one worker, or one reservation, takes; Delta_r is the sum over rings of the square of how many
workers (or reservations) it can have there; V are the machines. Draws are made until one keeps
both.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import log
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...formulations.reserved.slot_master import RingSlotData, uses_of
from ...instances import Limits
from ...policies.reserved.planning import Placement, SlotCapacity
from ...simulation.reserved import Floats, fits
from .slot_lp import Relaxed, relaxed


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
    """Return for each ring the size with the largest gain times weight; 1 if it has no weight."""
    scores = [np.zeros(len(ask.gains) + 1) for ask in data.asks]
    for column, weight in zip(loose.columns, loose.weights.tolist(), strict=True):
        scores[column.ask][column.size] += column.gain * weight
    return [max(1, int(score.argmax())) for score in scores]


def repair(data: RingSlotData, drawn: dict[int, Placement]) -> dict[int, Placement]:
    """Keep the placements that fit, the largest gains first, and place the other rings anew.

    Rings are numbered as in `data.asks` in what is drawn, and as in the instance in the answer.
    """
    capacity, held = SlotCapacity(data.model), dict[int, Placement]()
    asks = data.asks
    for i in sorted(drawn, key=lambda i: -sum(asks[i].gains[: sum(drawn[i].values())])):
        if capacity.take(asks[i].job, drawn[i]):
            held[asks[i].job] = drawn[i]
    left = [ask for ask in asks if ask.job not in held]
    for ask in sorted(left, key=lambda ask: -sum(ask.gains)):
        placement = capacity.place(ask.job, len(ask.gains))
        if placement and capacity.take(ask.job, placement):
            held[ask.job] = placement
    return held


def gain_of(data: RingSlotData, held: dict[int, Placement]) -> float:
    """Return what the rings gain with these placements."""
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
        drawn: dict[int, Placement] = {}
        for ask, chance in enumerate(rng.random(len(self._columns)).tolist()):
            reached = bisect_right(list(accumulate(self._weights[ask])), chance)
            if reached < len(self._columns[ask]):
                drawn[ask] = self._columns[ask][reached]
        return drawn


THIRD = 1 / 3
"""The part of the relaxation over one size that a draw gains with high probability."""


class SoftDraw(NamedTuple):
    """A draw, and how full it makes everything: 1 is as much as there is."""

    held: dict[int, Placement]
    """By ring, numbered as in the instance."""
    gain: float
    machine: float
    """The fullest resource of a machine."""
    link: float
    """The fullest link, of a machine or a rack."""
    kept: bool
    """Whether no limit is exceeded by more than its factor."""


class SoftSlot(NamedTuple):
    """What a slot's relaxations are worth, the printed factors, and draws."""

    loose: float
    """The relaxation over all sizes: no way to fill the slot gains more."""
    tight: float
    """That over one size for each ring."""
    machine: float
    """The largest printed factor of a resource of a machine."""
    link: float
    """That of a link."""
    draws: Sequence[SoftDraw]

    @property
    def first(self) -> int | None:
        """The first draw that gains a third and keeps all factors; None if there is none."""
        fine = (
            i for i, draw in enumerate(self.draws) if draw.kept and draw.gain >= THIRD * self.tight
        )
        return next(fine, None)


def soft_slot(data: RingSlotData, tries: int, rng: Generator) -> SoftSlot:
    """Solve the relaxations of a slot, and draw that often."""
    loose = relaxed(data, [range(1, len(ask.gains) + 1) for ask in data.asks], Limits())
    sizes = chosen_sizes(data, loose)
    tight = relaxed(data, [{size} for size in sizes], Limits(), loose.columns)
    law, factors = PlacementLaw(data, tight), printed_factors(data, sizes)
    split = data.model.capacity.size
    draws = [_drawn(data, law.draw(rng), factors) for _ in range(tries)]
    machine, link = (float(part.max(initial=1.0)) for part in (factors[:split], factors[split:]))
    return SoftSlot(loose.gain, tight.gain, machine, link, draws)


def _drawn(data: RingSlotData, drawn: Mapping[int, Placement], factors: Floats) -> SoftDraw:
    held = {data.asks[ask].job: placement for ask, placement in drawn.items()}
    full, split = fullness(data, held), data.model.capacity.size
    machine, link = (float(part.max(initial=0.0)) for part in (full[:split], full[split:]))
    return SoftDraw(held, gain_of(data, held), machine, link, bool((full <= factors).all()))


def fullness(data: RingSlotData, held: Mapping[int, Placement]) -> Floats:
    """Return how full placements make every limit: 1 is all there is of it."""
    limits = _limits(data)
    taken = np.zeros_like(limits)
    for job, placement in held.items():
        for place, amount in uses_of(data.model, job, placement):
            taken[place] += amount
    return np.divide(taken, limits, out=np.zeros_like(taken), where=taken > 0)


def printed_factors(data: RingSlotData, sizes: Sequence[int]) -> Floats:
    """Return the factor of every limit, with rings of these sizes; 1 where none can be exceeded."""
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
