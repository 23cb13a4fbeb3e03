"""Panels to draw, and how far two painted pictures are apart."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np

from ringyard.analysis.charts import Axis, Panel, Series, lay_out
from ringyard.analysis.charts.looks import LOOKS
from ringyard.analysis.charts.panel import guide
from ringyard.analysis.drawing.plot import to_plot
from ringyard.analysis.drawing.shapes import Picture, Shape
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


def series(name: str, *points: tuple[float, float], number: int = 0, **changes: Any) -> Series:
    usual: dict[str, Any] = {"way": "line", "look": LOOKS[number]}
    return Series(name=name, points=points, **(usual | changes))


def panel(*some: Series, log_x: bool = False, log_y: bool = False, **changes: Any) -> Panel:
    usual = Panel(
        about="a panel",
        x=Axis(title="across", log=log_x),
        y=Axis(title="up", log=log_y),
        series=some,
    )
    return replace(usual, **changes)


def mixed() -> Panel:
    """Return a panel with one of each kind of series."""
    band = ((1, 1, 3), (5, 4, 7), (9, 6, 12))
    return panel(
        guide([(1, 1), (9, 9)], "equal"),
        series("steps", (1, 1), (3, 4), (8, 6), (9, 6), way="steps"),
        series("line", (1, 2), (5, 6), (9, 10), number=1, band=band),
        series("points", (2, 8), (4, 9), (6, 2), number=6, way="points"),
        series("", (1, 1.5), (9, 3), number=1, thin=True, marked=False),
        notes=("a note",),
    )


def shapes(drawn: Panel | Picture, kind: type, role: str) -> list[Any]:
    picture = drawn if isinstance(drawn, Picture) else lay_out(drawn)
    found: list[Shape] = [one for one in picture.flat() if isinstance(one, kind)]
    return [one for one in found if one.role == role]


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
