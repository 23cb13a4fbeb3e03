"""Gaps over time, drawn: a panel for each group of instances."""

from collections.abc import Mapping

from ...analysis.figures.canvas import Figure, Point, blank, draw, finished, label
from ...analysis.figures.style import BARE, SIZE, STEPS, looks_for
from .gaps import GapsOverTime

FLOOR, SOONEST = 0.05, 0.02
"""Per cent, and seconds, at which less is drawn: both axes are logarithmic."""

UNDRAWN = ("greedy",)
"""No more than eight lines can be told apart; the table has all."""


WIDTH, HEIGHT = 230.0, 230.0
"""Pixels of a panel."""


def curves(found: Mapping[str, GapsOverTime], limit: float) -> Figure:
    """Draw the panels side by side; a method has the same look in all of them."""
    names = {name: None for one in found.values() for name in one.rows if name not in UNDRAWN}
    about = "per cent above the certified bound over seconds, by method"
    size = (WIDTH * len(found), HEIGHT)
    figure, [row] = blank(about, size, columns=len(found), sharey=True)
    for axes, (group, one) in zip(row, found.items(), strict=True):
        up = f"% above the bound; at {FLOOR:g}: that or less" if axes is row[0] else ""
        label(axes, across="seconds", up=up, log="xy")
        axes.set_title(group, fontsize=SIZE, fontweight="bold", pad=18)
        for name, look in looks_for(names).items():
            draw(axes, _points(one, name, limit), name, look | STEPS | BARE)
    for axes in row:
        axes.set_xlim(left=SOONEST)
    row[0].set_ylim(bottom=FLOOR)
    return finished(figure)


def _points(one: GapsOverTime, name: str, limit: float) -> list[Point]:
    """Return the curve as far as it is drawn, held until the limit."""
    points = [(max(SOONEST, s), max(FLOOR, 100 * gap)) for s, gap in one.curve(name)]
    if points and points[-1][0] < limit:
        points.append((limit, points[-1][1]))
    return points
