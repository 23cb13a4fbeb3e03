"""Step functions: where they rise, and how high they are from there on."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from .refusals import check_numbers, refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCurve:
    """The part of `count` values that are at most x: `heights[i]` from `places[i]` on.

    Left of the first place it is 0. Values that are None lie beyond every x.
    """

    places: tuple[float, ...]
    heights: tuple[float, ...]
    count: int

    def __call__(self, x: float) -> float:
        """Return the height at x, the step at x included."""
        return self.heights[i - 1] if (i := bisect_right(self.places, x)) else 0.0

    @property
    def end(self) -> float:
        """The height that is reached in the end: the part of values that there are."""
        return self.heights[-1] if self.heights else 0.0


def cumulative(values: Iterable[float | None]) -> StepCurve:
    """Return the part of the values that are at most x, as a function of x."""
    values = list(values)
    if not values:
        raise refusal("steps", "values", values, "at least one", "there is nothing to count")
    there = sorted(value for value in values if value is not None)
    if there:
        check_numbers("steps", there)
    upto = {value: i / len(values) for i, value in enumerate(there, 1)}
    return StepCurve(places=tuple(upto), heights=tuple(upto.values()), count=len(values))
