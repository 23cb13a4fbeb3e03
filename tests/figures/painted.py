"""What figures show, whether it can be read, and how far two painted pictures are apart."""

from collections.abc import Iterator
from io import BytesIO
from itertools import combinations
from math import cos, radians, sin
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ringyard.analysis.drawing.paint import to_plot
from ringyard.analysis.drawing.shapes import Picture
from ringyard.analysis.figures.style import STYLE
from ringyard.analysis.rows import VERSION, Row, whole_row

BLOCK = 16
"""Side of a block of pixels: about a mark."""


def png(picture: Picture) -> bytes:
    return to_plot(picture, "png")


def difference(one: bytes, other: bytes) -> float:
    """Return the largest mean difference of a block of pixels; infinite for unequal sizes."""
    from matplotlib.image import imread

    a, b = (imread(BytesIO(data))[..., :3] for data in (one, other))
    if a.shape != b.shape:
        return float("inf")
    height, width = (size // BLOCK * BLOCK for size in a.shape[:2])
    apart = np.abs(a - b)[:height, :width].mean(axis=2)
    blocks = apart.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    return float(blocks.mean(axis=(1, 3)).max())


def points(figure: Any, name: str) -> list[tuple[float, float]]:
    """Return the points of the line of a name."""
    (line,) = (one for axes in figure.axes for one in axes.lines if one.get_label() == name)
    return [(float(x), float(y)) for x, y in line.get_xydata()]


def names(figure: Any) -> list[str]:
    """Return the names of the legend."""
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def notes(figure: Any) -> str:
    """Return what is said below a figure, above its legend."""
    return " ".join(legend.get_title().get_text() for legend in figure.legends).replace("\n", " ")


def assert_readable(figure: Any) -> None:
    """Assert that no word leaves the figure and that no two words touch."""
    renderer, edge = FigureCanvasAgg(figure).get_renderer(), figure.bbox
    with rc_context(STYLE), catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from")
        figure.draw_without_rendering()
        seen = [text for text in written(figure) if text.get_text() and text.get_visible()]
        words = [(text.get_text(), text.get_window_extent(renderer)) for text in seen]
        corners = [(text, _corners(text, renderer)) for text in seen]
    for text, box in words:
        assert box.x0 >= -1, text
        assert box.x1 <= edge.x1 + 1, text
        assert box.y0 >= -1, text
        assert box.y1 <= edge.y1 + 1, text
    for (one, around), (other, more) in combinations(corners, 2):
        turns = {text.get_rotation() + side for text in (one, other) for side in (0, 90)}
        assert not all(_overlap(around, more, turn) for turn in turns), (
            one.get_text(),
            other.get_text(),
        )


def _overlap(one: Any, other: Any, degrees: float) -> bool:
    """Return True if two shapes overlap by more than a pixel, seen along a direction."""
    along = cos(radians(degrees)), sin(radians(degrees))
    a, b = one @ along, other @ along
    return bool(min(a.max(), b.max()) - max(a.min(), b.min()) > 1)


def _corners(text: Any, renderer: Any) -> Any:
    """Return the corners of a word, which may lean around the place where it is anchored."""
    lean = text.get_rotation()
    if lean % 90 == 0:
        return text.get_window_extent(renderer).corners()
    text.set_rotation(0)
    box, turn = text.get_window_extent(renderer).corners(), radians(lean)
    text.set_rotation(lean)
    place = np.array(text.get_transform().transform(text.get_position()))
    around = [[cos(turn), sin(turn)], [-sin(turn), cos(turn)]]
    return (box - place) @ np.array(around) + place


def written(figure: Any) -> Iterator[Any]:
    """Yield all words: of legends, titles, axes, and the ticks between their ends."""
    for legend in figure.legends:
        yield from (legend.get_title(), *legend.get_texts())
    for axes in figure.axes:
        yield from axes.texts
        yield from (axes.title, axes._left_title, axes._right_title)
        if not axes.axison:
            continue
        for axis in (axes.xaxis, axes.yaxis):
            yield axis.label
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if low <= tick.get_loc() <= high and tick.label1.get_visible():
                    yield tick.label1


def row(instance: str, method: str, **columns: Any) -> Row:
    """Return the row of a run that found a schedule of a `makespan` instance."""
    usual = {
        "v": VERSION,
        "instance": instance,
        "digest": instance,
        "family": "makespan",
        "sense": "min",
        "method": method,
        "options": "",
        "seed": 0,
        "repetition": 0,
        "status": "feasible",
        "termination": "done",
        "objective": 10,
        "bound_kind": "none",
        "seconds": 1.0,
        "valid": True,
        "violations": 0,
    }
    return whole_row(usual | columns)
