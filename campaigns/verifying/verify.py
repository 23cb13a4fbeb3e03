"""Check the runs of methods on one instance against what is claimed of the methods.

The best objective lies between a proved bound and the best checked schedule. While they
neither confirm nor refute some theorem, stronger ones are computed: bounds, then a search.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...analysis.guarantees import FactorVerdict, Guarantee, guarantees_of, rule
from ...families import family_of
from ...instances import Bound, BoundKind, Instance, Limits, RefusedError, TerminationReason
from ...run import Answer, bound, solve


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRun:
    """One run checked against one theorem; `factor` is None where that says nothing."""

    instance: str
    method: str
    guarantee: Guarantee
    bound: Bound
    value: Fraction | None = None
    best: Fraction | None = None
    """The best objective of all checked schedules of the instance."""
    factor: Fraction | None = None
    maximize: bool = False
    """Whether the objective is to be large."""
    verdict: FactorVerdict = FactorVerdict.INCONCLUSIVE
    remark: str = ""

    @property
    def ratio(self) -> Fraction | None:
        """How far the value is from the proved bound, as a factor of 1 or more."""
        if not self.value:
            return None
        one, other = self.value, self.bound.value
        return other / one if self.maximize else one / other

    @property
    def open(self) -> bool:
        """Whether a better bound or schedule may still decide it."""
        return self.factor is not None and self.verdict is FactorVerdict.INCONCLUSIVE

    @property
    def broken(self) -> bool:
        """Whether something that is proved does not hold: a mistake in proof or code."""
        return self.guarantee.proved and self.verdict is FactorVerdict.VIOLATED


def verify(
    instance: Instance,
    methods: Sequence[str],
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
            refused += [
                VerifiedRun(
                    instance=instance.name,
                    method=method,
                    guarantee=g,
                    bound=limit,
                    remark=f"{refusal}",
                )
                for g in guarantees_of(method, theorems)
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
    """Return the better bound; what a solver says without proof is none."""
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
        return replace(blank, remark=f"needs the whole run: {answer.outcome.termination}")
    unmet = guarantee.unmet(asked, answer.method.options)
    if unmet:
        return replace(blank, remark=unmet)
    unmet = answer.family.premise(guarantee.name, asked, answer.seed)
    if unmet:
        return replace(blank, remark=unmet)
    factor = guarantee.factor(asked)
    verdict = rule(factor, value, limit.value, best, maximize=answer.family.maximize)
    return replace(blank, factor=factor, verdict=verdict)
