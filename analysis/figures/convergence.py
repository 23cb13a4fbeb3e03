"""How the best schedule, and the bound on it, came to be known over time."""

from collections import Counter
from collections.abc import Sequence

from ..charts import Axis, Panel, Point, Series, guide, looks_for
from ..rows import BOUND, Row
from ..stats.references import best_bounds

INSTANT = 0.001
"""On a logarithmic axis, what came sooner stands here (s)."""


def convergence(rows: Sequence[Row], *, log_time: bool = False) -> Panel:
    """Return objective and bound over the seconds of each run, all of one instance.

    A bound appears where the method itself told of one on the way; the best proved bound,
    known only afterwards, is a line across. Runs that compute a bound alone have no curve.
    """
    runs = [row for row in rows if row["method"] != BOUND]
    names = _names(runs)
    looks = looks_for(names)
    series: list[Series] = []
    for name, row in zip(names, runs, strict=True):
        found, bounds = _paths(row, log_time)
        look = looks[name]
        series.append(Series(name=name, points=found, way="steps", look=look))
        if bounds:
            thin = Series(name="", points=bounds, way="steps", look=look, marked=False, thin=True)
            series.append(thin)
    ends = [x for one in series for x, _ in one.points]
    for value in best_bounds(rows).values():
        across = [(min(ends), value), (max(ends), value)] if ends else []
        series.insert(0, guide(across, "proved bound"))
    notes = ("thick: best found; thin: its bound",) if any(one.thin for one in series) else ()
    instance = rows[0]["instance"] if rows else "nothing"
    return Panel(
        about=f"objective and bound over time: {instance}",
        x=Axis(title="seconds", log=log_time),
        y=Axis(title=f"objective on {instance}"),
        series=tuple(series),
        notes=notes,
    )


def _names(rows: Sequence[Row]) -> list[str]:
    """Name each run by its method, with seed and repetition where that is not enough."""
    count = Counter(row["method"] for row in rows)
    return [row["method"] if count[row["method"]] == 1 else _long_name(row) for row in rows]


def _long_name(row: Row) -> str:
    again = f", run {row['repetition']}" if row["repetition"] else ""
    return f"{row['method']}, seed {row['seed']}{again}"


def _paths(row: Row, log_time: bool) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Return the steps of the objective and of the bound, held to the end of the run."""
    first = INSTANT if log_time else 0.0
    trajectory = row["trajectory"] or []
    found = [(max(first, s), value) for s, value, _ in trajectory if value is not None]
    bounds = [(max(first, s), bound) for s, _, bound in trajectory if bound is not None]
    if not found and row["objective"] is not None:
        found = [(max(first, row["seconds"]), row["objective"])]
    return _held(found, row["seconds"]), _held(bounds, row["seconds"])


def _held(points: list[Point], end: float | None) -> tuple[Point, ...]:
    if points and end is not None and end > points[-1][0]:
        return *points, (end, points[-1][1])
    return tuple(points)
