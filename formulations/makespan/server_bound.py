"""The bound of `server_configurations.py`: columns by pricing, its value in exact fractions.

A job runs inside one server, or across servers with some units of overhead, and some slots are calm
and some crowded (`rates.py`). Every slot of every piece has its price, in whole numbers. Any prices
prove a bound.

The bound stays valid under these simplifications: All crowded servers are alike, because the rate
among q + 1 rings is the best rate on any of them. A cut may change in every slot, with the same
units, because a schedule uses one cut in all slots. A cut has at most n pieces, or at most n GPUs
in the largest, instead of exactly n: the exact number is allowed, and fewer are no slower with the
units of fewer. There are four numbers of units, the last open to all cuts, because more units are
never faster.

Runs of over 2,000 slots are not rounded up, and runs are charged for at most 64 times the sum of
all fastest run times: jobs only pay less. In continuous time, runs are of one kind, rounded down to
1/256 slot: without whole slots the cheapest run is all calm or all crowded. With over 200 jobs,
some jobs of equal size share a row, which only affects prices. Under fair sharing of links all
servers are calm, because the rate of a ring never exceeds that of its uplink. Under `floor` with a
rate of 0, a run cannot consist of such slots alone, and a calm run is the only one if crowded slots
make no progress.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from ...instances import NO_LIMITS, Bound, BoundKind, Limits, MakespanInstance, RingJob
from ...simulation.makespan.evaluate import best_extremes, never_ends
from ...simulation.model import Ints, unbound
from ..covering import CLOSE, SCALE, covering
from ..program import Matrix
from .data import ProgramData, data_of
from .rates import calm_rings, two_rates, units_of

NEVER = -(2**62)
"""The worth of a room that cannot be filled."""

NEED = 2**50
"""The work of every job, with rates as parts of it, rounded up."""

PARTS = 256
"""In continuous time a slot has this many parts, and runs are rounded down to whole ones."""

LONG = 2_000
"""Runs of more slots are not rounded up to whole slots."""

FOREVER = 2**26
"""No run is paid for more slots, so that costs are sums of 64 bits."""

MOST_OPTIONS = 4
"""Up to this many units of overhead are distinguished. Rings with more use the last."""


class SlotPrices(NamedTuple):
    """The cost of a slot inside one server, by GPUs, and of a piece of a ring.

    `pieces` has a row for each size, from 0 on, and a column each for calm and crowded servers.
    """

    inside: dict[int, int]
    pieces: Ints


class Option(NamedTuple):
    """Option for spreading a job: its units, the most pieces, and the most GPUs in one of them."""

    units: int
    pieces: int
    largest: int


class CheapestPieces(NamedTuple):
    """The cheapest pieces for each option: costs, and their numbers by size, calm and crowded."""

    costs: Ints
    counts: Ints


class Bought(NamedTuple):
    """The cheapest runs of some jobs: cost, slots inside one server, slots of pieces."""

    cost: int
    inside: int
    pieces: Ints


def options(data: ProgramData, job: RingJob) -> list[Option]:
    """Return how a job may be spread, by units.

    It may have fewer pieces, or smaller ones, than its units allow: with the units of those it is
    no slower. The last option is open to all other rings.
    """
    form, units = data.instance.overhead, units_of(data, job.name)[:MOST_OPTIONS]
    most, top = min(job.gpus, len(data.sizes)), min(job.gpus - 1, max(data.sizes.values()))
    few, small = form == "paper", form == "max_workers_per_server"
    return [
        Option(n, n if few and n < units[-1] else most, n if small and n < units[-1] else top)
        for n in units
    ]


def cheapest_pieces(gpus: int, choices: list[Option], prices: SlotPrices) -> CheapestPieces:
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
    return CheapestPieces(costs, counts)


class Runs:
    """Jobs of equal size, each with its shortest time inside one server, and all their runs."""

    def __init__(
        self,
        data: ProgramData,
        jobs: Sequence[tuple[RingJob, Fraction]],
        choices: list[Option],
        longest: int = FOREVER,
    ) -> None:
        """Compute the rates of the jobs. At most `longest` slots of a run are charged."""
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

    def cheapest(self, prices: SlotPrices, pieces_of: CheapestPieces) -> Bought:
        """Return the cheapest run of every job, summed up."""
        count = len(self._rates)
        best, slots = np.full(count, -NEVER), np.zeros((count, 2), np.int64)
        chosen = np.full(count, -1)
        if self._inside is not None:
            best = self._inside * prices.inside[self.gpus]
        for i, costs in enumerate(pieces_of.costs):
            run, cost = self._cheapest(self._rates[:, i], costs)
            cheaper = cost < best
            best, chosen = np.where(cheaper, cost, best), np.where(cheaper, i, chosen)
            slots[cheaper] = run[cheaper]
        pieces = np.zeros_like(prices.pieces)
        for i, counts in enumerate(pieces_of.counts):
            pieces += counts * slots[chosen == i].sum(axis=0)
        inside = 0 if self._inside is None else int(self._inside[chosen < 0].sum())
        return Bought(sum(best.tolist()), inside, pieces)

    def _cheapest(self, rates: Ints, costs: Ints) -> tuple[Ints, Ints]:
        """Return the calm and the crowded slots of the cheapest run of every job, and its cost.

        If a rate is 0, no run ends: it costs more than any other.
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
    """Return calm and crowded rates. Any work within a slot is treated alike."""
    rates = two_rates(data.instance, job, [one.units for one in choices])
    return [
        tuple(min(fastest, ceil(NEED * rate / job.iterations)) for rate in rates[one.units])
        for one in choices
    ]


def fill(start: Ints, worth: Ints, most: int) -> tuple[Ints, list[Ints]]:
    """Return the best worth of every room, and which pieces were added to it, layer by layer.

    `start` is the worth of each room before, and `worth` the worth of a piece by its size, 0 for
    size 0. At most `most` pieces are added. A dynamic program in whole numbers.
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
    """Return the number of pieces of each size below `sizes` in a room, and the room left."""
    counts = np.zeros(sizes, np.int64)
    for added in reversed(layers):
        counts[added[room]] += 1
        room -= int(added[room])
    counts[0] = 0
    return counts, room


MOST_ROWS = 200
"""Of more jobs, some of equal size share a row."""

PAID = 64
"""Multiple of the slots of all jobs in turn that is charged for a run, which needs no longer
one."""

CLOSER = 1e-7
"""A column enters the program if it is better than those known by this part of its worth."""


class MasterWorth(NamedTuple):
    """The value of the program, its prices, and the worth of servers and jobs by row."""

    value: float
    prices: SlotPrices
    servers: list[float]
    jobs: list[float]


class Configuration(NamedTuple):
    """The earnings of a server of a size, with the jobs inside it and pieces of rings, by GPUs."""

    size: int
    crowded: bool
    earned: int
    inside: Ints
    pieces: Ints


class Found(NamedTuple):
    """The best columns at some prices, and the slots that these prices prove."""

    configurations: list[Configuration]
    runs: list[Bought]
    proved: Fraction


class ServerMaster:
    """The program with the columns known so far.

    Its rows: servers by size, jobs inside by GPUs, pieces by GPUs, on calm servers and on any, and
    jobs. Time is counted in units of the longest job, so that its numbers are not large.
    """

    def __init__(self, instance: MakespanInstance) -> None:
        """Begin with single pieces on servers, and with runs at the price of their GPUs."""
        data = data_of(instance)
        self._counts = Counter(data.sizes.values())
        self._rings = data.most_rings
        self._calm = int(min(calm_rings(instance), self._rings))
        self._runs = list(_grouped(data))
        self._unit = _longest(instance)
        self._scale = self._unit * self._runs[0].parts
        self._choices = {runs.gpus: runs.choices for runs in self._runs}
        fits = [gpus for gpus in self._choices if gpus <= max(self._counts)]
        self._inside = {gpus: len(self._counts) + i for i, gpus in enumerate(fits)}
        self._largest = max((one.largest for runs in self._runs for one in runs.choices), default=0)
        self._first = len(self._counts) + len(fits)
        self._last = self._first + 2 * self._largest
        self._program = covering([0.0] * self._last + [1.0] * len(self._runs))
        self._known: set[tuple[tuple[int, float], ...]] = set()
        self._begin()

    @property
    def columns(self) -> int:
        """The number of configurations and runs."""
        return len(self._known)

    def matrix(self) -> Matrix:
        """Return the program as it is now."""
        return self._program.matrix()

    def solve(self) -> MasterWorth:
        """Return the value and the prices, in whole multiples of one part in `SCALE`."""
        found = self._program.solve()
        whole = np.maximum(0, np.round(found.duals * SCALE)).astype(np.int64)
        calm, anywhere = whole[self._first : self._last].reshape(-1, 2).T
        pieces = np.zeros((1 + self._largest, 2), np.int64)
        pieces[1:] = np.stack([calm + anywhere, anywhere], axis=1)
        inside = {gpus: int(whole[row]) for gpus, row in self._inside.items()}
        duals = (found.duals * SCALE).tolist()
        servers, jobs = duals[: len(self._counts)], duals[self._last :]
        return MasterWorth(found.value * self._unit, SlotPrices(inside, pieces), servers, jobs)

    def price(self, prices: SlotPrices) -> Found:
        """Return the best configurations and runs, and their bound.

        In T slots all servers earn T times `earned` at most, and jobs pay `paid` at least.
        """
        cheapest = {
            gpus: cheapest_pieces(gpus, them, prices) for gpus, them in self._choices.items()
        }
        runs = [some.cheapest(prices, cheapest[some.gpus]) for some in self._runs]
        both = {size: list(self._best(size, prices)) for size in self._counts}
        earned = sum(n * max(c.earned for c in both[size]) for size, n in self._counts.items())
        paid = sum(some.cost for some in runs)
        proved = Fraction(paid, max(1, earned) * self._runs[0].parts)
        return Found([c for some in both.values() for c in some], runs, proved)

    def extend(self, worth: MasterWorth, found: Found) -> bool:
        """Add the columns that are better than known, and return True if any exist."""
        before = self.columns
        rows = dict(zip(self._counts, worth.servers, strict=True))
        for one in found.configurations:
            if one.earned > rows[one.size] * (1 + CLOSER):
                self._add_configuration(one)
        for number, (known, run) in enumerate(zip(worth.jobs, found.runs, strict=True)):
            if run.cost < known * self._scale * (1 - CLOSER):
                self._add_run(number, run)
        return self.columns > before

    def _begin(self) -> None:
        self._program.add_column(1.0, range(len(self._counts)), list(self._counts.values()))
        for size in self._counts:
            none = np.zeros(1 + size, np.int64)
            for gpus in self._inside:
                if gpus <= size:
                    held = none.copy()
                    held[gpus] = size // gpus
                    self._add_configuration(Configuration(size, False, 0, held, none))
            for gpus in range(1, min(size, self._largest) + 1):
                held = none.copy()
                held[gpus] = 1
                self._add_configuration(Configuration(size, False, 0, none, held))
        flat = np.repeat(np.arange(1 + self._largest)[:, None], 2, axis=1)
        some = SlotPrices({gpus: gpus for gpus in self._inside}, flat)
        for number, run in enumerate(self.price(some).runs):
            self._add_run(number, run)

    def _best(self, size: int, prices: SlotPrices) -> Iterator[Configuration]:
        """Yield the best configuration with calm rings, and the best one with crowded rings."""
        inside = np.zeros(1 + size, np.int64)
        for gpus, price in prices.inside.items():
            inside[gpus : gpus + 1] = price
        alone, those = fill(np.zeros_like(inside), inside, size)
        for level, most in enumerate((self._calm, min(self._rings, size))):
            table, layers = fill(alone, prices.pieces[: size + 1, level], most)
            pieces, left = taken(layers, size, 1 + size)
            held, _ = taken(those, left, 1 + size)
            yield Configuration(size, bool(level), int(table[size]), held, pieces)

    def _add_configuration(self, found: Configuration) -> None:
        entries: dict[int, float] = {list(self._counts).index(found.size): -1.0}
        for gpus in np.flatnonzero(found.inside).tolist():
            entries[self._inside[gpus]] = float(found.inside[gpus])
        for gpus in np.flatnonzero(found.pieces).tolist():
            for row in range(found.crowded, 2):
                entries[self._first + 2 * (gpus - 1) + row] = float(found.pieces[gpus])
        self._add(entries)

    def _add_run(self, number: int, run: Bought) -> None:
        entries: dict[int, float] = {self._last + number: 1.0}
        if run.inside:
            entries[self._inside[self._runs[number].gpus]] = -run.inside / self._scale
        for gpus in np.flatnonzero(run.pieces.any(axis=1)).tolist():
            calm, crowded = run.pieces[gpus].tolist()
            for row, slots in enumerate((calm, calm + crowded)):
                entries[self._first + 2 * (gpus - 1) + row] = -slots / self._scale
        self._add(entries)

    def _add(self, entries: Mapping[int, float]) -> None:
        key = tuple(sorted(entries.items()))
        if key not in self._known:
            self._known.add(key)
            self._program.add_column(0.0, list(entries), list(entries.values()))


def _longest(instance: MakespanInstance) -> int:
    """Return the whole slots of the longest job at its fastest, at least 1."""
    return max(1, *(floor(extreme.least_slots or 0) for extreme in best_extremes(instance)))


def _grouped(data: ProgramData) -> Iterator[Runs]:
    """Yield the jobs by GPUs, so few together that there are not too many rows."""
    least = [extreme.least_slots or Fraction(0) for extreme in best_extremes(data.instance)]
    jobs = list(zip(data.instance.jobs, least, strict=True))
    together = ceil(len(jobs) / MOST_ROWS)
    longest = PAID * ceil(sum(least))
    for gpus in sorted({job.gpus for job, _ in jobs}):
        alike = sorted((pair for pair in jobs if pair[0].gpus == gpus), key=lambda pair: pair[1])
        choices = options(data, alike[0][0])
        for first in range(0, len(alike), together):
            yield Runs(data, alike[first : first + together], choices, longest)


MOST_GPUS = 256
"""Pieces are priced by tables over the GPUs of a server. Larger servers have no such bound."""


def server_bound(
    instance: MakespanInstance, limits: Limits, known: Fraction = Fraction(0)
) -> Bound | None:
    """Return the bound, rounded up to whole slots unless time is continuous.

    It is valid whenever the search ends, and it ends once no prices prove more than is `known`.
    None means that the instance is refused, or too large. Regions only add to the bound: here
    every job may run anywhere.
    """
    if never_ends(instance) or max(one.gpus for one in instance.cluster.servers) > MOST_GPUS:
        return None
    slotted = instance.progress != "continuous"
    master, best, prices = _generated(instance, limits, known)
    argument = (
        f"at suitable prices, the servers need {float(best):.6g} slots to earn the amount that "
        f"all jobs pay (prices from {master.columns} configurations of servers and jobs)"
    )
    value = Fraction(ceil(best)) if slotted else best
    step = None if prices is None else _step(prices)
    return Bound.by(BoundKind.DUAL, "server configurations", value, argument, step)


def _step(prices: SlotPrices) -> dict[str, Any]:
    """Return the step of a certificate: the cost of a slot by GPUs."""
    pieces = [[gpus, *each] for gpus, each in enumerate(prices.pieces.tolist()) if any(each)]
    inside = [[gpus, price] for gpus, price in prices.inside.items() if price]
    return {"rule": "servers", "inside": inside, "pieces": pieces}


def last_servers(instance: MakespanInstance) -> Matrix:
    """Return the linear program of the bound's last round, in units of the longest job."""
    return _generated(instance, NO_LIMITS)[0].matrix()


def _generated(
    instance: MakespanInstance, limits: Limits, known: Fraction = Fraction(0)
) -> tuple[ServerMaster, Fraction, SlotPrices | None]:
    """Add columns while they help, and return the program, the slots that prices prove, and these.

    With the columns so far the program is worth as much as any prices can prove.
    """
    master, best, kept = ServerMaster(unbound(instance)), Fraction(0), None
    slotted = instance.progress != "continuous"
    while True:
        worth = master.solve()
        found = master.price(worth.prices)
        if found.proved > best:
            best, kept = found.proved, worth.prices
        enough = max(known, ceil(best) if slotted else best) >= worth.value - CLOSE
        if enough or limits.over() or not master.extend(worth, found):
            return master, best, kept
