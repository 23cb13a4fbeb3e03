"""When a run may end early: at a gap, or at a value that is good enough."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from ..families import family_of
from ..instances import Bound, Glimpse, Instance, Limits, Stop
from ..instances.outcome import EnoughError
from .check import check


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
