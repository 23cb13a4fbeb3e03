"""Configurations, jobs that work at the same time in one slot, and the bound of their program.

The value of a configuration depends on the paces of its jobs. The best one is found exactly, in
whole numbers, by a best-first search. Servers with equally many free GPUs and the same rings on
them are exchangeable. If jobs are bound to regions, this holds within a region. Column generation
prices them, and the value of the program is summed in exact fractions.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from math import ceil, comb
from typing import NamedTuple

from ...instances import NO_LIMITS, Bound, BoundKind, Limits, MakespanInstance
from ..covering import CLOSE, SCALE, covering
from ..program import Matrix
from .data import ProgramData, data_of, refuses_slots
from .placements import Counts, splits
from .rates import Pace, Worth, stretches, worths


class PlacedJob(NamedTuple):
    """A job of a configuration, and its GPUs on every server."""

    job: str
    gpus: Counts


Configuration = tuple[PlacedJob, ...]
Gains = Mapping[str, Mapping[Pace, int]]
"""The worth of a slot of a job at each of its paces. More rings are never worth more."""


class BestConfiguration(NamedTuple):
    """The most valuable configuration, and an upper bound on all values: its own, if proved."""

    configuration: Configuration
    most: int


def paces(data: ProgramData, configuration: Configuration) -> dict[str, Pace]:
    """Return the paces of the jobs that work side by side."""
    spread = [placed.gpus for placed in configuration if max(placed.gpus) < sum(placed.gpus)]
    rings = [sum(map(bool, column)) for column in zip(*spread, strict=True)]
    found: dict[str, Pace] = {}
    for job, gpus in configuration:
        units = data.units(sum(map(bool, gpus)), max(gpus))
        inside = max(gpus) == sum(gpus)
        busiest = max(rings[s] for s, held in enumerate(gpus) if held) if not inside else 0
        found[job] = (units, busiest)
    return found


def best_configuration(
    data: ProgramData, jobs: Sequence[str], gains: Gains, limits: Limits
) -> BestConfiguration:
    """Search the configurations of `jobs`. At the time limit, return an empty one and a bound.

    A node has placed or left out the first jobs. The possible gain is bounded by the best placement
    of the other jobs if rings did not slow each other down.
    """
    order = sorted(jobs, key=lambda job: -data.tasks[job].gpus)
    optimistic = _OptimisticValue(data, order, gains, limits)
    free = tuple(data.sizes.values())
    heap: list[tuple[int, int, int, Counts, Configuration]] = []
    heappush(heap, (-optimistic.most(0, free), 0, 0, free, ()))
    pushed = 0
    while True:
        bound, depth, _, free, placed = heappop(heap)
        if -depth == len(order):
            return BestConfiguration(placed, -bound)
        if limits.over():
            return BestConfiguration((), -bound)
        for after, chosen in _children(data, order[-depth], gains, free, placed):
            value = _value(data, gains, chosen) + optimistic.most(1 - depth, after)
            pushed += 1
            heappush(heap, (-value, depth - 1, -pushed, after, chosen))


def all_configurations(data: ProgramData, jobs: Sequence[str]) -> Iterator[Configuration]:
    """Yield all configurations of `jobs`, up to the exchange of servers with equal history."""
    some = {job: {(0, 0): 1} for job in jobs}
    stack: list[tuple[int, Counts, Configuration]] = [(0, tuple(data.sizes.values()), ())]
    while stack:
        depth, free, placed = stack.pop()
        if depth == len(jobs):
            yield placed
            continue
        for after, chosen in _children(data, jobs[depth], some, free, placed):
            stack.append((depth + 1, after, chosen))


def _value(data: ProgramData, gains: Gains, configuration: Configuration) -> int:
    found = paces(data, configuration).items()
    return sum(gains[job].get(pace, 0) for job, pace in found)


def _children(
    data: ProgramData, job: str, gains: Gains, free: Counts, placed: Configuration
) -> Iterator[tuple[Counts, Configuration]]:
    """Leave a job out, or place it, once for each set of exchangeable servers."""
    yield free, placed
    if not any(gains[job].values()):
        return
    rings = [one.gpus for one in placed if max(one.gpus) < sum(one.gpus)]
    alike: tuple[Hashable, ...] = tuple(zip(free, *rings, strict=True))
    if data.closed:
        alike = tuple(zip(map(data.site, data.sizes), alike, strict=True))
    rooms = (data.room(job, server) for server in data.sizes)
    room = tuple(map(min, free, rooms)) if job in data.closed else free
    for gpus in splits(room, alike, data.tasks[job].gpus):
        after = tuple(have - held for have, held in zip(free, gpus, strict=True))
        yield after, (*placed, PlacedJob(job, gpus))


class _OptimisticValue:
    """The most that the last jobs can gain on free GPUs if no ring slows another down.

    At the time limit, it adds all gains of the jobs for which no value was found.
    """

    def __init__(
        self, data: ProgramData, order: Sequence[str], gains: Gains, limits: Limits
    ) -> None:
        self._data, self._order, self._gains, self._limits = data, order, gains, limits
        self._known: dict[tuple[int, Counts], int] = {}

    def most(self, first: int, free: Counts) -> int:
        """Return it for the jobs from number `first` on."""
        if first == len(self._order):
            return 0
        key = first, tuple(sorted(free, reverse=True))
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def _found(self, first: int, free: Counts) -> int:
        if self._limits.over():
            return sum(max(self._gains[job].values()) for job in self._order[first:])
        job = self._order[first]
        gains, best = self._gains[job], self.most(first + 1, free)
        for servers, most, after in moves(self._data.tasks[job].gpus, free):
            pace = self._data.units(servers, most), min(1, servers - 1)
            if gains.get(pace, 0):
                best = max(best, gains[pace] + self.most(first + 1, after))
        return best


@lru_cache(maxsize=100_000)
def moves(gpus: int, free: Counts) -> tuple[tuple[int, int, Counts], ...]:
    """Return servers, most GPUs on one, and remaining GPUs, for each placement of `gpus`."""
    found: dict[tuple[int, int, Counts], None] = {}
    for held in splits(free, tuple((room,) for room in free), gpus):
        after = tuple(sorted((a - b for a, b in zip(free, held, strict=True)), reverse=True))
        found[sum(map(bool, held)), max(held), after] = None
    return tuple(found)


MOST_STATES = 2_000
"""Pricing looks at multisets of free GPUs. Larger clusters have no such bound."""


def configuration_bound(instance: MakespanInstance, limits: Limits) -> Bound | None:
    """Return the bound of the configuration program, rounded up to whole slots.

    It is valid whenever the search ends. None means that the instance is refused or too large.
    """
    sizes = [server.gpus for server in instance.cluster.servers]
    if refuses_slots(instance) or comb(len(sizes) + max(sizes), len(sizes)) > MOST_STATES:
        return None
    master, best, prices = _generated(instance, limits)
    argument = (
        f"at suitable prices, no slot can serve work worth more than 1, and all work is worth "
        f"{float(best):.6g} (prices from {master.columns} configurations of a slot)"
    )
    step = None
    if prices is not None:
        step = {"rule": "configurations", "prices": prices.by_job()}
    return Bound.by(BoundKind.DUAL, "configurations", Fraction(ceil(best)), argument, step)


def last_configurations(instance: MakespanInstance) -> Matrix:
    """Return the linear program of the bound's last round: the slots after the first stretches."""
    return _generated(instance, NO_LIMITS)[0].matrix()


def _generated(
    instance: MakespanInstance, limits: Limits
) -> tuple["_Master", Fraction, "_Prices | None"]:
    """Add columns while they help. Return the program, the bound from prices, and the prices."""
    master, best, kept = _Master(data_of(instance)), Fraction(0), None
    while True:
        value, prices = master.solve()
        found = master.price(prices, limits)
        proved = master.certified(prices, found)
        if proved > best:
            best, kept = proved, prices
        enough = ceil(best) >= value - CLOSE
        if enough or limits.over() or not master.extend(prices, found):
            return master, best, kept


class _Prices:
    """Whole prices of rows: of a job's rows, and of a slot in each stretch but the last."""

    def __init__(self, duals: list[float], rows: dict[tuple[str, int], int]) -> None:
        self._whole = [max(0, round(dual * SCALE)) for dual in duals]
        self._rows = rows
        self.slots = [max(0, round(-dual * SCALE)) for dual in duals[len(rows) :]]
        self.total = sum(self._whole[: len(rows)])

    def by_job(self) -> dict[str, list[int]]:
        """Return the prices of the rows of jobs by job."""
        found: dict[str, list[int]] = {}
        for (job, _), number in self._rows.items():
            found.setdefault(job, []).append(self._whole[number])
        return found

    def gain(self, job: str, worth: Worth) -> int:
        """Return the worth of a slot of work, rounded up."""
        return ceil(sum(self._whole[self._rows[job, i]] * part for i, part in enumerate(worth)))


class _Master:
    """The program with the configurations known so far."""

    def __init__(self, data: ProgramData) -> None:
        self._data, self._stretches = data, stretches(data)
        self._worths = {job: worths(data, job) for job in data.tasks}
        pairs = [(job, i) for job, known in self._worths.items() for i in range(_rows(known))]
        self._rows = {pair: number for number, pair in enumerate(pairs)}
        lengths = [float(stretch.slots or 0) for stretch in self._stretches[:-1]]
        self._program = covering([1.0] * len(pairs), lengths)
        self.columns = 0
        for job, known in self._worths.items():
            alone = max(known, key=lambda pace: min(known[pace]))
            self._add(len(self._stretches) - 1, {job: alone})

    def matrix(self) -> Matrix:
        """Return the program as it is now."""
        return self._program.matrix()

    def solve(self) -> tuple[float, _Prices]:
        """Return the value in slots from the first on, and the prices."""
        found = self._program.solve()
        return self._stretches[-1].start + found.value, _Prices(list(found.duals), self._rows)

    def price(self, prices: _Prices, limits: Limits) -> list[BestConfiguration]:
        """Return the best configuration of every stretch at these prices."""
        gains = {
            job: {pace: prices.gain(job, worth) for pace, worth in known.items()}
            for job, known in self._worths.items()
        }
        return [best_configuration(self._data, s.jobs, gains, limits) for s in self._stretches]

    def certified(self, prices: _Prices, found: list[BestConfiguration]) -> Fraction:
        """Return the bound that the prices prove, exactly.

        All work has the value `total`. A slot of the last stretch does at most `most` of it, and
        the earlier stretches at most their slots times theirs.
        """
        before = sum(
            (stretch.slots or 0) * best.most
            for stretch, best in zip(self._stretches[:-1], found[:-1], strict=True)
        )
        start = Fraction(self._stretches[-1].start)
        return start + max(Fraction(0), Fraction(prices.total - before, max(1, found[-1].most)))

    def extend(self, prices: _Prices, found: list[BestConfiguration]) -> bool:
        """Add the configurations worth more than their slots, and return True if any exist."""
        limits = [*prices.slots, SCALE]
        better = [
            (k, best.configuration)
            for k, (best, limit) in enumerate(zip(found, limits, strict=True))
            if best.most > limit + CLOSE * SCALE
        ]
        for k, configuration in better:
            self._add(k, paces(self._data, configuration))
        return bool(better)

    def _add(self, stretch: int, found: Mapping[str, Pace]) -> None:
        entries = {
            self._rows[job, i]: float(part)
            for job, pace in found.items()
            for i, part in enumerate(self._worths[job].get(pace, ()))
        }
        last = stretch == len(self._stretches) - 1
        if not last:
            entries[len(self._rows) + stretch] = 1.0
        self._program.add_column(float(last), list(entries), list(entries.values()))
        self.columns += 1


def _rows(known: Mapping[Pace, Worth]) -> int:
    return len(next(iter(known.values())))
