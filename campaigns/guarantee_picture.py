"""Measured ratios beside proven factors: a panel for each theorem, darker where runs are many."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log, log2

from ..analysis.gantt.colours import FAINT, INK, PAPER, SOFT_INK, WRONG
from ..analysis.gantt.shapes import Boxes, Line, Picture, Shape, Text
from ..analysis.guarantees import GUARANTEES
from .tally import Findings

BLUE = "#0b5a9e"
COLUMNS, ROWS = 40, 24
"""Cells of a panel."""

ACROSS, WIDTH, HEIGHT = 3, 250.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 46.0, 40.0

DEPTHS = (0.2, 0.36, 0.52, 0.68, 0.84, 1.0)
"""Opacities of cells with 1 run, 10, 100 and so on."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Where a panel stands, and how far its logarithmic scales go; they begin at 1."""

    left: float
    top: float
    most_factor: float
    most_ratio: float

    def x(self, factor: float) -> float:
        """Return where a factor stands."""
        return self.left + LEFT + (WIDTH - LEFT - RIGHT) * log(factor) / log(self.most_factor)

    def y(self, ratio: float) -> float:
        """Return where a ratio stands."""
        height = HEIGHT - TOP - BOTTOM
        return self.top + TOP + height * (1 - log(ratio) / log(self.most_ratio))


def picture(found: Findings) -> Picture:
    """Return the picture of a campaign."""
    shown = [g for g in GUARANTEES if g.name in found.tallies and found.tallies[g.name].points]
    rows = ceil(len(shown) / ACROSS)
    width, height = ACROSS * WIDTH, rows * HEIGHT + 14
    shapes: list[Shape] = [Boxes(at=((0, 0, width, height),), fill=PAPER, role="paper")]
    for i, guarantee in enumerate(shown):
        points = found.tallies[guarantee.name].points
        factors, ratios = zip(*points, strict=True)
        panel = Panel(
            i % ACROSS * WIDTH, i // ACROSS * HEIGHT, 1.08 * max(factors), 1.08 * max(ratios)
        )
        shapes += _axes(panel)
        shapes += _cells(panel, points)
        shapes += _words(panel, guarantee.name, guarantee.statement)
    about = f"measured ratio against factor over {found.runs} runs, a panel for each theorem"
    return Picture(width=width, height=height, head=0, about=about, shapes=tuple(shapes))


def _axes(panel: Panel) -> Iterator[Shape]:
    """Draw both scales and the line on which ratio and factor are equal."""
    end = min(panel.most_factor, panel.most_ratio)
    right, low, high = panel.x(panel.most_factor), panel.y(1), panel.y(panel.most_ratio)
    for tick in _ticks(panel.most_ratio):
        y = panel.y(tick)
        yield Line(start=(panel.x(1), y), end=(right, y), colour=FAINT, role="grid")
        at = (panel.x(1) - 5, y + 3.5)
        yield Text(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="end")
    for tick in _ticks(panel.most_factor):
        x = panel.x(tick)
        yield Line(start=(x, low), end=(x, high), colour=FAINT, role="grid")
        at = (x, low + 14)
        yield Text(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="middle")
    start, stop = (panel.x(1), low), (panel.x(end), panel.y(end))
    yield Line(start=start, end=stop, colour=INK, width=1.6, role="factor")


def _ticks(most: float) -> list[float]:
    """Return powers of two, or steps of a tenth or two on a short scale."""
    if most >= 3:
        return [2.0**k for k in range(floor(log2(most)) + 1)]
    step = 1 if most < 1.7 else 2
    return [k / 10 for k in range(10, floor(10 * most) + 1, step)]


def _cells(panel: Panel, points: Counter[tuple[float, float]]) -> Iterator[Shape]:
    """Draw the cells, those with a ratio above its factor in red."""
    wide, tall = log(panel.most_factor) / COLUMNS, log(panel.most_ratio) / ROWS
    counts: Counter[tuple[int, int, bool]] = Counter()
    for (factor, ratio), count in points.items():
        counts[int(log(factor) / wide), int(log(ratio) / tall), ratio > factor + 0.001] += count
    x_step = (panel.x(panel.most_factor) - panel.x(1)) / COLUMNS
    y_step = (panel.y(1) - panel.y(panel.most_ratio)) / ROWS
    for above in (False, True):
        for depth, opacity in enumerate(DEPTHS):
            boxes = tuple(
                (panel.x(1) + i * x_step, panel.y(1) - (k + 1) * y_step, x_step, y_step)
                for (i, k, over), count in sorted(counts.items())
                if over is above and min(len(DEPTHS) - 1, len(str(count)) - 1) == depth
            )
            if boxes:
                yield Boxes(at=boxes, fill=WRONG if above else BLUE, opacity=opacity)


def _words(panel: Panel, name: str, statement: str) -> Iterator[Shape]:
    middle = (panel.x(1) + panel.x(panel.most_factor)) / 2
    yield Text(at=(panel.left + LEFT, panel.top + 20), text=name, size=12, colour=INK, bold=True)
    short = statement.partition(";")[0].partition(" if ")[0]
    yield Text(at=(panel.left + LEFT, panel.top + 35), text=short, size=10, colour=SOFT_INK)
    at = (middle, panel.y(1) + 29)
    yield Text(at=at, text="factor", size=11, colour=INK, anchor="middle")
    at = (panel.left + LEFT - 30, panel.top + 35)
    yield Text(at=at, text="ratio", size=11, colour=INK)
