"""A lower bound by prices of GPUs at which every job looks for its cheapest plan.

Source: ours, after the decomposition of Dantzig and Wolfe 1960. The master program chooses
fractions of the plans known so far, within the GPUs of every interval. Its duals are prices. At
prices between these and the best ones so far every job proposes its cheapest plan. For any prices,
the sum of all ends is at least the cost of the cheapest plans, minus the cost of all GPUs.

The cheapest plan of a job at prices of GPUs: its end, and its GPUs until then. Source: ours. The
faster a job is, the more GPUs it may need per unit of work. Its work in a tick is therefore bought
in pieces of increasing cost. With the end given, the work goes to the cheapest places before it.
The later the end, the lower the cost, and the smaller the saving of each tick.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush, heapreplace
from itertools import pairwise
from math import ceil
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ...formulations.covering import covering
from ...formulations.program import Floats
from ...formulations.trace.busy_times import interval_starts
from ...formulations.trace.demand import Demand, Mode, demands, pools_by_kind
from ...instances import Bound, BoundKind, Limits, TraceInstance
from ..asked_bounds import AskedBounds
from .bounds import bound_of, combinatorial_bounds

Number = TypeVar("Number", float, Fraction)
"""Floating point for the search of prices, fractions for their proof."""


class Piece(NamedTuple, Generic[Number]):
    """Work that a tick can do beyond earlier pieces, and what it costs."""

    work: int
    cost: Number
    uses: tuple[tuple[int, int], ...]
    """More or fewer half GPUs that it uses of kinds, by number."""


class _Corner(NamedTuple, Generic[Number]):
    """A mode with its cost in a tick, or no mode."""

    rate: int
    cost: Number
    mode: Mode | None


def pieces_of(modes: Iterable[Mode], pays: Sequence[Number]) -> tuple[Piece[Number], ...]:
    """Return the pieces of a tick's work, by the corners of the convex hull of all modes.

    Half a GPU of kind k costs `pays[k]`.
    """
    corners = [_Corner(0, pays[0] - pays[0], None)]
    costs = ((mode, pays[mode.kind] * mode.halves) for mode in modes)
    for one in sorted(_Corner(mode.rate, cost, mode) for mode, cost in costs):
        while len(corners) > 1 and corners[-1].cost >= one.cost:
            corners.pop()
        if one.rate == corners[-1].rate:
            continue
        while len(corners) > 1 and not _bends(corners[-2], corners[-1], one):
            corners.pop()
        corners.append(one)
    return tuple(
        Piece(b.rate - a.rate, b.cost - a.cost, _change(a.mode, b.mode))
        for a, b in pairwise(corners)
    )


def _change(old: Mode | None, new: Mode | None) -> tuple[tuple[int, int], ...]:
    """Return the half GPUs of each kind by which a mode uses more than another."""
    found: dict[int, int] = {}
    for mode, sign in ((new, 1), (old, -1)):
        if mode is not None:
            found[mode.kind] = found.get(mode.kind, 0) + sign * mode.halves
    return tuple(found.items())


def _bends(first: _Corner[Number], middle: _Corner[Number], last: _Corner[Number]) -> bool:
    """Return True if the cost grows faster behind the middle than before it."""
    before, behind = middle.cost - first.cost, last.cost - middle.cost
    return before * (last.rate - middle.rate) < behind * (middle.rate - first.rate)


class Offers(Generic[Number]):
    """The pieces of a tick's work in each interval, by the prices of half GPUs of each kind."""

    def __init__(self, modes: Iterable[Mode], pays: Sequence[Sequence[Number]]) -> None:
        """Take the price of half a GPU by kind and interval."""
        self._modes = tuple(modes)
        self._pays: Sequence[Sequence[Number]] = pays
        self.number: type[Number] = type(pays[0][0])
        self._whole = pieces_of(modes, [1]) if len(pays) == 1 else None
        """The pieces at price 1, if there is one kind: they are the same at any price."""
        self._known: dict[int, tuple[list[Number], list[Number], tuple[Piece[Any], ...]]] = {}

    def of(self, k: int) -> tuple[list[Number], list[Number], tuple[Piece[Any], ...]]:
        """Return prices of units of work and the work of a tick, by piece, and the pieces."""
        if k not in self._known:
            if self._whole is not None:
                pieces: tuple[Piece[Any], ...] = self._whole
                prices = [self._pays[0][k] * piece.cost / piece.work for piece in pieces]
            else:
                pieces = pieces_of(self._modes, [row[k] for row in self._pays])
                prices = [piece.cost / piece.work for piece in pieces]
            self._known[k] = prices, [self.number(piece.work) for piece in pieces], pieces
        return self._known[k]


class JobPlan(NamedTuple, Generic[Number]):
    """A plan's cost including its end, and the half GPUs times ticks that it holds."""

    cost: Number
    end: Number
    held: dict[tuple[int, int], Number]
    """By kind and interval."""


class _Purchase(Generic[Number]):
    """Work of a job in the cheapest places, at most its need."""

    def __init__(self, need: Number) -> None:
        self._need: Number = need
        """Work that has no place yet."""
        self._heap: list[tuple[Number, int, int, Number]] = []
        """Negated price of a unit, interval, number of the piece, and the work."""
        self.cost: Number = need - need

    def add(self, prices: Sequence[Number], works: Sequence[Number], at: int) -> None:
        """Offer work of pieces in an interval, the cheapest piece first."""
        for piece, (price, work) in enumerate(zip(prices, works, strict=True)):
            if self._need <= 0 and price >= -self._heap[0][0]:
                break
            heappush(self._heap, (-price, at, piece, work))
            self._need -= work
            self.cost += price * work
        while self._need < 0:
            work = self._heap[0][3]
            over = min(work, -self._need)
            self._take(over)
            self._need += over

    def save(
        self, prices: Sequence[Number], works: Sequence[Number], at: int, room: Number
    ) -> Number:
        """Add ticks of an interval, up to some, as long as each saves more than a tick."""
        ticks: Number = room - room
        while ticks < room:
            dearest = -self._heap[0][0]
            better = [(p, w, k) for k, (p, w) in enumerate(zip(prices, works, strict=True))]
            better = [one for one in better if one[0] < dearest]
            if sum((dearest - price) * work for price, work, _ in better) <= 1:
                break
            speed, most = sum(work for _, work, _ in better), self._heap[0][3]
            step = min(most / speed, room - ticks)
            self._take(most if step < room - ticks else min(most, step * speed))
            for price, work, piece in better:
                heappush(self._heap, (-price, at, piece, work * step))
                self.cost += price * work * step
            ticks += step
        return ticks

    def _take(self, work: Number) -> None:
        """Take some work from the dearest place."""
        price, at, piece, most = self._heap[0]
        self.cost += price * work
        if work < most:
            heapreplace(self._heap, (price, at, piece, most - work))
        else:
            heappop(self._heap)

    def held(self, offers: Offers[Number]) -> dict[tuple[int, int], Number]:
        """Return the half GPUs held of each kind in each interval."""
        found: dict[tuple[int, int], Number] = {}
        for _, at, number, work in self._heap:
            piece = offers.of(at)[2][number]
            for kind, halves in piece.uses:
                more, place = work * halves / piece.work, (kind, at)
                found[place] = found[place] + more if place in found else more
        return found


def cheapest(job: Demand, starts: Sequence[int], offers: Offers[Number]) -> JobPlan[Number]:
    """Return the cheapest plan at the prices of half a GPU for a tick of each interval.

    The last interval has no end and costs nothing: a plan that is done there is treated as done at
    its beginning. Ends are not whole, so no plan in whole ticks costs less.
    """
    one = offers.number
    best = JobPlan(one(starts[-1]), one(starts[-1]), {})
    early, bought = job.release + job.ticks, _Purchase(one(job.work))
    for k in range(len(starts) - 1):
        begin, end = max(starts[k], job.release), starts[k + 1]
        if begin >= end:
            continue
        if begin >= best.cost:
            break
        prices, works, _ = offers.of(k)
        first = min(max(begin, early), end)
        if first > begin:
            bought.add(prices, [work * (first - begin) for work in works], k)
        if early < end:
            room = one(end - first)
            saved = bought.save(prices, works, k, room)
            if first + saved + bought.cost < best.cost:
                at = first + saved
                best = JobPlan(at + bought.cost, at, bought.held(offers))
            bought.add(prices, [work * (room - saved) for work in works], k)
    return best


MOST_PARTS = 500_000
"""Jobs times intervals."""

INTERVALS = (60, 250)
"""Numbers of intervals that are tried, one after the other."""

ROUNDS = 60
"""Most rounds of pricing."""

CLOSE = 2e-4
"""The rounds end when better prices can add no more than this part."""

STEP = 0.3
"""Step of prices from the best ones towards those of the master program."""

UNIT = 2**30
"""Prices are whole parts of a tick."""

BEYOND = 4
"""One interval in `BEYOND` is added behind the tick by which all work could be done."""


class _PlanPrices:
    """Prices of half GPUs, by pool and interval, and the jobs' plans at them."""

    def __init__(self, instance: TraceInstance, intervals: int) -> None:
        self.pools, self.jobs = pools_by_kind(instance), demands(instance)
        starts = interval_starts(instance, intervals)
        length = starts[1] - starts[0]
        more = -(-len(starts) // BEYOND)
        self.starts = (*starts, *(starts[-1] + length * (k + 1) for k in range(more)))
        kinds, users = range(len(instance.kinds)), [pool.users for pool in self.pools]
        self.paid = [
            tuple(tuple(u for u, some in enumerate(users) if (j, kind) in some) for kind in kinds)
            for j in range(len(self.jobs))
        ]
        """The pools that a job pays on each kind of GPUs."""
        lengths = [end - start for start, end in pairwise(self.starts)]
        self.room = np.array([[pool.halves * one for one in lengths] for pool in self.pools])

    def plans(self, prices: Floats) -> tuple[float, list[JobPlan[float]]]:
        """Return the bound on the sum of ends, and the cheapest plan of each job."""
        found = self._plans(lambda own: prices[list(own)].sum(axis=0).tolist())
        return sum(plan.cost for plan in found) - float((prices * self.room).sum()), found

    def _plans(self, row: Callable[[tuple[int, ...]], list[Number]]) -> list[JobPlan[Number]]:
        """Return the cheapest plans, given the sums of prices over pools."""
        rows = {own: row(own) for own in {own for paid in self.paid for own in paid}}
        offers: dict[object, Offers[Number]] = {}
        found = []
        for job, paid in zip(self.jobs, self.paid, strict=True):
            key = job.modes, paid
            if key not in offers:
                offers[key] = Offers(job.modes, [rows[own] for own in paid])
            found.append(cheapest(job, self.starts, offers[key]))
        return found

    def prices_of(self, known: Bound | None) -> Floats:
        """Return the prices of a known bound at the beginnings of the intervals, or 0."""
        if known is None or known.proof is None:
            return np.zeros(self.room.shape)
        step = known.proof[-1]
        last = len(step["starts"]) - 2
        at = np.searchsorted(step["starts"], self.starts[:-1], side="right") - 1
        found: Floats = np.array(step["prices"])[:, np.minimum(at, last)] / step["unit"]
        return found

    def proved(self, whole: Sequence[Sequence[int]]) -> int:
        """Return the bound in ticks by prices in whole parts, without any rounding but up."""
        total = -Fraction(
            sum(
                price * room
                for row, own in zip(whole, self.room.tolist(), strict=True)
                for price, room in zip(row, own, strict=True)
            ),
            UNIT,
        )

        def row(own: tuple[int, ...]) -> list[Fraction]:
            return [Fraction(sum(whole[u][k] for u in own), UNIT) for k in range(len(whole[0]))]

        return ceil(total + sum(plan.cost for plan in self._plans(row)))


def slow_bounds(
    instance: TraceInstance, limits: Limits, best: Fraction | None = None
) -> AskedBounds:
    """Compute bounds over ever more intervals, until one is as good as `best`."""
    asked = AskedBounds(combinatorial_bounds(instance, limits)[0])
    for intervals in INTERVALS:
        done = best is not None and asked.best.value >= best
        if done or limits.over() or intervals * len(instance.jobs) > MOST_PARTS:
            break
        known = asked.found[-1] if asked.found else None
        bound = partial(plan_bound, instance, limits, intervals, known)
        if not asked.ask(f"cheapest plans over {intervals} intervals", bound, "more time"):
            break
    return asked


def plan_bound(
    instance: TraceInstance, limits: Limits, intervals: int, known: Bound | None = None
) -> Bound:
    """Return the bound by prices in intervals. The search begins at those of a known one.

    It stops when the time is up. The prices found by then still prove a bound.
    """
    asked = _PlanPrices(instance, intervals)
    prices = _best_prices(asked, limits, asked.prices_of(known))
    whole = [[int(price * UNIT) for price in row] for row in prices.tolist()]
    ticks = asked.proved(whole) - sum(job.release for job in asked.jobs)
    argument = (
        f"the cheapest plan of every job, with GPUs priced in {len(asked.starts)} intervals of "
        f"{asked.starts[1] - asked.starts[0]} ticks, summed exactly"
    )
    step: dict[str, Any] = {
        "rule": "cheapest plans",
        "unit": UNIT,
        "starts": list(asked.starts),
        "pools": [list(pool.servers) for pool in asked.pools],
        "prices": whole,
    }
    bound = bound_of(instance, BoundKind.DUAL, "cheapest plans", ticks, argument)
    return replace(bound, proof=(step,))


def _best_prices(asked: _PlanPrices, limits: Limits, first: Floats) -> Floats:
    """Return the best prices found. The master program begins with jobs that wait forever."""
    jobs, size = len(asked.jobs), asked.room.size
    master = covering([1.0] * jobs, [1.0] * size)
    for j in range(jobs):
        master.add_column(float(asked.starts[-1]), [j], [1.0])
    trial = best = first
    most = -np.inf
    for _ in range(ROUNDS):
        value, plans = asked.plans(trial)
        if value > most:
            most, best = value, trial
        if limits.over():
            break
        for j, plan in enumerate(plans):
            _add(asked, master, j, plan)
        found = master.solve()
        if found.value - most <= CLOSE * abs(found.value):
            break
        duals = np.maximum(0.0, -np.array(found.duals)[jobs:]).reshape(asked.room.shape)
        trial = STEP * duals / asked.room + (1 - STEP) * best
    return best


def _add(asked: _PlanPrices, master: Any, j: int, plan: JobPlan[float]) -> None:
    """Add a plan as a column, which uses capacity of the pools in its intervals."""
    rows, parts = [j], [1.0]
    for kind, own in enumerate(asked.paid[j]):
        for u in own:
            for (of, k), held in plan.held.items():
                if of == kind:
                    rows.append(len(asked.jobs) + u * asked.room.shape[1] + k)
                    parts.append(held / float(asked.room[u, k]))
    master.add_column(float(plan.end), rows, parts)
