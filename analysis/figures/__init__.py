"""Figures of a campaign: curves and points over continuous axes, told apart in colour and in grey.

A kind of figure (`ecdf.py`, `profile.py`, ..) turns numbers into a `Panel`; `layout.py` turns a
panel into the plain shapes of `gantt/`, and the painters there write them.
"""

from .axis import Axis
from .draw import draw_figure, figure_format, svg_text
from .layout import lay_out
from .panel import Panel, Series

__all__ = ["Axis", "Panel", "Series", "draw_figure", "figure_format", "lay_out", "svg_text"]
