"""A lower bound from the capacity of one GPU: the load limit of least slots, in exact fractions.

In a schedule that ends by H, each GPU processes a set of jobs in sequence, each for its least slots
or longer, and not before its release. Each job is in the sets of w_j GPUs. If the fewest sets,
fractions allowed, that cover every job w_j times outnumber the GPUs, no schedule ends by H. The
sets are generated: at prices of jobs, dynamic programming in whole numbers finds the dearest set
that a GPU can finish by H. A set for H is also a set for H + 1, so sets are kept.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, gcd
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formulations.covering import CLOSE, SCALE, covering
from ....instances import NO_LIMITS, Bound, BoundKind, Limits, MakespanInstance
from ....simulation.jit import entry
from ....simulation.makespan.evaluate import never_ends
from .counting import TimedJob, exclusions, tasks_of, weight

MOST_CELLS = 2**26
"""Larger tables are made coarser."""

MOST_PRICED = 2**62
"""Prices of all jobs together stay below this, so that sums of them fit into 64 bits."""

DEAR = round(SCALE * (1 + CLOSE))
"""Sets worth more than this make the program's value smaller."""

Whole = NDArray[np.int64]


class ItemKind(NamedTuple):
    """Jobs that are alike: each has `width` GPUs, and is in the sets of `gpus` GPUs."""

    release: int
    slots: int
    gpus: int
    jobs: int
    width: int = 0


class Refuted(NamedTuple):
    """Prices of kinds at which no schedule ends by a slot. Table entries have `grain` slots."""

    by: int
    prices: Whole
    grain: int


class Knapsack:
    """A table over jobs in order of release, and the slot by which a GPU is done.

    With `grain` slots per entry, lengths, releases and ends are rounded down. A set that fits still
    does, because the rounded parts of a sum are at most the rounded sum. The dearest set may only
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
    """Fill `most`, the price of the dearest set by each end, and return the set for the last end.

    A job of price 0 is left out.
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
"""Numbers of parts in which jobs are counted that are tried."""


def load_bound(
    instance: MakespanInstance, limits: Limits, until: Fraction | None = None
) -> Bound | None:
    """Return the bound proved until the time limit, or None in continuous time.

    The bound is at most `until`, the makespan of a known schedule.
    """
    if instance.progress == "continuous" or never_ends(instance):
        return None
    tasks = tasks_of(instance)
    gpus = sum(server.gpus for server in instance.cluster.servers)
    work = sum(task.gpus * task.slots for task in tasks)
    last = max(tasks, key=lambda task: task.release + task.slots)
    value = max(ceil(work / gpus), ceil(last.release + last.slots))
    steps: list[dict[str, Any]] = [
        {"rule": "area", "from": 0},
        {"rule": "longest job", "job": last.name},
    ]
    counted = ""
    for places in (0, *_promising(tasks, gpus, value)):
        kinds, enough = _kinds(tasks, gpus, places)
        refuted = _refuted(kinds, enough, value, limits, until)
        if refuted is not None:
            value, steps = refuted.by + 1, [_step(kinds, places, refuted)]
            counted = f", counted in {places + 1}ths of all GPUs" if places else ""
    argument = (
        f"no schedule ends by slot {value - 1}: even if each GPU could run fractional sets of jobs "
        f"back to back, serving every job would take more than {gpus} GPUs{counted}"
    )
    return Bound(
        value=Fraction(value),
        kind=BoundKind.DUAL,
        name="loads",
        argument=argument,
        proof=tuple(steps),
    )


def gpus_needed(instance: MakespanInstance, horizon: int) -> float:
    """Return the fewest GPUs, as a float, whose (fractional) sets end all jobs by `horizon`."""
    gpus = sum(server.gpus for server in instance.cluster.servers)
    kinds, _ = _kinds(tasks_of(instance), gpus, 0)
    return _SetCover(kinds, gpus, horizon, NO_LIMITS).least(horizon)


def _step(kinds: list[ItemKind], places: int, refuted: Refuted) -> dict[str, Any]:
    """Return the step of a certificate: prices of jobs, by release, slots and GPUs."""
    prices = refuted.prices.tolist()
    priced, unit = zip(kinds, prices, strict=True), gcd(*prices)
    return {
        "rule": "loads",
        "by": refuted.by,
        **({"places": places} if places else {}),
        **({"grain": refuted.grain} if refuted.grain > 1 else {}),
        "prices": [
            [kind.release, kind.slots, kind.width, price // unit] for kind, price in priced if price
        ],
    }


def _promising(tasks: Sequence[TimedJob], gpus: int, value: int) -> list[int]:
    """Return the numbers of places with the most work, unless it is far too little.

    Sets more than half full suffice for this, so half the work gains nothing.
    """
    found = exclusions(tasks, gpus)[:MOST_COUNTED]
    return [places for tail, places in found if 2 * tail.value > value]


def _kinds(tasks: Sequence[TimedJob], gpus: int, places: int) -> tuple[list[ItemKind], int]:
    """Return the jobs by release, and the number of sets that there can be.

    With places, a job is in as many sets as it weighs, and there are `places` x `gpus`.
    """
    alike = Counter((int(task.release), int(task.slots), task.gpus) for task in tasks)
    if not places:
        return [ItemKind(*key, jobs, key[2]) for key, jobs in sorted(alike.items())], gpus
    weighed = [
        ItemKind(release, slots, weight(width, gpus, places), jobs, width)
        for (release, slots, width), jobs in sorted(alike.items())
    ]
    part = gcd(places * gpus, *(kind.gpus for kind in weighed))
    return [
        kind._replace(gpus=kind.gpus // part) for kind in weighed if kind.gpus
    ], places * gpus // part


def _refuted(
    kinds: list[ItemKind], enough: int, horizon: int, limits: Limits, until: Fraction | None
) -> Refuted | None:
    """Return the last refuted horizon from `horizon` on, if any. `until` is enough."""
    if not kinds or limits.over():
        return None
    cover, found = _SetCover(kinds, enough, horizon, limits), None
    while not limits.over() and (until is None or horizon < until):
        further = cover.refute(horizon, limits)
        if further is None:
            break
        found, horizon = further, further.by + 1
    return found


class _SetCover:
    """The fewest sets that cover all jobs, among the sets known so far."""

    def __init__(self, kinds: list[ItemKind], gpus: int, horizon: int, limits: Limits) -> None:
        self._kinds, self._gpus = kinds, gpus
        self._needs = np.array([kind.gpus * kind.jobs for kind in kinds])
        self._program = covering([float(need) for need in self._needs])
        self._knapsack = Knapsack(kinds, horizon + horizon // 4)
        for kind in range(len(kinds)):
            self._program.add_column(1.0, [kind], [1.0])
        part = 1 + sum(kind.slots * kind.jobs for kind in kinds) // MOST_PRICED
        self._extend(np.array([kind.slots // part for kind in kinds]), horizon, 0, limits)

    def refute(self, horizon: int, limits: Limits) -> Refuted | None:
        """Return prices by which no schedule ends by `horizon`, or perhaps later, if any."""
        if self._knapsack.horizon < horizon:
            self._knapsack = Knapsack(self._kinds, horizon + horizon // 4)
        while not limits.over():
            found = self._program.solve()
            if found.value <= self._gpus + CLOSE:
                break
            prices = _whole(found.duals)
            last = self._last(prices)
            if last >= horizon:
                return Refuted(last, prices, self._knapsack.grain)
            if not self._extend(prices, horizon, DEAR, limits):
                break
        return None

    def least(self, horizon: int) -> float:
        """Return the fewest sets, fractions allowed, once no other set makes them fewer."""
        while True:
            found = self._program.solve()
            if not self._extend(_whole(found.duals), horizon, DEAR, NO_LIMITS):
                return float(found.value)

    def _last(self, prices: Whole) -> int:
        """Return the last slot, as far as the table goes, by which the jobs are worth too much."""
        worth = sum(int(need) * int(price) for need, price in zip(self._needs, prices, strict=True))
        most = self._knapsack.most(prices)
        cells = int(np.searchsorted(most, -(-worth // self._gpus)))
        return min(cells * self._knapsack.grain - 1, self._knapsack.horizon)

    def _extend(self, prices: Whole, horizon: int, least: int, limits: Limits) -> bool:
        """Add sets worth more than `least` that share few jobs. Return True if there are any."""
        new = False
        for kinds, jobs in self._apart(prices, horizon, least):
            self._program.add_column(1.0, kinds.tolist(), jobs.tolist())
            new = True
            if limits.over():
                break
        return new

    def _apart(self, prices: Whole, horizon: int, least: int) -> Iterator[tuple[Whole, Whole]]:
        """Yield the dearest set at its greatest multiplicity, then the next over remaining jobs."""
        left = self._needs.copy()
        while True:
            worth, kinds, jobs = self._knapsack.dearest(np.where(left > 0, prices, 0), horizon)
            if worth <= least:
                return
            yield kinds, jobs
            left[kinds] -= jobs * max(1, int((left[kinds] // jobs).min()))


def _whole(duals: NDArray[np.float64]) -> Whole:
    """Return prices as whole multiples of a small unit."""
    return np.rint(np.clip(duals, 0, 1) * SCALE).astype(np.int64)
