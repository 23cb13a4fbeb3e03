"""Figures over a few categories: bars, lines and marks with intervals, on one scale from 0."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

from ..drawing.colours import FAINT, INK, PAPER, mixed
from ..drawing.paint import INCH, POINT
from ..drawing.shapes import text_width
from ..intervals import Interval
from .canvas import Axes, Figure, blank, draw, label
from .style import BARE, HOLLOW, LOOKS, POINTS, SIZE, SOLID, Look

Value = Interval | float | None

Kind = Literal["bars", "line", "plain", "dashed", "points", "marks"]
"""Bars; points joined by a line; a solid or dashed line; filled or hollow points."""

CHANGES: dict[Kind, Look] = {
    "bars": {},
    "line": {},
    "plain": BARE | SOLID | {"zorder": 1.9},
    "dashed": BARE | {"linestyle": (0, (4, 2.4)), "zorder": 1.9},
    "points": POINTS,
    "marks": HOLLOW,
}

SINGLE, SHARED, HEIGHT, LOW = 480.0, 380.0, 300.0, 210.0
"""Width in pixels of a single panel and of a panel in a row, and heights of one row and several."""
DODGE = 0.055
"""Distance between lines with intervals as a share of a category, to keep all visible."""


def category_figure(
    about: str, *panels: tuple[str, Iterable[str], str], rows: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure and its axes, row by row, each over some categories.

    A panel is the title of its categories, their names, and the title of the values. Panels side
    by side have one scale.
    """
    columns = len(panels) // rows
    size = SINGLE if columns == 1 else SHARED * columns, HEIGHT if rows == 1 else LOW * rows
    figure, grid = blank(about, size, rows, columns, sharey="row")
    flat = [axes for row in grid for axes in row]
    for axes, (across, names, up) in zip(flat, panels, strict=True):
        shown = list(names)
        label(axes, across=across, up=up)
        axes.set_xticks(range(len(shown)), shown)
        axes.tick_params(axis="x", labelcolor=INK)
        axes.grid(visible=False, axis="x")
        axes.set_xlim(-0.5, len(shown) - 0.5)
        axes.set_ylim(0, 1e-9)
    return figure, flat


def over(
    axes: Axes,
    name: str,
    values: Iterable[Value],
    kind: Kind,
    look: Look = LOOKS[0],
    shift: float = 0.0,
) -> None:
    """Draw a value for each category, with its interval if it has one. Skip None."""
    known = [(i + shift, value) for i, value in enumerate(values) if value is not None]
    points = [(x, v.mean if isinstance(v, Interval) else float(v)) for x, v in known]
    sure = [(x, v) for x, v in known if isinstance(v, Interval) and v.bounded]
    if kind == "bars":
        _draw_bars(axes, points, name, look["color"])
    else:
        level = kind in ("plain", "dashed") and len({y for _, y in points}) == 1
        ends = axes.get_xlim() if level else ()
        shown = [(x, points[0][1]) for x in ends] or points
        draw(axes, shown, name, look | CHANGES[kind])
    for x, value in sure:
        low = max(0.0, value.low)
        spread = [[max(0.0, value.mean - low)], [max(0.0, value.high - value.mean)]]
        ink = mixed(look["color"], INK, 0.35)
        axes.errorbar(
            x, value.mean, spread, fmt="none", ecolor=ink, elinewidth=0.9, capsize=2, zorder=2.5
        )
    most = max([y for _, y in points] + [value.high for _, value in sure], default=0.0)
    axes.set_ylim(0, max(axes.get_ylim()[1], 1.05 * most))


def _draw_bars(axes: Axes, points: Sequence[tuple[float, float]], name: str, colour: str) -> None:
    """Draw bars with their values at the foot, clear of the intervals."""
    pale = mixed(colour, PAPER, 0.45)
    across, up = zip(*points, strict=True) if points else ((), ())
    axes.bar(across, up, width=0.62, color=pale, edgecolor=FAINT, label=name)
    texts = [f"{value:.0f}" for value in up]
    room = axes.bbox.width / axes.figure.dpi * INCH / max(1, len(axes.get_xticks()))
    upright = max((text_width(text, SIZE) for text in texts), default=0) > 0.8 * room
    for x, text in zip(across, texts, strict=True):
        axes.annotate(
            text,
            (x, 0),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            rotation=90 if upright else 0,
            fontsize=SIZE * POINT,
            fontweight="bold",
        )


def by_name(
    axes: Axes,
    values: Mapping[str, Iterable[Value]],
    kind: Kind,
    looks: Iterable[Look] = LOOKS,
) -> None:
    """Draw a series over the categories for each name, in looks by their order.

    The legend has the number of series that are not shown because no look is left.
    """
    drawn = {name: list(some) for name, some in values.items()}
    distinct = list(islice(looks, len(drawn)))
    sure = any(isinstance(v, Interval) and v.bounded for some in drawn.values() for v in some)
    step = min(DODGE, 0.5 / max(1, len(drawn))) if sure else 0.0
    for i, ((name, some), look) in enumerate(zip(drawn.items(), distinct, strict=False)):
        over(axes, name, some, kind, look, step * (i - (len(drawn) - 1) / 2))
    if more := len(drawn) - len(distinct):
        draw(axes, [], f"{more} more not shown", POINTS | BARE)
