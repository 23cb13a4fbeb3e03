"""Widths by epoch if a change of width makes a job pause: a dynamic program by type.

At a price of a GPU, the epochs of a type are divided into blocks of one width each. A block costs
its hours and GPU-hours and, unless it is the first, the stall before it. The best width of a block
is found alone, and the best blocks by the cheapest path over the ends of epochs. The price is
bisected. The plans on either side of the budget differ in some types, which switch to the dearer
plan in turn, the last with a share of its jobs. A stall makes widths change at prices at which no
class alone would change its own. The bisection therefore begins with a search for two prices whose
spends enclose the budget.

A plan that changes width within an epoch is no better: its cost is linear in the place of the
change. This is therefore the optimum of all plans with random widths of jobs, as far as the widths
of blocks are best. They are for power laws and Amdahl's law, where the cost is convex in the
logarithm of the width. With tables they are the best of many, among them all points and, of whole
widths, the first thousand.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...instances import NO_LIMITS, Limits, RefusedError
from ...instances.speedup import MOST_GPUS
from .dual import HALVINGS, SLACK, Floats, Streams, in_turn, price_range, speed
from .plan import JobShare, JobShares, steady

GRIDS = (65, *9 * (17,))
"""Widths tried for a block in rounds. The next round lies between the neighbours of the best.

They leave a relative error of 1e-8 in a width, where costs are level.
"""

MOST_TRIED = 1000
"""Whole widths tried one by one if there are tables."""

MOST_SUMMED = 250_000
"""Epochs in all blocks: a round takes some microseconds for one of them, without a look at the
clock in between."""

KEPT = 128
"""Prices whose plans are kept: budgets that are close have most of theirs in common."""

LOWEST, HIGHEST, STEP = 1e-22, 1e15, 1000.0
"""Prices, for weights of 1, beyond which floating point loses either the GPUs or the hours of a
cost; and the factor between two prices in the search for an enclosure of the budget."""

NEAR = 1e-6
"""Widths closer than this, in proportion, are one width."""


class Resized(NamedTuple):
    """The best plan for a budget, with its price as in `dual`."""

    shares: JobShares
    nu: float
    gain_h: float
    mean_jct: float
    mean_gpus: float


class _Blocks:
    """Epochs of a type from one to another, for all types and pairs."""

    def __init__(self, streams: Streams, stall_h: float) -> None:
        self.first: list[int] = []
        self.last: list[int] = []
        for own in streams.by_type():
            for start in own:
                for stop in own[own >= start]:
                    self.first.append(int(start))
                    self.last.append(int(stop))
        spans = zip(self.first, self.last, strict=True)
        self._members = [np.arange(start, stop + 1) for start, stop in spans]
        members = np.concatenate(self._members)
        sizes = [len(one) for one in self._members]
        self._block = np.repeat(np.arange(len(sizes)), sizes)
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._streams = streams.only(members)
        self._whole = streams.whole
        self._weight = streams.weight[self.first]
        later = streams.epoch[self.first] > 0
        self._stall = stall_h * streams.rates[streams.type[self.first]] * later
        self._points = _points(streams, self.first, self.last)

    def best(self, nu: float, limits: Limits) -> tuple[Floats, Floats, Floats]:
        """Return the best widths at a price, with hours and GPU-hours per hour, by block.

        Once the time is up they are those of the round so far.
        """
        low, high = np.ones(len(self.first)), np.full(len(self.first), float(MOST_GPUS))
        known = self._points
        for turn, size in enumerate(GRIDS):
            if turn and limits.over():
                break
            tried = np.geomspace(low, high, size)
            if self._whole:
                tried = np.rint(tried)
            tried = np.concatenate([tried, known])
            cost = self._time(tried) * (self._weight + nu * tried)
            best = tried[cost.argmin(axis=0), np.arange(tried.shape[1])]
            low = np.where(tried < best, tried, low).max(axis=0)
            high = np.where(tried > best, tried, high).min(axis=0)
            known = best[None]
        time = self._time(best[None])[0]
        return best, time, time * best

    def _time(self, widths: Floats) -> Floats:
        """Return hours per hour at widths, stalls included, by block."""
        took = self._streams.load / speed(self._streams, widths[:, self._block])
        return np.asarray(np.add.reduceat(took, self._starts, axis=1) + self._stall)


def _points(streams: Streams, first: list[int], last: list[int]) -> Floats:
    """Return the widths of tables that are tried, a column for each block, filled up with 1."""
    columns = []
    starts, stops = (
        np.searchsorted(streams.tabled, first),
        np.searchsorted(streams.tabled, last, "right"),
    )
    for start, stop in zip(starts, stops, strict=True):
        rows = streams.gpus[start:stop]
        known = np.unique(rows[np.isfinite(rows)])
        if streams.whole and known.size:
            known = np.arange(1.0, min(np.ceil(known[-1]), MOST_TRIED) + 1)
        columns.append(known)
    found = np.ones((max(len(column) for column in columns), len(columns)))
    for b, column in enumerate(columns):
        found[: len(column), b] = column
    return found


class _Plan(NamedTuple):
    """The best plan at a price, with hours (weighted) and GPU-hours per hour, by type."""

    widths: Floats
    hours: Floats
    gpus: Floats


class Resizer:
    """The best plans of streams in which a change of width costs `stall_h`.

    Raises:
        RefusedError: If jobs have too many epochs.
    """

    def __init__(self, streams: Streams, stall_h: float) -> None:
        """Lay out the blocks."""
        sizes = [len(own) for own in streams.by_type()]
        if (summed := sum(n * (n + 1) * (n + 2) // 6 for n in sizes)) > MOST_SUMMED:
            raise RefusedError(
                f"the spans of epochs with one width have {summed:,} epochs in total, more than "
                f"{MOST_SUMMED:,}. Merge epochs or types, or set rescale_s to 0."
            )
        self._streams, self._blocks = streams, _Blocks(streams, stall_h)
        self._stall_h = stall_h
        self._plan = lru_cache(maxsize=KEPT)(self._planned)
        self._limits = NO_LIMITS

    def best(self, budget: float, limits: Limits = NO_LIMITS) -> Resized | None:
        """Return the best plan for a budget, or None if there is no plan.

        Once the time is up price and widths are not refined, and the plan is worse for it.
        """
        self._keep_to(limits)
        low, high = self._price_range(budget)
        many, few = self._plan(low), self._plan(high)
        if few.gpus.sum() > budget * (1 + SLACK):
            return None
        rich = many.gpus.sum() <= budget
        for _ in range(HALVINGS):
            if rich or limits.over():
                break
            middle = float(np.sqrt(low * high))
            plan = self._plan(middle)
            if plan.gpus.sum() > budget:
                low, many = middle, plan
            else:
                high, few = middle, plan
        return self._mixed(few, many, budget, 0.0 if rich else high)

    def least_gpus(self) -> float:
        """Return the fewest GPUs that any plan pays for, stalls included."""
        self._keep_to(NO_LIMITS)
        return self._spent(self._highest())

    def _keep_to(self, limits: Limits) -> None:
        if limits is not self._limits:  # Rebuild plans cut short by another limit.
            self._plan.cache_clear()
        self._limits = limits

    def _highest(self) -> float:
        return HIGHEST * float(self._streams.weight.max())

    def _price_range(self, budget: float) -> tuple[float, float]:
        """Return a price that spends more than a budget and one that does not.

        If there is no such price, it is the last one that makes a difference. Without stalls the
        prices of the classes are enough, and the search is skipped once the time is up.
        """
        low, high = price_range(self._streams)
        if not self._stall_h:
            return low, high
        lowest, highest = LOWEST * float(self._streams.weight.min()), self._highest()
        while low > lowest and self._spent(low) <= budget and not self._limits.over():
            low = max(low / STEP, lowest)
        while high < highest and self._spent(high) > budget and not self._limits.over():
            high = min(high * STEP, highest)
        return low, high

    def _spent(self, nu: float) -> float:
        return float(self._plan(nu).gpus.sum())

    def _mixed(self, few: _Plan, many: _Plan, budget: float, nu: float) -> Resized:
        """Return the plan in which types go over to the dearer of two while the budget lasts."""
        part = np.ones(len(few.gpus))
        if nu:
            part = in_turn(many.gpus - few.gpus, budget - few.gpus.sum())
        hours = (few.hours + part * (many.hours - few.hours)).sum()
        return Resized(
            shares=[
                _shares(few.widths[own], many.widths[own], part[i])
                for i, own in enumerate(self._streams.by_type())
            ],
            nu=nu,
            gain_h=nu / self._streams.worth,
            mean_jct=float(hours) / self._streams.worth,
            mean_gpus=float((few.gpus + part * (many.gpus - few.gpus)).sum()),
        )

    def _planned(self, nu: float) -> _Plan:
        """Return the cheapest blocks of every type at a price."""
        streams, blocks = self._streams, self._blocks
        best, time, held = blocks.best(nu, self._limits)
        weight = streams.weight[blocks.first]
        cost, later = (weight * time + nu * held).tolist(), (streams.epoch > 0).tolist()
        widths = np.empty(len(streams.type))
        hours, gpus = np.zeros(len(streams.rates)), np.zeros(len(streams.rates))
        # Blocks come by first epoch: all paths to a block's start are known before the block.
        total: dict[int, float] = {}
        through: dict[int, int] = {}
        for b, (first, last) in enumerate(zip(blocks.first, blocks.last, strict=True)):
            so_far = total[first - 1] if later[first] else 0.0
            if last not in total or so_far + cost[b] < total[last]:
                total[last], through[last] = so_far + cost[b], b
        for own in streams.by_type():
            end = int(own[-1])
            while end >= own[0]:
                b = through[end]
                widths[blocks.first[b] : end + 1] = best[b]
                hours[streams.type[end]] += weight[b] * time[b]
                gpus[streams.type[end]] += held[b]
                end = blocks.first[b] - 1
        return _Plan(widths, hours, gpus)


def _shares(few: Floats, many: Floats, part: float) -> list[JobShare]:
    """Return the widths of a type that gives the larger ones to a fraction of its jobs."""
    if np.allclose(few, many, rtol=NEAR, atol=0):
        return [steady(1.0, few + part * (many - few))]
    shares = [steady(1 - part, few), steady(part, many)]
    return [one for one in shares if one.share > 0]
