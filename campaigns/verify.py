"""Hold the runs of methods on one instance against what is claimed of the methods.

The least makespan lies between a certified bound and the best checked schedule. While they
neither confirm nor refute some theorem, stronger ones are computed: loads, then a search.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..analysis.guarantees import Guarantee, Verdict, guarantees_of, rule
from ..instances import Bound, BoundKind, Limits, MakespanInstance, RefusedError, Stop
from ..run import Answer, bound, solve
from ..search.bounds import strong_bound

EXACT = "branch-and-bound"
"""The search that decides what bounds leave open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run held against one theorem; `factor` is None where that says nothing."""

    instance: str
    method: str
    guarantee: Guarantee
    bound: Bound
    value: Fraction | None = None
    best: Fraction | None = None
    """The least makespan of all checked schedules of the instance."""
    factor: Fraction | None = None
    verdict: Verdict = Verdict.INCONCLUSIVE
    remark: str = ""

    @property
    def ratio(self) -> Fraction | None:
        """Value over certified bound."""
        return None if self.value is None else self.value / self.bound.value

    @property
    def open(self) -> bool:
        """Whether a better bound or schedule may still decide it."""
        return self.factor is not None and self.verdict is Verdict.INCONCLUSIVE

    @property
    def broken(self) -> bool:
        """Whether something that is proved does not hold: a mistake in proof or code."""
        return self.guarantee.proved and self.verdict is Verdict.VIOLATED


def verify(
    instance: MakespanInstance,
    methods: Sequence[str],
    *,
    seed: int = 0,
    time_limit: float | None = None,
) -> list[Row]:
    """Run `methods` on an instance and return a row for each theorem about each of them."""
    low, answers, refused = bound(instance), [], []
    for method in methods:
        try:
            answer = solve(instance, method, seed=seed, time_limit=time_limit)
            if answer.outcome.stop is Stop.INTERRUPTED:
                raise KeyboardInterrupt
            answers.append(answer)
        except RefusedError as refusal:
            refused += [
                Row(
                    instance=instance.name,
                    method=method,
                    guarantee=g,
                    bound=low,
                    remark=f"{refusal}",
                )
                for g in guarantees_of(method)
            ]
    for answer in answers:
        low = _greater(low, answer.bound)
    rows = _rows(answers, low, _least(answers))
    if any(row.open for row in rows):
        low = _greater(low, strong_bound(instance, Limits(time_s=time_limit), _least(answers)))
        rows = _rows(answers, low, _least(answers))
    if any(row.open for row in rows):
        try:
            exact = solve(instance, EXACT, time_limit=time_limit)
        except RefusedError:
            return rows + refused
        rows = _rows(answers, _greater(low, exact.bound), _least([*answers, exact]))
    return rows + refused


def _greater(low: Bound, other: Bound) -> Bound:
    """Return the better bound; what a solver says without proof is none."""
    if other.kind is BoundKind.SOLVER or other.value <= low.value:
        return low
    return other


def _least(answers: list[Answer]) -> Fraction | None:
    """Return the least checked makespan."""
    return min((a.objective for a in answers if a.valid and a.objective is not None), default=None)


def _rows(answers: list[Answer], low: Bound, best: Fraction | None) -> list[Row]:
    return [
        _row(answer, guarantee, low, best)
        for answer in answers
        for guarantee in guarantees_of(answer.method.name)
    ]


def _row(answer: Answer, guarantee: Guarantee, low: Bound, best: Fraction | None) -> Row:
    yard, value = answer.instance, answer.objective if answer.valid else None
    blank = Row(
        instance=yard.name,
        method=answer.method.name,
        guarantee=guarantee,
        bound=low,
        value=value,
        best=best,
    )
    if value is None or best is None:
        return replace(blank, remark=answer.outcome.note or "no schedule")
    if answer.outcome.stop is not Stop.DONE:
        return replace(blank, remark=f"needs the whole run: {answer.outcome.stop}")
    unmet = guarantee.unmet(yard, answer.method.options)
    if unmet:
        return replace(blank, remark=unmet)
    factor = guarantee.factor(yard)
    return replace(blank, factor=factor, verdict=rule(factor, value, low.value, best))
