"""When a run may end early: at a gap, or at a value that is good enough."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite

from ..families import family_of
from ..instances import Bound, Glimpse, Instance, Limits, Stop
from ..instances.outcome import StopSearch
from .check import check

Watch = Callable[[Glimpse], None]
"""Called with every better schedule while a method runs; `StopIteration` from it ends the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingCriterion:
    """The gap or target that ends a run, with the bound that is known before the method begins."""

    instance: Instance
    first: Bound
    limits: Limits
    target: float | Fraction | None = None
    watch: Watch | None = None

    def look(self, glimpse: Glimpse) -> None:
        """Report a better schedule to the caller.

        Raise `StopSearch` if the caller stops the search, or if the criterion holds for this
        schedule and the judge agrees with its value.
        """
        if self.watch is not None:
            bound = family_of(self.instance).tighter(glimpse.bound, float(self.first.value))
            try:
                self.watch(replace(glimpse, bound=bound))
            except StopIteration:
                raise StopSearch(Stop.STOPPED) from None
        if not isfinite(glimpse.value) or self.reached(Fraction(glimpse.value)) is None:
            return
        verdict = check(self.instance, glimpse.schedule)
        value = verdict.objective
        stop = self.reached(value) if verdict.valid and value is not None else None
        if stop is not None:
            raise StopSearch(stop)

    def reached(self, value: Fraction, bound: Fraction | None = None) -> Stop | None:
        """Return why a value ends the search, or None if it does not."""
        # The target is what was written, not what floating point has for it.
        aim = None if self.target is None else Fraction(str(self.target))
        if aim is not None and not family_of(self.instance).better(aim, value):
            return Stop.TARGET
        near = self.limits.near(value, self.first.value if bound is None else bound)
        return Stop.GAP if near else None
