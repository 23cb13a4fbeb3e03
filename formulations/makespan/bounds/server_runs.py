"""What jobs pay at least for the pieces of their rings, at given prices, in whole numbers.

A job runs inside one server, or across servers with some units of overhead; and then some
slots are calm and some crowded (`crowding.py`). Every slot of every piece has its price.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....instances import RingJob
from ..data import ProgramData
from ..rates import two_rates, units_of

Ints = NDArray[np.int64]

NEVER = -(2**62)
"""What a room is worth that cannot be filled."""

NEED = 2**50
"""The work of every job; its rates are parts of that, rounded up."""

PARTS = 256
"""In continuous time a slot has this many parts, and runs are rounded down to whole ones."""

LONG = 2_000
"""Runs of more slots are not rounded up to whole slots."""

FOREVER = 2**26
"""No run is paid for more slots, so that costs are sums of 64 bits."""

MOST_OPTIONS = 4
"""Up to this many units of overhead are distinguished; rings with more count as the last."""


class SlotPrices(NamedTuple):
    """What a slot costs inside one server, by GPUs, and for a piece of a ring.

    `pieces` has a row for each size, from 0 on, and a column each for calm and crowded servers.
    """

    inside: dict[int, int]
    pieces: Ints


class Option(NamedTuple):
    """How a job may be spread: its units, the most pieces, and the most GPUs in one of them."""

    units: int
    pieces: int
    largest: int


class Offer(NamedTuple):
    """The cheapest pieces for each option: costs, and counts by size, calm and crowded."""

    costs: Ints
    counts: Ints


class Bought(NamedTuple):
    """The cheapest runs of some jobs: cost, slots inside one server, slots of pieces."""

    cost: int
    inside: int
    pieces: Ints


def options(data: ProgramData, job: RingJob) -> list[Option]:
    """Return how a job may be spread, by units.

    It may have fewer pieces, or smaller ones, than its units allow: with the units of those it
    is no slower. The last option is open to all others.
    """
    form, units = data.instance.overhead, units_of(data, job.name)[:MOST_OPTIONS]
    most, top = min(job.gpus, len(data.sizes)), min(job.gpus - 1, max(data.sizes.values()))
    few, small = form == "paper", form == "max_workers_per_server"
    return [
        Option(n, n if few and n < units[-1] else most, n if small and n < units[-1] else top)
        for n in units
    ]


def offer(gpus: int, choices: list[Option], prices: SlotPrices) -> Offer:
    """Return the cheapest pieces for a job of `gpus` GPUs."""
    sizes = len(prices.pieces)
    costs = np.zeros((len(choices), 2), np.int64)
    counts = np.zeros((len(choices), sizes, 2), np.int64)
    nothing = np.full(gpus + 1, NEVER)
    nothing[0] = 0
    for i, (_, pieces, largest) in enumerate(choices):
        for level in (0, 1):
            table, layers = fill(nothing, -prices.pieces[: largest + 1, level], pieces)
            costs[i, level] = -table[gpus]
            counts[i, :, level], _ = taken(layers, gpus, sizes)
    return Offer(costs, counts)


class Runs:
    """Jobs of equal size, each with its shortest time inside one server, and all their runs."""

    def __init__(
        self,
        data: ProgramData,
        jobs: Sequence[tuple[RingJob, Fraction]],
        choices: list[Option],
        longest: int = FOREVER,
    ) -> None:
        """Find the rates of the jobs; of a run, no more slots than `longest` are paid for."""
        self.gpus, self.choices = jobs[0][0].gpus, choices
        slotted = data.instance.progress != "continuous"
        self.parts = 1 if slotted else PARTS
        self._most = min(FOREVER, longest * self.parts)
        self._inside = None
        if data.fits(jobs[0][0].name):
            least = [min(self._most, int(slots * self.parts)) for _, slots in jobs]
            self._inside = np.array(least, np.int64)
        fastest = NEED if slotted else 2 * NEED * PARTS
        rates = [_shares(data, job, choices, fastest) for job, _ in jobs]
        self._rates = np.array(rates, np.int64).reshape(len(jobs), len(choices), 2)
        self._long = not slotted or bool((self._rates[:, :, 0] * LONG < NEED).any())

    def cheapest(self, prices: SlotPrices, offered: Offer) -> Bought:
        """Return the cheapest run of every job, summed up."""
        count = len(self._rates)
        best, slots = np.full(count, -NEVER), np.zeros((count, 2), np.int64)
        chosen = np.full(count, -1)
        if self._inside is not None:
            best = self._inside * prices.inside[self.gpus]
        for i, costs in enumerate(offered.costs):
            run, cost = self._cheapest(self._rates[:, i], costs)
            cheaper = cost < best
            best, chosen = np.where(cheaper, cost, best), np.where(cheaper, i, chosen)
            slots[cheaper] = run[cheaper]
        pieces = np.zeros_like(prices.pieces)
        for i, counts in enumerate(offered.counts):
            pieces += counts * slots[chosen == i].sum(axis=0)
        inside = 0 if self._inside is None else int(self._inside[chosen < 0].sum())
        return Bought(sum(best.tolist()), inside, pieces)

    def _cheapest(self, rates: Ints, costs: Ints) -> tuple[Ints, Ints]:
        """Return the calm and the crowded slots of the cheapest run of every job, and its cost.

        Where a rate is 0 no run ends: it costs more than any other.
        """
        jobs = np.arange(len(rates))
        calm, crowded = np.maximum(rates, 1).T
        if self._long:
            ends = np.minimum(self._most, NEED * self.parts // np.maximum(rates, 1))
            worth = np.where(rates > 0, ends * costs, -NEVER)
            kept = worth.argmin(axis=1)
            return np.where(np.arange(2) == kept[:, None], ends, 0), worth[jobs, kept]
        first = np.arange(int((-(-NEED // calm)).max(initial=0)) + 1)
        left = np.maximum(0, NEED - first * calm[:, None])
        rest = np.minimum(self._most, -(-left // crowded[:, None]))
        ended = (left == 0) | (rates[:, 1:] > 0)
        worth = np.where(ended, first * costs[0] + rest * costs[1], -NEVER)
        kept = worth.argmin(axis=1)
        return np.array([first[kept], rest[jobs, kept]]).T, worth[jobs, kept]


def _shares(
    data: ProgramData, job: RingJob, choices: list[Option], fastest: int
) -> list[tuple[int, ...]]:
    """Return calm and crowded rates; work done within a slot, or a part of it, is all alike."""
    rates = two_rates(data.instance, job, [one.units for one in choices])
    return [
        tuple(min(fastest, ceil(NEED * rate / job.iterations)) for rate in rates[one.units])
        for one in choices
    ]


def fill(start: Ints, worth: Ints, most: int) -> tuple[Ints, list[Ints]]:
    """Return the best worth of every room, and which pieces were added to it, layer by layer.

    `start` is the worth of each room before, `worth` that of a piece by its size, nothing for
    size 0; at most `most` pieces are added. A dynamic program in whole numbers.
    """
    left = np.arange(len(start))[:, None] - np.arange(len(worth))
    before = np.maximum(left, 0)
    table, layers = start, list[Ints]()
    for _ in range(most):
        can = (left >= 0) & (table[before] != NEVER)
        sums = np.where(can, table[before] + worth, NEVER)
        added = sums.argmax(axis=1)
        if not added.any():
            break
        table = sums.max(axis=1)
        layers.append(added)
    return table, layers


def taken(layers: list[Ints], room: int, sizes: int) -> tuple[Ints, int]:
    """Return how many pieces of each size below `sizes` are in a room, and what room is left."""
    counts = np.zeros(sizes, np.int64)
    for added in reversed(layers):
        counts[added[room]] += 1
        room -= int(added[room])
    counts[0] = 0
    return counts, room
