"""A figure as data: series over two axes, and what is said below them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

from ...instances.errors import InputError, Problem, Words, unknown
from ..drawing.colours import INK
from ..intervals import Interval
from .axis import Axis, Point
from .looks import GUIDE, LOOKS, PALETTE, Look

Value = Interval | float | None

Way = Literal["steps", "line", "points", "bars"]
"""A value holds until the next one; points are joined; points stand alone, or on bars."""

Kind = Literal["bars", "line", "plain", "dashed", "points", "marks"]
"""Bars; points joined by a line; a line alone, solid or dashed; points alone, full or hollow."""

WAYS: dict[Kind, Way] = {
    "bars": "bars",
    "line": "line",
    "plain": "line",
    "dashed": "line",
    "points": "points",
    "marks": "points",
}
DASH = (5.0, 3.0)

MOST = 1e250
"""Larger numbers have no place on an axis, nor have fractions below 1/MOST on a log one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points of one look; without a name it is left out of the legend.

    `band` holds (x, low, high): how sure the series is. A `thin` one accompanies another.
    """

    name: str
    points: tuple[Point, ...]
    way: Way
    look: Look
    marked: bool = True
    thin: bool = False
    band: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A figure; `about` says in words what it shows, `notes` stand below it."""

    about: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    notes: tuple[str, ...] = ()

    def places(self) -> list[Point]:
        """Return all points, with the corners of bands."""
        corners = [
            (x, y) for series in self.series for x, low, high in series.band for y in (low, high)
        ]
        return [point for series in self.series for point in series.points] + corners

    def problems(self) -> list[Problem]:
        """Return why the panel cannot be drawn; of numbers, the first of each series."""
        found = []
        for series in self.series:
            numbers = [*series.points, *((x, y) for x, *ys in series.band for y in ys)]
            bad = next((p for p in numbers if not self._fits(p)), None)
            if bad is not None:
                value = Words(f"({bad[0]:g}, {bad[1]:g})")
                kinds = [f"{'above 0 ' if a.log else ''}for {a.title!r}" for a in (self.x, self.y)]
                expected = f"finite numbers, {kinds[0]} and {kinds[1]}"
                problem = Problem(series.name or "points", value, expected, "leave it out")
                found.append(problem)
        return found

    def _fits(self, point: Point) -> bool:
        axes = (self.x, self.y)
        return all(
            isfinite(v) and abs(v) <= MOST and (v >= 1 / MOST or not a.log)
            for v, a in zip(point, axes, strict=True)
        )


def looks_for(names: Iterable[str]) -> dict[str, Look]:
    """Give each name a look of its own; there are eight."""
    known = list(dict.fromkeys(names))
    if len(known) > len(LOOKS):
        expected = f"at most {len(LOOKS)}, which can be told apart"
        problem = Problem("methods", Words(str(len(known))), expected, "choose some of them")
        raise InputError("figure", [problem])
    return dict(zip(known, LOOKS, strict=False))


def series_of(points: Mapping[str, Iterable[Point]], way: Way) -> list[Series]:
    """Return a series for each name, each with a look of its own."""
    looks = looks_for(points)
    return [
        Series(name=name, points=tuple(some), way=way, look=looks[name])
        for name, some in points.items()
    ]


def renamed(panel: Panel, names: Mapping[str, str]) -> Panel:
    """Give series other names; each has to be the name of some."""
    there = [one.name for one in panel.series if one.name]
    missing = [name for name in names if name not in there]
    if missing:
        expected, hint = "a name of the legend", "look at the figure without it"
        raise InputError(
            "figure", [unknown("rename", name, there, hint, expected) for name in missing]
        )
    series = (replace(one, name=names.get(one.name, one.name)) for one in panel.series)
    return replace(panel, series=tuple(series))


def with_looks(panel: Panel, names: Collection[str]) -> Panel:
    """Give each series the look that its name has among all, if there are not too many.

    One that stands for a name with several options has the look of the first of them.
    """
    order = sorted(names)
    looks: dict[Look, Look] = {}
    for one in panel.series:
        if one.name and one.look in LOOKS:
            fitting = (i for i, n in enumerate(order) if f"{n}:".startswith(f"{one.name}:"))
            place = next(fitting, len(LOOKS))
            if place >= len(LOOKS) or len(order) > len(LOOKS):
                return panel
            looks[one.look] = LOOKS[place]
    series = (replace(one, look=looks.get(one.look, one.look)) for one in panel.series)
    return replace(panel, series=tuple(series))


def guide(points: Sequence[Point], name: str, way: Way = "line") -> Series:
    """Return a line that helps to read the others; without points it is left out."""
    shown = name if points else ""
    return Series(name=shown, points=tuple(points), way=way, look=GUIDE, marked=False)


def over(name: str, values: Iterable[Value], kind: Kind, colour: str = INK) -> Series:
    """Return a series with a value for each category; None where there is none."""
    known = [(i, value) for i, value in enumerate(values) if value is not None]
    sure = [(i, v) for i, v in known if isinstance(v, Interval) and v.bounded]
    return Series(
        name=name,
        points=tuple((i, v.mean if isinstance(v, Interval) else v) for i, v in known),
        way=WAYS[kind],
        look=Look(colour=colour, dash=DASH if kind == "dashed" else None, hollow=kind == "marks"),
        marked=kind not in ("plain", "dashed"),
        band=tuple((i, v.low, v.high) for i, v in sure),
    )


def by_name(
    values: Mapping[str, Iterable[Value]], kind: Kind, colours: Iterable[str] = PALETTE
) -> tuple[Series, ...]:
    """Return a series over categories for each name, in colours by their order."""
    pairs = zip(values.items(), colours, strict=False)
    return tuple(over(name, some, kind, colour) for (name, some), colour in pairs)


def category_panel(
    about: str, across: str, names: Iterable[str], up: str, series: Iterable[Series]
) -> Panel:
    """Return a panel over categories."""
    x = Axis(title=across, categories=tuple(names))
    return Panel(about=about, x=x, y=Axis(title=up), series=tuple(series))
