"""When a run may end early: at a gap, or at a value that is good enough."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from ..families import family_of
from ..instances import Bound, Glimpse, Instance, Limits, Stop
from ..instances.errors import InputError, Problem, Words
from ..instances.outcome import EnoughError
from .check import check


def refuse_aims(gap: float | None, target: float | Fraction | None) -> None:
    """Raise `InputError` for what no run can aim at."""
    problems = []
    if gap is not None and not 0 <= gap < 1:
        advice = "0.01 is one per cent"
        problems.append(Problem("gap", Words(f"{gap:g}"), "0 or more, and less than 1", advice))
    if target is not None and not isfinite(target):
        advice = "give a value of the objective"
        problems.append(Problem("target", Words(str(target)), "a finite number", advice))
    if problems:
        raise InputError("when to stop", problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enough:
    """What was asked for, and the bound that is known before the method begins."""

    instance: Instance
    first: Bound
    limits: Limits
    target: Fraction | None = None

    def look(self, glimpse: Glimpse) -> None:
        """Raise `EnoughError` if a schedule is enough, and the judge agrees with its value."""
        if not isfinite(glimpse.value) or self.reached(Fraction(glimpse.value)) is None:
            return
        verdict = check(self.instance, glimpse.schedule)
        value = verdict.objective
        stop = self.reached(value) if verdict.valid and value is not None else None
        if stop is not None:
            raise EnoughError(stop)

    def reached(self, value: Fraction, bound: Fraction | None = None) -> Stop | None:
        """Say why a value is enough, or None if it is not."""
        if self.target is not None and not family_of(self.instance).better(self.target, value):
            return Stop.TARGET
        near = self.limits.near(value, self.first.value if bound is None else bound)
        return Stop.GAP if near else None
