"""How far values are from a bound, run by run."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ...instances.errors import InputError, Problem, Words
from ..charts import Axis, Panel, Point, Series, guide, series_of
from ..rows import Row, answered
from ..sources import Sources
from ..stats.references import best_bounds, key_of, ratio
from ..stats.wrong import mark_wrong
from ..theorem_check import check_theorems

Points = Mapping[str, Sequence[Point]]


def factors(points: Points) -> Panel:
    """Return the (factor, ratio) of each run; above the diagonal a theorem would be violated."""
    ends = [value for some in points.values() for point in some for value in point]
    diagonal = [(end, end) for end in (min(ends), max(ends))] if ends else []
    return _scatter(points, "proved factor", "measured ratio", guide(diagonal, "ratio = factor"))


def ratios_of(rows: Iterable[Row]) -> Panel:
    """Return the ratio to the best proved bound of every valid answer, against that bound.

    Where the objective is to be large, the ratio is bound over objective; 1 is the optimum.
    An answer of 0 where more may be possible has no ratio; the note counts such answers.
    """
    marked = mark_wrong(rows)
    bounds = best_bounds(marked)
    valid = [row for row in marked if answered(row) and key_of(row) in bounds]
    points: dict[str, list[Point]] = {row["method"]: [] for row in valid}
    for row in valid:
        bound = bounds[key_of(row)]
        value = ratio(row["objective"], bound, row["sense"])
        if value is not None and bound > 0:
            points[row["method"]].append((bound, value))
    shown = [x for some in points.values() for x, _ in some]
    level = [(min(shown), 1.0), (max(shown), 1.0)] if shown else []
    missing = len(valid) - len(shown)
    notes = (f"answers without a ratio, left out: {missing}",) if missing else ()
    return _scatter(points, "proved bound", "ratio to the bound", guide(level, "optimal"), notes)


def factors_of(rows: Iterable[Row], sources: Sources) -> Panel:
    """Return the measured ratio against the least proved factor, of every run that has one."""
    marked = mark_wrong(rows)
    points: dict[str, list[Point]] = {}
    for row, some in groupby(check_theorems(marked, marked, sources), key=lambda one: one[0]):
        known = [
            (float(one.factor), one.ratio)
            for _, guarantee, one in some
            if guarantee.proved and one.factor is not None and one.ratio is not None
        ]
        if known:
            points.setdefault(row["method"], []).append(min(known))
    if not points:
        found, expected = Words("no run"), "one of which a proved theorem speaks"
        raise InputError("figure", [Problem("rows", found, expected, "choose other methods")])
    return factors(points)


def _scatter(
    points: Points, across: str, up: str, line: Series, notes: tuple[str, ...] = ()
) -> Panel:
    series = series_of(dict(sorted(points.items())), "points")
    return Panel(
        about=f"{up} against {across}, by method",
        x=Axis(title=across, log=True),
        y=Axis(title=up, log=True),
        series=(line, *series),
        notes=notes,
    )
