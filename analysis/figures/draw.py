"""From a panel to a file, or to the text of an SVG."""

from importlib.util import find_spec
from pathlib import Path

from ...instances.errors import InputError, MissingError, Problem, shorten
from ...instances.writing import write_whole
from ..gantt.svg import to_svg
from .layout import lay_out
from .panel import Panel

FORMATS = ("svg", "pdf", "png")


def figure_format(path: Path) -> str:
    """Return the format that a file's suffix names, or say why it cannot be drawn."""
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        expected = "one of .svg, .pdf, .png"
        problem = Problem("suffix", path.suffix, expected, "name the file figure.svg")
        raise InputError(str(path), [problem])
    if form != "svg" and find_spec("matplotlib") is None:
        raise MissingError(
            f"{shorten(str(path))}: a {form.upper()} figure needs matplotlib, which is not "
            "installed: pip install 'ringyard[plot]'; or draw an .svg file"
        )
    return form


def svg_text(panel: Panel) -> str:
    """Write a panel as SVG for a page, to whose width it scales."""
    return to_svg(lay_out(panel), embedded=True)


def draw_figure(panel: Panel, path: Path) -> None:
    """Write a panel in the format that the suffix of `path` names."""
    form = figure_format(path)
    if form == "svg":
        return write_whole(path, to_svg(lay_out(panel)).encode())
    from ..gantt.plot import to_plot

    return write_whole(path, to_plot(lay_out(panel), form))
