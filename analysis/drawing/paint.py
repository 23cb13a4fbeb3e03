"""A picture as the bytes of a file: SVG by our own writer, PNG and PDF painted by matplotlib."""

import warnings
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

from ...instances.errors import InputError, Problem
from .shapes import Boxes, Line, Picture, Shape, TextLine
from .svg import to_svg

INCH = 96
"""Layout pixels per inch. A PNG has two image pixels per layout pixel."""
POINT = 72 / INCH
"""Points to a pixel."""


def form_of(path: Path, forms: Sequence[str], what: str) -> str:
    """Return the format of a file's suffix, and refuse a format outside `forms`."""
    form = path.suffix.lower().removeprefix(".")
    if form not in forms:
        expected = f"one of .{', .'.join(forms)}"
        problem = Problem("suffix", path.suffix, expected, f"name the file {what}.svg")
        raise InputError(str(path), [problem])
    return form


def painted(picture: Picture, form: str) -> bytes:
    """Return the bytes of an SVG, PNG or PDF file."""
    return to_svg(picture).encode() if form == "svg" else to_plot(picture, form)


def to_plot(picture: Picture, form: str) -> bytes:
    """Return the bytes of a PNG or PDF file."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(picture.width / INCH, picture.height / INCH))
    axes: Any = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    # Shapes of one kind that follow each other go into one collection: quick, and in order.
    for kind, shapes in groupby(picture.flat(), key=type):
        _PAINT[kind](axes, list(shapes))
    made = BytesIO()
    # Publishers refuse fonts of type 3.
    with rc_context({"pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        dated = {"CreationDate": None} if form == "pdf" else None
        figure.savefig(made, format=form, dpi=2 * INCH, metadata=dated)
    return made.getvalue()


def _paint_boxes(axes: Any, many: Iterable[Boxes]) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    corners, fills, edges, widths = [], [], [], []
    for shape in many:
        for x, y, w, h in shape.at:
            corners.append([(x, y), (x + w, y), (x + w, y + h), (x, y + h)])
            fills.append(to_rgba(shape.fill, shape.opacity))
            edges.append(to_rgba(shape.edge or "none"))
            widths.append(shape.edge_width * POINT if shape.edge else 0)
    axes.add_collection(
        PolyCollection(corners, facecolors=fills, edgecolors=edges, linewidths=widths, zorder=1)
    )


def _paint_lines(axes: Any, many: Iterable[Line]) -> None:
    for line in many:
        axes.plot(
            *zip(line.start, line.end, strict=True),
            color=line.colour,
            linewidth=line.width * POINT,
            alpha=line.opacity,
            linestyle=(0, [part / line.width for part in line.dash]) if line.dash else "solid",
            solid_capstyle="butt",
            scalex=False,
            scaley=False,
            zorder=1,
        )


def _paint_texts(axes: Any, many: Iterable[TextLine]) -> None:
    for text in many:
        axes.text(
            *text.at,
            text.text,
            fontsize=text.size * POINT,
            color=text.colour,
            ha={"start": "left", "middle": "center", "end": "right"}[text.anchor],
            va="baseline",
            fontweight="bold" if text.bold else "normal",
            parse_math=False,
            zorder=1,
        )


_PAINT: dict[type[Shape], Any] = {
    Boxes: _paint_boxes,
    Line: _paint_lines,
    TextLine: _paint_texts,
}
