"""What methods made of the same instances over time, against the best certified bounds."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ...analysis.rows import Row
from ..study import certified

Curve = list[tuple[float, float]]
"""Seconds, and the part of the bound by which the best so far exceeds it."""


class GapsOverTime:
    """What methods made of the instances of a group, against the best certified bounds."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Compute the bounds; a value across one is an error."""
        self.rows = rows
        by_seed = zip(*rows.values(), strict=True)
        self.bounds = [certified([r for r in some if r["bound"] is not None]) for some in by_seed]

    def refused(self, name: str) -> bool:
        """Say whether a method takes none of the instances."""
        return all(row["status"] == "refused" for row in self.rows[name])

    def curve(self, name: str) -> Curve:
        """Return the mean gap at each moment at which it changes, from when all have one."""
        paths = [_path(row, bound) for row, bound in self._pairs(name)]
        if not all(paths):
            return []
        first = max(path[0][0] for path in paths)
        moments = sorted({first, *(s for path in paths for s, _ in path if s > first)})
        return [(moment, fmean(_at(path, moment) for path in paths)) for moment in moments]

    def at(self, name: str, moment: float) -> float | None:
        """Return the mean gap at a moment, None before all instances have a schedule."""
        curve = self.curve(name)
        return _at(curve, moment) if curve and curve[0][0] <= moment else None

    def proofs(self, name: str) -> int:
        """Return how many runs ended with an optimum and knew it."""
        return sum(row["status"] == "optimal" for row in self.rows[name])

    def _pairs(self, name: str) -> Iterator[tuple[Row, float]]:
        yield from zip(self.rows[name], self.bounds, strict=True)


def _path(row: Row, bound: float) -> Curve:
    if not row["valid"]:
        return []
    steps = [(s, value / bound - 1) for s, value, _ in row["trajectory"] if value is not None]
    best: Curve = []
    for moment, gap in steps:
        best.append((moment, min(gap, best[-1][1]) if best else gap))
    return best


def _at(path: Curve, moment: float) -> float:
    return [gap for seconds, gap in path if seconds <= moment][-1]
