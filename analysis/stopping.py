"""When a run may end early: at a gap, or at a value that is good enough."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite

from ..families import family_of
from ..instances import Bound, Incumbent, Instance, Limits, TerminationReason
from ..instances.outcome import StopSearch
from .check import check

Watch = Callable[[Incumbent], None]
"""Called with every better schedule while a method runs; `StopIteration` from it ends the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingCriterion:
    """The gap or target that ends a run, with the bound that is known before the method begins."""

    instance: Instance
    first: Bound
    limits: Limits
    target: float | Fraction | None = None
    watch: Watch | None = None

    def look(self, incumbent: Incumbent) -> None:
        """Report a better schedule to the caller.

        Raise `StopSearch` if the caller stops the search, or if the criterion holds for this
        schedule and the judge agrees with its value.
        """
        if self.watch is not None:
            bound = family_of(self.instance).tighter(incumbent.bound, float(self.first.value))
            try:
                self.watch(replace(incumbent, bound=bound))
            except StopIteration:
                raise StopSearch(TerminationReason.STOPPED) from None
        if not isfinite(incumbent.value) or self.reached(Fraction(incumbent.value)) is None:
            return
        verdict = check(self.instance, incumbent.schedule)
        value = verdict.objective
        stop = self.reached(value) if verdict.valid and value is not None else None
        if stop is not None:
            raise StopSearch(stop)

    def reached(self, value: Fraction, bound: Fraction | None = None) -> TerminationReason | None:
        """Return why a value ends the search, or None if it does not."""
        # The target is what was written, not what floating point has for it.
        aim = None if self.target is None else Fraction(str(self.target))
        if aim is not None and not family_of(self.instance).better(aim, value):
            return TerminationReason.TARGET
        near = self.limits.near(value, self.first.value if bound is None else bound)
        return TerminationReason.GAP if near else None
