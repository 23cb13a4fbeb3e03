"""The plan of a job that costs least at prices of GPUs: when it ends, and what it holds until then.

Source: ours. The faster a job is, the more GPUs it may take for each unit of work; so its work in a
tick is bought in pieces, the first of which are the cheapest. With the end given, the work goes to
the cheapest places before it. The later the end, the less that costs, and the less each tick saves.
"""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush, heapreplace
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from ...formulations.trace.demand import Demand

Number = TypeVar("Number", float, Fraction)
"""Floating point to look for prices, fractions for what they prove."""


class Piece(NamedTuple):
    """Work that a tick can do beyond the pieces before, and the half GPUs that it takes."""

    work: int
    halves: int


def pieces_of(job: Demand) -> tuple[Piece, ...]:
    """Return the pieces of a tick's work, by the corners of the convex hull of all modes."""
    corners = [(0, 0)]
    for rate, halves in sorted((mode.rate, mode.halves) for mode in job.modes):
        while len(corners) > 1 and corners[-1][1] >= halves:
            corners.pop()
        if rate == corners[-1][0]:
            continue
        while len(corners) > 1 and not _bends(corners[-2], corners[-1], (rate, halves)):
            corners.pop()
        corners.append((rate, halves))
    return tuple(Piece(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(corners))


def _bends(first: tuple[int, int], middle: tuple[int, int], last: tuple[int, int]) -> bool:
    """Say whether half GPUs grow faster behind the middle than before it."""
    before, behind = middle[1] - first[1], last[1] - middle[1]
    return before * (last[0] - middle[0]) < behind * (middle[0] - first[0])


class JobPlan(NamedTuple, Generic[Number]):
    """What a plan costs with its end; the half GPUs times ticks that it holds in intervals."""

    cost: Number
    end: Number
    held: dict[int, Number]


class _Purchase(Generic[Number]):
    """Work of a job in the cheapest places; no more than it needs."""

    def __init__(self, need: Number) -> None:
        self._need: Number = need
        """Work that has no place yet."""
        self._heap: list[tuple[Number, int, int, Number]] = []
        """Price of a unit, less than nothing; interval, number of the piece, and the work."""
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

    def held(self, pieces: Sequence[Piece]) -> dict[int, Number]:
        """Return what is held in each interval."""
        found: dict[int, Number] = {}
        for _, at, piece, work in self._heap:
            more = work * pieces[piece].halves / pieces[piece].work
            found[at] = found[at] + more if at in found else more
        return found


def cheapest(
    job: Demand, pieces: Sequence[Piece], starts: Sequence[int], pays: Sequence[Number]
) -> JobPlan[Number]:
    """Return the plan that costs least at what a half GPU pays for a tick of each interval.

    The last interval has no end and costs nothing: a plan that is done there counts as done at
    its beginning. Ends are not whole, so no plan in whole ticks costs less.
    """
    one = type(pays[0])
    best = JobPlan(one(starts[-1]), one(starts[-1]), {})
    early, bought = job.release + job.ticks, _Purchase(one(job.work))
    works = [one(piece.work) for piece in pieces]
    for k, pay in enumerate(pays):
        begin, end = max(starts[k], job.release), starts[k + 1]
        if begin >= end:
            continue
        if begin >= best.cost:
            break
        prices = [pay * piece.halves / piece.work for piece in pieces]
        first = min(max(begin, early), end)
        if first > begin:
            bought.add(prices, [work * (first - begin) for work in works], k)
        if early < end:
            room = one(end - first)
            saved = bought.save(prices, works, k, room)
            if first + saved + bought.cost < best.cost:
                at = first + saved
                best = JobPlan(at + bought.cost, at, bought.held(pieces))
            bought.add(prices, [work * (room - saved) for work in works], k)
    return best
