"""Performance profiles (Dolan and More 2002), and how much is solved within a time."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..rows import Success, answered, solved
from .cases import Common
from .means import times_to_success
from .references import Key, check_numbers, ratio, refusal


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


FLOOR_S = 0.01
"""Times below this many seconds count as this: shorter ones are noise."""

Costs = Mapping[str, Sequence[float | None]]
"""What every case costs each method, in one order of the cases; None where it failed."""


def performance_profiles(costs: Costs, floor: float) -> dict[str, StepCurve]:
    """Return per method the part of cases on which it is within a factor x of the best.

    Costs below `floor`, which is above 0, count as `floor`. A failure is within no factor; a
    case on which all failed counts as a case.
    """
    check_numbers("performance profile: floor", [floor], least=0)
    if floor == 0 or len({len(costs[name]) for name in costs}) != 1:
        what = "a floor above 0, and as many costs of each method"
        advice = "take all methods over the same cases"
        raise refusal("performance profile", "costs", list(costs), what, advice)
    for values in costs.values():
        if there := [value for value in values if value is not None]:
            check_numbers("performance profile", there, least=0)
    raised = {n: [None if v is None else max(v, floor) for v in costs[n]] for n in costs}
    cases = zip(*raised.values(), strict=True)
    best = [min((v for v in case if v is not None), default=None) for case in cases]
    return {
        name: cumulative(
            None if value is None or least is None else value / least
            for value, least in zip(values, best, strict=True)
        )
        for name, values in raised.items()
    }


def time_profiles(common: Common, *, success: Success = solved) -> dict[str, StepCurve]:
    """Return the performance profiles of all methods on their times to success."""
    costs = {name: times_to_success(common.runs[name], success=success) for name in common.runs}
    return performance_profiles(costs, FLOOR_S)


def ratio_profiles(common: Common, references: Mapping[Key, float]) -> dict[str, StepCurve]:
    """Return per method the part of cases whose objective is within a factor x of its reference.

    `references` are best values or bounds: `common.best`, `common.bounds`. A case without one
    is refused unless no method has a valid answer to it.
    """
    return {name: cumulative(ratios_of(common, name, references)) for name in common.runs}


def ratios_of(common: Common, method: str, references: Mapping[Key, float]) -> list[float | None]:
    """Return the ratio of every case to its reference; None where there is no valid answer."""
    ratios: list[float | None] = []
    for case, row in zip(common.cases, common.runs[method], strict=True):
        if answered(row) and case.key not in references:
            advice = "add a run of the method `bound`, or compare it with the best values"
            raise refusal("ratios", row["instance"], None, "a reference", advice)
        found = (
            ratio(row["objective"], references[case.key], row["sense"]) if answered(row) else None
        )
        ratios.append(found)
    return ratios


def solved_within(common: Common) -> dict[str, StepCurve]:
    """Return per method the part of cases that it solved within x seconds."""
    return {
        name: cumulative(times_to_success(runs, success=solved))
        for name, runs in common.runs.items()
    }
