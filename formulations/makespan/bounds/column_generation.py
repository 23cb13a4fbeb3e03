"""The bound of the configuration program: columns by pricing, its value in exact fractions."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, comb

from ....instances import NO_LIMITS, Bound, BoundKind, Limits, MakespanInstance
from ...covering import CLOSE, SCALE, covering
from ...program import Matrix
from ..parts.data import ProgramData, data_of, refuses_slots
from ..parts.paces import Pace, Worth, stretches, worths
from .configurations import BestConfiguration, best_configuration, paces

MOST_STATES = 2_000
"""Pricing looks at multisets of free GPUs; clusters with more of them have no such bound."""


def configuration_bound(instance: MakespanInstance, limits: Limits) -> Bound | None:
    """Return the bound of the configuration program, rounded up to whole slots.

    It is valid whenever the search ends; None means that the instance is refused, or too large.
    """
    sizes = [server.gpus for server in instance.cluster.servers]
    if refuses_slots(instance) or comb(len(sizes) + max(sizes), len(sizes)) > MOST_STATES:
        return None
    master, best, prices = _generated(instance, limits)
    argument = (
        f"at prices from {master.columns} configurations, no slot is worth more than its share, "
        f"and all work takes {float(best):.6g} slots"
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
    """Add columns while they help; return the program, what prices prove, and these prices."""
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
        """Return what a slot of work is worth, rounded up."""
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
        """Return what the prices prove, exactly.

        All work is worth `total`; a slot of the last stretch does at most `most` of it, and the
        stretches before at most their slots times theirs.
        """
        before = sum(
            (stretch.slots or 0) * best.most
            for stretch, best in zip(self._stretches[:-1], found[:-1], strict=True)
        )
        start = Fraction(self._stretches[-1].start)
        return start + max(Fraction(0), Fraction(prices.total - before, max(1, found[-1].most)))

    def extend(self, prices: _Prices, found: list[BestConfiguration]) -> bool:
        """Add the configurations that are worth more than their slots; say whether any are."""
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
