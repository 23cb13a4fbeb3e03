"""From panels to a file, or to the text of an SVG."""

from collections.abc import Sequence
from pathlib import Path

from ...instances.writing import write_whole
from ..drawing.paint import form_of, painted
from ..drawing.svg import to_svg
from .layout import lay_out
from .panel import Panel

FORMATS = ("svg", "pdf", "png")


def figure_format(path: Path) -> str:
    """Return the format that a file's suffix names, or say why it cannot be drawn."""
    return form_of(path, FORMATS, "figure", ".svg")


def svg_text(panel: Panel) -> str:
    """Write a panel as SVG for a page, to whose width it scales."""
    return to_svg(lay_out(panel), embedded=True)


def draw_figure(panels: Panel | Sequence[Panel], path: Path) -> None:
    """Write a panel, or several, in the format that the suffix of `path` names."""
    form = figure_format(path)
    write_whole(path, painted(lay_out(panels), form))
