"""Verify theorems on random instances: the runs, and what many rows say about each theorem."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from statistics import fmean, median

from ...analysis.guarantees import FactorVerdict, Guarantee, guarantees_of
from ...families import FAMILIES
from ...instances import RefusedError
from ...methods import all_methods
from .verify import VerifiedRun, verify

DIGITS = 3
"""Decimals to which factors and ratios are kept."""


@dataclass(slots=True)
class TheoremTally:
    """The rows of one theorem."""

    verdicts: Counter[FactorVerdict] = field(default_factory=Counter)
    silent: int = 0
    """Runs of which the theorem does not speak: a hypothesis is not met."""
    worst: VerifiedRun | None = None
    """The largest measured ratio."""
    nearest: Fraction = Fraction(0)
    """The largest ratio over its factor, where that is above 1 and so may be too much."""
    points: Counter[tuple[float, float]] = field(default_factory=Counter)
    """How often a factor came with a measured ratio, both rounded."""

    @property
    def mean(self) -> float | None:
        """The mean of the measured ratios."""
        return fmean(ratio for _, ratio in self.points.elements()) if self.points else None

    @property
    def usual(self) -> float | None:
        """The median of the factors."""
        return median(factor for factor, _ in self.points.elements()) if self.points else None

    def add(self, row: VerifiedRun) -> None:
        """Count one row."""
        if row.factor is None or row.ratio is None:
            self.silent += 1
            return
        self.verdicts[row.verdict] += 1
        self.points[round(float(row.factor), DIGITS), round(float(row.ratio), DIGITS)] += 1
        if row.factor > 1:
            self.nearest = max(self.nearest, row.ratio / row.factor)
        self._keep(row)

    def join(self, other: "TheoremTally") -> None:
        """Count the rows of another tally too."""
        self.verdicts.update(other.verdicts)
        self.silent += other.silent
        self.points.update(other.points)
        self.nearest = max(self.nearest, other.nearest)
        if other.worst is not None:
            self._keep(other.worst)

    def _keep(self, row: VerifiedRun) -> None:
        if self.worst is None or (row.ratio or 0) > (self.worst.ratio or 0):
            self.worst = row


@dataclass(slots=True)
class VerifiedRuns:
    """What a campaign has found so far."""

    runs: int = 0
    """Runs of a method that gave a schedule."""
    settled: int = 0
    """Those of which some theorem speaks, with every such theorem confirmed or refuted."""
    tallies: dict[str, TheoremTally] = field(default_factory=dict)
    ratios: dict[str, list[float]] = field(default_factory=dict)
    """Value over proved bound, for each run of a method."""
    broken: list[VerifiedRun] = field(default_factory=list)
    """Rows in which something proved does not hold."""

    def add(self, rows: Iterable[VerifiedRun]) -> None:
        """Count the rows of one run."""
        rows = list(rows)
        speaking = [row for row in rows if row.factor is not None]
        self.settled += bool(speaking) and not any(row.open for row in speaking)
        for row in rows:
            self.tallies.setdefault(row.guarantee.name, TheoremTally()).add(row)
            self.broken += [row] if row.broken else []
        ratio = rows[0].ratio if rows else None
        if ratio is not None:
            self.runs += 1
            self.ratios.setdefault(rows[0].method, []).append(float(ratio))

    def join(self, other: "VerifiedRuns") -> None:
        """Count what another part of the campaign has found."""
        self.runs += other.runs
        self.settled += other.settled
        self.broken += other.broken
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, TheoremTally()).join(tally)
        for method, ratios in other.ratios.items():
            self.ratios.setdefault(method, []).extend(ratios)


NEEDED = {"gadget": "gadget:slot=exact"}
"""Methods whose theorem needs options, with these."""


def random_runs(
    indices: Iterable[int],
    methods: Sequence[str],
    family: str = "makespan",
    *,
    seed: int = 0,
    time_limit: float | None = None,
    theorems: Sequence[Guarantee] | None = None,
) -> Iterator[VerifiedRuns]:
    """Yield what each of the instances with these numbers says."""
    draw = FAMILIES[family].drawn
    if draw is None:
        raise RefusedError(f"no random instances of the family {family!r} are drawn")
    for index in indices:
        found = VerifiedRuns()
        instance = draw(seed, index)
        rows = verify(instance, methods, seed=index, time_limit=time_limit, theorems=theorems)
        for _, run in groupby(rows, key=lambda row: row.method):
            found.add(run)
        yield found


def claimed_policies(family: str = "makespan") -> list[str]:
    """Return the schedulers of a problem family about which a theorem is stated."""
    same = all_methods(family)
    policies = [m.name for m in same if m.kind == "policy" or m.name in NEEDED]
    return [NEEDED.get(name, name) for name in policies if guarantees_of(name)]


def instances_for(runs: int, methods: Sequence[str]) -> int:
    """Return how many instances make at least the given number of runs."""
    return -(-runs // len(methods))
