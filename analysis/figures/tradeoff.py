"""One quantity against another, both to be small: what each method pays for what it gets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp, log
from statistics import fmean

from ..charts import Axis, Panel, Point, guide, series_of
from ..rows import Row
from ..stats.cases import Common
from .together import all_answered

INSTANT = 0.001
"""Seconds below this count as this."""


def tradeoff(
    points: Mapping[str, Sequence[Point]],
    *,
    across: str,
    up: str,
    notes: tuple[str, ...] = (),
) -> Panel:
    """Return the points of each method, joined from left to right, and the Pareto front of all."""
    series = series_of({name: sorted(some) for name, some in points.items()}, "line")
    front = pareto_front([point for some in points.values() for point in some])
    if front:
        end = max(x for some in points.values() for x, _ in some)
        series.insert(0, guide([*front, (end, front[-1][1])], "Pareto front", "steps"))
    return Panel(
        about=f"{up} against {across}, by method",
        x=Axis(title=across, log=True),
        y=Axis(title=up),
        series=tuple(series),
        notes=notes,
    )


def pareto_front(points: Iterable[Point]) -> list[Point]:
    """Return the points than which none is as good in both ways and better in one."""
    front: list[Point] = []
    for x, y in sorted(set(points)):
        if not front or y < front[-1][1]:
            front.append((x, y))
    return front


def tradeoff_of(rows: Iterable[Row], *, seedless: Collection[str] = ()) -> Panel:
    """Return for each method its mean time and how far it is, on average, from the best found.

    Times have their geometric mean. The distance is the part of the best objective by which a
    schedule is worse. Both are over the cases that every method answered; methods of one name
    with different options are joined.
    """
    together = all_answered(rows, seedless)
    points: dict[str, list[Point]] = {}
    for chosen in together.runs.values():
        seconds = exp(fmean(log(max(INSTANT, row["seconds"])) for row in chosen))
        loss = fmean(_loss(row, together.common) for row in chosen)
        points.setdefault(_base(chosen[0]), []).append((seconds, 100 * loss))
    return tradeoff(
        points,
        across="seconds (geometric mean)",
        up="worse than the best found, mean (%)",
        notes=(together.note,),
    )


def _loss(row: Row, common: Common) -> float:
    """Return by which part of the best objective a schedule is worse."""
    best = common.best[row["digest"], row["horizon"]]
    return abs(row["objective"] - best) / best if best else 0.0


def _base(row: Row) -> str:
    """Return the name of a method without its options."""
    name: str = row["method"]
    return name.removesuffix(f":{row['options']}") if row["options"] else name
