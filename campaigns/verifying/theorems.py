"""Check runs of methods against claims about them, on one instance and on random ones.

The best objective lies between a proved bound and the best checked schedule. While they neither
confirm nor refute some theorem, slower ones are computed: bounds, then a search.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from statistics import fmean, median

from ...analysis.guarantees import FactorVerdict, Guarantee, guarantees_of, rule
from ...families.registry import FAMILIES, family_of
from ...instances import Bound, BoundKind, Instance, Limits, RefusedError, TerminationReason
from ...methods import Named, all_methods, find_method
from ...run import Answer, bound, solve


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRun:
    """One run checked against one theorem. `factor` is None if the theorem does not apply."""

    instance: str
    method: str
    guarantee: Guarantee
    bound: Bound
    value: Fraction | None = None
    best: Fraction | None = None
    """The best objective of all checked schedules of the instance."""
    factor: Fraction | None = None
    maximize: bool = False
    """True if the objective is maximized."""
    verdict: FactorVerdict = FactorVerdict.INCONCLUSIVE
    remark: str = ""

    @property
    def ratio(self) -> Fraction | None:
        """Ratio of the value to the proved bound as a factor of 1 or more."""
        if not self.value:
            return None
        one, other = self.value, self.bound.value
        return other / one if self.maximize else one / other

    @property
    def open(self) -> bool:
        """True if a better bound or schedule may still decide it."""
        return self.factor is not None and self.verdict is FactorVerdict.INCONCLUSIVE

    @property
    def broken(self) -> bool:
        """True if something that is proved does not hold: a mistake in proof or code."""
        return self.guarantee.proved and self.verdict is FactorVerdict.VIOLATED


def verify(
    instance: Instance,
    methods: Sequence[Named],
    *,
    seed: int = 0,
    time_limit: float | None = None,
    theorems: Sequence[Guarantee] | None = None,
) -> list[VerifiedRun]:
    """Run `methods` on an instance and return a row for each of the theorems about each of them."""
    limit, answers, refused = bound(instance), [], []
    family = family_of(instance)
    for method in methods:
        try:
            answer = solve(instance, method, seed=seed, time_limit=time_limit)
            if answer.outcome.termination is TerminationReason.INTERRUPTED:
                raise KeyboardInterrupt
            answers.append(answer)
        except RefusedError as refusal:
            name = find_method(method, family.kind).name
            refused += [
                VerifiedRun(
                    instance=instance.name,
                    method=name,
                    guarantee=g,
                    bound=limit,
                    remark=f"{refusal}",
                )
                for g in guarantees_of(name, theorems)
            ]
    for answer in answers:
        limit = _tighter(limit, answer.bound, family.maximize)
    rows = _rows(answers, limit, _best(answers), theorems)
    if any(row.open for row in rows):
        strong = family.strong(instance, Limits(time_s=time_limit), _best(answers))
        limit = _tighter(limit, strong, family.maximize)
        rows = _rows(answers, limit, _best(answers), theorems)
    if family.decides and any(row.open for row in rows):
        try:
            exact = solve(instance, family.decides, time_limit=time_limit)
        except RefusedError:
            return rows + refused
        limit = _tighter(limit, exact.bound, family.maximize)
        rows = _rows(answers, limit, _best([*answers, exact]), theorems)
    return rows + refused


def _tighter(bound: Bound, other: Bound, maximize: bool) -> Bound:
    """Return the better bound, ignoring claims of a solver without proof."""
    better = other.value < bound.value if maximize else other.value > bound.value
    return other if better and other.kind is not BoundKind.SOLVER else bound


def _best(answers: list[Answer]) -> Fraction | None:
    """Return the best checked objective."""
    values = [a.objective for a in answers if a.valid and a.objective is not None]
    if not values:
        return None
    return max(values) if answers[0].family.maximize else min(values)


def _rows(
    answers: list[Answer], limit: Bound, best: Fraction | None, theorems: Sequence[Guarantee] | None
) -> list[VerifiedRun]:
    return [
        _row(answer, guarantee, limit, best)
        for answer in answers
        for guarantee in guarantees_of(answer.method.name, theorems)
    ]


def _row(answer: Answer, guarantee: Guarantee, limit: Bound, best: Fraction | None) -> VerifiedRun:
    asked, value = answer.instance, answer.objective if answer.valid else None
    blank = VerifiedRun(
        instance=asked.name,
        method=answer.method.name,
        guarantee=guarantee,
        bound=limit,
        value=value,
        best=best,
        maximize=answer.family.maximize,
    )
    if value is None or best is None:
        return replace(blank, remark=answer.outcome.note or "no schedule")
    if answer.outcome.termination is not TerminationReason.DONE:
        return replace(blank, remark=f"needs the whole run: {answer.outcome.termination.words}")
    unmet = guarantee.unmet(asked, answer.method.options)
    if unmet:
        return replace(blank, remark=unmet)
    unmet = answer.family.premise(guarantee.name, asked, answer.seed)
    if unmet:
        return replace(blank, remark=unmet)
    factor = guarantee.factor(asked)
    verdict = rule(factor, value, limit.value, best, maximize=answer.family.maximize)
    return replace(blank, factor=factor, verdict=verdict)


DIGITS = 3
"""Decimals to which factors and ratios are kept."""


@dataclass(slots=True)
class TheoremTally:
    """The rows of one theorem."""

    verdicts: Counter[FactorVerdict] = field(default_factory=Counter)
    silent: int = 0
    """Number of runs with an unmet hypothesis."""
    worst: VerifiedRun | None = None
    """The largest measured ratio."""
    nearest: Fraction = Fraction(0)
    """The largest ratio over its factor if above 1, a possible violation."""
    points: Counter[tuple[float, float]] = field(default_factory=Counter)
    """Frequencies of pairs of factor and measured ratio, both rounded."""

    @property
    def mean(self) -> float | None:
        """The mean of the measured ratios."""
        return fmean(ratio for _, ratio in self.points.elements()) if self.points else None

    @property
    def usual(self) -> float | None:
        """The median of the factors."""
        return median(factor for factor, _ in self.points.elements()) if self.points else None

    def add(self, row: VerifiedRun) -> None:
        """Add one row."""
        if row.factor is None or row.ratio is None:
            self.silent += 1
            return
        self.verdicts[row.verdict] += 1
        self.points[round(float(row.factor), DIGITS), round(float(row.ratio), DIGITS)] += 1
        if row.factor > 1:
            self.nearest = max(self.nearest, row.ratio / row.factor)
        self._keep(row)

    def join(self, other: "TheoremTally") -> None:
        """Add the rows of another tally."""
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
    """The verified runs of a campaign so far."""

    runs: int = 0
    """Runs of a method that gave a schedule."""
    settled: int = 0
    """Number of runs with an applicable theorem, all of them confirmed or refuted."""
    tallies: dict[str, TheoremTally] = field(default_factory=dict)
    ratios: dict[str, list[float]] = field(default_factory=dict)
    """Value over proved bound, for each run of a method."""
    broken: list[VerifiedRun] = field(default_factory=list)
    """Rows that contradict a proved statement."""

    def add(self, rows: Iterable[VerifiedRun]) -> None:
        """Add the rows of one run."""
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
        """Add the verified runs of another part of the campaign."""
        self.runs += other.runs
        self.settled += other.settled
        self.broken += other.broken
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, TheoremTally()).join(tally)
        for method, ratios in other.ratios.items():
            self.ratios.setdefault(method, []).extend(ratios)


NEEDED = {
    "gadget": ("gadget:slot=exact",),
    "whole-server-list": ("whole-server-list", "whole-server-list:batches=yes"),
}
"""Methods with a theorem that needs options, as they are run."""


def random_runs(
    indices: Iterable[int],
    methods: Sequence[str],
    family: str = "makespan",
    *,
    seed: int = 0,
    time_limit: float | None = None,
    theorems: Sequence[Guarantee] | None = None,
) -> Iterator[VerifiedRuns]:
    """Yield the verified runs on each of the instances with these numbers."""
    draw = FAMILIES[family].drawn
    if draw is None:
        raise RefusedError(f"there are no random instances of the family {family!r}")
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
    claimed = (NEEDED.get(name, (name,)) for name in policies if guarantees_of(name))
    return [text for texts in claimed for text in texts]


def instances_for(runs: int, methods: Sequence[str]) -> int:
    """Return the number of instances for at least the given number of runs."""
    return -(-runs // len(methods))
