"""A replay: what was asked, and the row that came of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..rows import Row
from ..stats.references import best_bounds, key_of

AXES = ("cluster", "load", "contention", "policy", "placement")
"""What replays of one workload differ in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisRow:
    """The value of every axis, a row, and the best proved bound of its instance."""

    at: Mapping[str, str]
    row: Row
    bound: float | None
    kind: str

    @property
    def mean(self) -> float | None:
        """The mean completion time, if the judge has one."""
        return float(self.row["objective"]) if self.row["valid"] else None

    @property
    def gap(self) -> float | None:
        """How far the mean is above the bound, as a part of the mean."""
        if self.mean is None or self.bound is None:
            return None
        return (self.mean - self.bound) / self.mean

    def distance(self) -> dict[str, float | str | None]:
        """Return bound, kind and gap for programs."""
        return {"bound": self.bound, "bound_kind": self.kind or None, "gap": self.gap}


def cases_of(pairs: Iterable[tuple[Mapping[str, str], Row]], rows: Sequence[Row]) -> list[AxisRow]:
    """Return the cases; bounds are the best of all `rows`, of any method."""
    bounds = best_bounds(rows)
    best = {key_of(row): row for row in rows if row["bound"] == bounds.get(key_of(row))}
    return [
        AxisRow(at=at, row=row, bound=bounds.get(key_of(row)), kind=_kind(best.get(key_of(row))))
        for at, row in pairs
    ]


def _kind(row: Row | None) -> str:
    return str(row["bound_kind"]) if row else ""


def values_of(cases: Sequence[AxisRow], axis: str) -> list[str]:
    """Return the values of an axis, in the order in which they were asked for."""
    return list(dict.fromkeys(case.at[axis] for case in cases))


def contender(case: AxisRow, cases: Sequence[AxisRow]) -> str:
    """Name what an operator may choose from day to day: the policy, and the placement if varied."""
    place = case.at["placement"]
    return case.at["policy"] + (f" {place}" if "placement" in varied(cases) else "")


def varied(cases: Sequence[AxisRow]) -> list[str]:
    """Return the axes that have more than one value."""
    return [axis for axis in AXES if len(values_of(cases, axis)) > 1]
