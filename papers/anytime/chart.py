"""Gaps over time, drawn: a panel for each group of instances."""

from collections.abc import Mapping

from ...analysis.charts import Axis, Panel, PanelGrid, Point, Series, lay_out_grid, looks_for
from ...analysis.drawing.shapes import Picture
from .gaps import GapsOverTime

FLOOR, SOONEST = 0.05, 0.02
"""Per cent, and seconds, at which less is drawn: both axes are logarithmic."""

UNDRAWN = ("greedy",)
"""No more than eight lines can be told apart; the table has all."""


def curves(found: Mapping[str, GapsOverTime], limit: float) -> Picture:
    """Return the panels side by side; a method has the same look in all of them."""
    names = {name: None for one in found.values() for name in one.rows if name not in UNDRAWN}
    looks, panels = looks_for(names), []
    for group, one in found.items():
        drawn = {name: _points(one, name, limit) for name in names}
        series = (
            Series(name=name, points=points, way="steps", look=looks[name], marked=False)
            for name, points in drawn.items()
            if points
        )
        panels.append(
            Panel(
                about=f"{group}: per cent above the certified bound over seconds, by method",
                x=Axis(title="seconds", log=True, low=SOONEST),
                y=Axis(title=f"% above the bound; at {FLOOR:g}: that or less", log=True, low=FLOOR),
                series=tuple(series),
            )
        )
    about = "per cent above the certified bound over seconds, by method"
    return lay_out_grid(PanelGrid(about=about, heads=tuple(found), rows=(tuple(panels),)))


def _points(one: GapsOverTime, name: str, limit: float) -> tuple[Point, ...]:
    """Return the curve as far as it is drawn, held until the limit."""
    points = [(max(SOONEST, s), max(FLOOR, 100 * gap)) for s, gap in one.curve(name)]
    if points and points[-1][0] < limit:
        points.append((limit, points[-1][1]))
    return tuple(points)
