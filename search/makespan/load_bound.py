"""A lower bound from what one GPU can do: the load limit of least slots, in exact fractions.

In a schedule that ends by H, each GPU works through a set of jobs one after the other, each
for its least slots or longer, and not before its release; and each job is in the sets of w_j
GPUs. So if the fewest sets, fractions allowed, that cover every job w_j times are more than
there are GPUs, no schedule ends by H. The sets are generated: at prices of jobs, the dearest
set that a GPU can finish by H is found by dynamic programming in whole numbers. What is a set
by H is one by H + 1, so they are kept.

The dearest set of jobs that one GPU can finish by a given slot, in whole numbers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...formulations.covering import CLOSE, SCALE, covering
from ...instances import Bound, BoundKind, Limits, MakespanInstance
from ...simulation.jit import entry
from ...simulation.makespan.extremes import never_ends
from .tasks import TimedJob, exclusions, tasks_of, weight

MOST_CELLS = 2**26
"""Larger tables are made coarser."""

Whole = NDArray[np.int64]


class ItemKind(NamedTuple):
    """Jobs that are alike."""

    release: int
    slots: int
    gpus: int
    jobs: int


class Knapsack:
    """A table over jobs, in the order of release, and the slot by which a GPU is done.

    With `grain` slots to a cell, lengths, releases and ends are rounded down. What fits still
    does, as the rounded parts of a sum are at most the sum, rounded: the dearest set may only
    look dearer.
    """

    def __init__(self, kinds: list[ItemKind], horizon: int, cells: int = MOST_CELLS) -> None:
        """Make room for ends up to `horizon`."""
        copies = [min(kind.jobs, (horizon - kind.release) // kind.slots) for kind in kinds]
        self.horizon = horizon
        self.grain = -(-sum(copies) * (horizon + 1) // cells)
        self._kinds = np.repeat(np.arange(len(kinds)), copies)
        self._lengths = np.array([kind.slots // self.grain for kind in kinds])[self._kinds]
        self._releases = np.array([kind.release // self.grain for kind in kinds])[self._kinds]
        self._most = np.zeros(horizon // self.grain + 1, np.int64)
        self._take = np.empty((len(self._kinds), len(self._most)), np.bool_)

    def most(self, prices: Whole) -> Whole:
        """Return the price of the dearest set by each end, at these prices of kinds."""
        self._fill(prices, self.horizon)
        return self._most.copy()

    def dearest(self, prices: Whole, end: int) -> tuple[int, Whole, Whole]:
        """Return the price of the dearest set by `end`, its kinds, and how many jobs of each."""
        chosen = self._fill(prices, end)
        kinds, jobs = np.unique(self._kinds[chosen], return_counts=True)
        return int(prices[kinds] @ jobs), kinds, jobs

    def _fill(self, prices: Whole, end: int) -> Whole:
        cell = end // self.grain
        each = prices[self._kinds]
        return _fill(self._lengths, self._releases, each, self._most[: cell + 1], self._take)


@entry
def _fill(
    lengths: Whole, releases: Whole, prices: Whole, most: Whole, take: NDArray[np.bool_]
) -> Whole:
    """Fill `most`, the price of the dearest set by each end; return the set for the last end.

    A job of no price is left out.
    """
    most[:] = 0
    last = most.size - 1
    for job in range(lengths.size):
        length, price, row = lengths[job], prices[job], take[job]
        if price <= 0:
            continue
        for end in range(last, releases[job] + length - 1, -1):
            row[end] = most[end - length] + price > most[end]
            if row[end]:
                most[end] = most[end - length] + price
    chosen = np.empty(lengths.size, np.int64)
    count = 0
    for job in range(lengths.size - 1, -1, -1):
        if prices[job] > 0 and last >= releases[job] + lengths[job] and take[job, last]:
            chosen[count] = job
            count += 1
            last -= lengths[job]
    return chosen[:count]


MOST_COUNTED = 2
"""Ways to count jobs in parts of the cluster that are tried."""


def load_bound(
    instance: MakespanInstance, limits: Limits, until: Fraction | None = None
) -> Bound | None:
    """Return the bound, or None in continuous time; when time is up, what is proved by then.

    No more is proved than `until`, the makespan of a schedule at hand.
    """
    if instance.progress == "continuous" or never_ends(instance):
        return None
    tasks = tasks_of(instance)
    gpus = sum(server.gpus for server in instance.cluster.servers)
    work = sum(task.gpus * task.slots for task in tasks)
    value = max(ceil(work / gpus), *(ceil(task.release + task.slots) for task in tasks))
    counted = ""
    for places in (0, *_promising(tasks, gpus, value)):
        kinds, enough = _kinds(tasks, gpus, places)
        found = _least_horizon(kinds, enough, value, limits, until)
        if found > value:
            value, counted = found, f", in whole {places + 1}ths of all GPUs" if places else ""
    argument = (
        f"by slot {value - 1} a GPU cannot finish enough jobs: even parts of sets of jobs, one "
        f"after the other, take more than {gpus} GPUs to give every job its number{counted}"
    )
    return Bound(value=Fraction(value), kind=BoundKind.DUAL, name="loads", argument=argument)


def _promising(tasks: Sequence[TimedJob], gpus: int, value: int) -> list[int]:
    """Return the numbers of places with the most work, unless it is far from enough.

    Sets more than half full do, so nothing is to be gained from half the work.
    """
    found = exclusions(tasks, gpus)[:MOST_COUNTED]
    return [places for tail, places in found if 2 * tail.value > value]


def _kinds(tasks: Sequence[TimedJob], gpus: int, places: int) -> tuple[list[ItemKind], int]:
    """Return the jobs, the first released first, and how many sets there can be.

    With places, a job is in as many sets as it weighs, and there are `places` x `gpus`.
    """
    alike = Counter((int(task.release), int(task.slots), task.gpus) for task in tasks)
    if not places:
        return [ItemKind(*key, jobs) for key, jobs in sorted(alike.items())], gpus
    weighed = [
        ItemKind(release, slots, weight(width, gpus, places), jobs)
        for (release, slots, width), jobs in sorted(alike.items())
    ]
    part = gcd(places * gpus, *(kind.gpus for kind in weighed))
    return [
        kind._replace(gpus=kind.gpus // part) for kind in weighed if kind.gpus
    ], places * gpus // part


def _least_horizon(
    kinds: list[ItemKind], enough: int, horizon: int, limits: Limits, until: Fraction | None
) -> int:
    """Return the first horizon from `horizon` on that is not refuted, or that is `until`."""
    if not kinds or limits.over():
        return horizon
    cover = _SetCover(kinds, enough, horizon, limits)
    while not limits.over() and (until is None or horizon < until):
        after = cover.after(horizon, limits)
        if after == horizon:
            break
        horizon = after
    return horizon


class _SetCover:
    """The fewest sets that cover all jobs, among the sets known so far."""

    def __init__(self, kinds: list[ItemKind], gpus: int, horizon: int, limits: Limits) -> None:
        self._kinds, self._gpus = kinds, gpus
        self._needs = np.array([kind.gpus * kind.jobs for kind in kinds])
        self._program = covering([float(need) for need in self._needs])
        self._knapsack = _table(kinds, horizon)
        for kind in range(len(kinds)):
            self._program.add_column(1.0, [kind], [1.0])
        self._extend(np.array([kind.slots for kind in kinds]), horizon, 0, limits)

    def after(self, horizon: int, limits: Limits) -> int:
        """Return a horizon before which no schedule ends: `horizon` itself if need be."""
        if self._knapsack.horizon < horizon:
            self._knapsack = _table(self._kinds, horizon)
        while not limits.over():
            found = self._program.solve()
            if found.value <= self._gpus + CLOSE:
                break
            prices = np.rint(np.clip(found.duals, 0, 1) * SCALE).astype(np.int64)
            refuted = self._refuted(prices)
            if refuted >= horizon:
                return refuted + 1
            if not self._extend(prices, horizon, round(SCALE * (1 + CLOSE)), limits):
                break
        return horizon

    def _refuted(self, prices: Whole) -> int:
        """Return the last slot, as far as the table goes, by which the jobs are worth too much."""
        worth = sum(int(need) * int(price) for need, price in zip(self._needs, prices, strict=True))
        most = self._knapsack.most(prices)
        cells = int(np.searchsorted(most, -(-worth // self._gpus)))
        return min(cells * self._knapsack.grain - 1, self._knapsack.horizon)

    def _extend(self, prices: Whole, horizon: int, least: int, limits: Limits) -> bool:
        """Add sets worth more than `least` that share few jobs; say whether there are any."""
        new = False
        for kinds, jobs in self._apart(prices, horizon, least):
            self._program.add_column(1.0, kinds.tolist(), jobs.tolist())
            new = True
            if limits.over():
                break
        return new

    def _apart(self, prices: Whole, horizon: int, least: int) -> Iterator[tuple[Whole, Whole]]:
        """Yield the dearest set, used as often as it can be, then that of what is left, and on."""
        left = self._needs.copy()
        while True:
            worth, kinds, jobs = self._knapsack.dearest(np.where(left > 0, prices, 0), horizon)
            if worth <= least:
                return
            yield kinds, jobs
            left[kinds] -= jobs * max(1, int((left[kinds] // jobs).min()))


def _table(kinds: list[ItemKind], horizon: int) -> Knapsack:
    """Return a table that serves some horizons more."""
    return Knapsack(kinds, horizon + horizon // 4)
