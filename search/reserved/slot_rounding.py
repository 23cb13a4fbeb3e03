"""LP-RS-MDE: ring sizes by the relaxation, then random placements of these sizes.

Source: GADGET, its solver of a slot. The relaxation over all sizes names one size for each ring,
that with the largest gain times weight, which loses a factor of at most the largest number of sizes
(Gamma). The relaxation over these sizes gives each ring a distribution over placements. All rings
draw from theirs independently, many times, and the best draw counts.

As published a draw may exceed capacities, by the factors of the paper's theorem. Here they are
hard: rings whose placement does not fit any more, and those that drew none, are placed anew in the
order of their gain, with as many workers as fit.
"""

from bisect import bisect_right
from itertools import accumulate

import numpy as np
from numpy.random import Generator

from ...formulations.reserved.slot_master import RingSlotData
from ...instances import Limits
from ...policies.reserved.planning import Placement, SlotCapacity
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
