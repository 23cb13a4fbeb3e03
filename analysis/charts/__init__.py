"""One kit for charts of numbers: panels of series over two axes, told apart in colour and in grey.

It draws points, joined or not, steps, bars and bands, over a continuous axis with a legend below,
alone or as small multiples, or over a few categories with the names at the right ends; linear
and logarithmic axes; SVG by our own writer, PNG and PDF by matplotlib. It does not draw, and will
not: schedules over time and graphs of steps, which have layouts of their own in the same shapes
(`gantt/shapes.py`); areas, heat maps, pies, a second upright axis, anything with depth, colours
or sizes that stand for numbers, and anything that moves. What is plotted is not computed here: a
kind of figure (`figures/`, `papers/`) makes a `Panel` of rows.
"""

from .axis import Axis, Point, Scale, View
from .draw import draw_figure, figure_format, lay_out, svg_text
from .grid import PanelGrid, lay_out_grid
from .looks import LOOKS, PALETTE, Look
from .panel import (
    Kind,
    Panel,
    Series,
    Value,
    by_name,
    category_panel,
    guide,
    looks_for,
    over,
    renamed,
    series_of,
    with_looks,
)

__all__ = [
    "LOOKS",
    "PALETTE",
    "Axis",
    "Kind",
    "Look",
    "Panel",
    "PanelGrid",
    "Point",
    "Scale",
    "Series",
    "Value",
    "View",
    "by_name",
    "category_panel",
    "draw_figure",
    "figure_format",
    "guide",
    "lay_out",
    "lay_out_grid",
    "looks_for",
    "over",
    "renamed",
    "series_of",
    "svg_text",
    "with_looks",
]
