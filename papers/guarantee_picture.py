"""Measured ratios beside proven factors: a panel for each theorem, darker where runs are many."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log, log2

from ..analysis.gantt.colours import FAINT, INK, PAPER, SOFT_INK, WRONG
from ..analysis.gantt.shapes import Boxes, Line, Picture, Shape, Text
from ..analysis.guarantees import GUARANTEES
from ..campaigns.verifying.tally import VerifiedRuns

BLUE = "#0b5a9e"
COLUMNS, ROWS = 40, 24
"""Cells of a panel."""

ACROSS, WIDTH, HEIGHT = 3, 250.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 46.0, 40.0

LEAST, MOST_FACTOR = 0.93, 64.0
"""Where scales begin, and the largest factor shown: far from its runs, it says little."""

DEPTHS = (0.2, 0.36, 0.52, 0.68, 0.84, 1.0)
"""Opacities of cells with 1 run, 10, 100 and so on."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Where a panel stands, and how far its logarithmic scales go."""

    left: float
    top: float
    most_factor: float
    most_ratio: float

    def x(self, factor: float) -> float:
        """Return where a factor stands."""
        return self.left + LEFT + (WIDTH - LEFT - RIGHT) * _part(factor, self.most_factor)

    def y(self, ratio: float) -> float:
        """Return where a ratio stands."""
        return self.top + TOP + (HEIGHT - TOP - BOTTOM) * (1 - _part(ratio, self.most_ratio))


def _part(value: float, most: float) -> float:
    """Return how far up a logarithmic scale a value stands, from 0 to 1."""
    return log(value / LEAST) / log(most / LEAST)


def picture(found: VerifiedRuns) -> Picture:
    """Return the picture of a campaign."""
    shown = [g for g in GUARANTEES if g.name in found.tallies and found.tallies[g.name].points]
    rows = ceil(len(shown) / ACROSS)
    width, height = ACROSS * WIDTH, rows * HEIGHT + 14
    shapes: list[Shape] = [Boxes(at=((0, 0, width, height),), fill=PAPER, role="paper")]
    for i, guarantee in enumerate(shown):
        points = found.tallies[guarantee.name].points
        factors, ratios = zip(*points, strict=True)
        most = 1.08 * min(max(factors), MOST_FACTOR)
        panel = Panel(i % ACROSS * WIDTH, i // ACROSS * HEIGHT, most, 1.08 * max(ratios))
        shapes += _axes(panel)
        shapes += _cells(panel, points)
        shapes += _words(panel, guarantee.name, guarantee.statement)
    about = f"measured ratio against factor over {found.runs} runs, a panel for each theorem"
    return Picture(width=width, height=height, head=0, about=about, shapes=tuple(shapes))


def _axes(panel: Panel) -> Iterator[Shape]:
    """Draw both scales and the line on which ratio and factor are equal."""
    end = min(panel.most_factor, panel.most_ratio)
    right, low, high = panel.x(panel.most_factor), panel.y(LEAST), panel.y(panel.most_ratio)
    for tick in _ticks(panel.most_ratio):
        y = panel.y(tick)
        yield Line(start=(panel.x(LEAST), y), end=(right, y), colour=FAINT, role="grid")
        at = (panel.x(LEAST) - 5, y + 3.5)
        yield Text(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="end")
    for tick in _ticks(panel.most_factor):
        x = panel.x(tick)
        yield Line(start=(x, low), end=(x, high), colour=FAINT, role="grid")
        at = (x, low + 14)
        yield Text(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="middle")
    start, stop = (panel.x(LEAST), low), (panel.x(end), panel.y(end))
    yield Line(start=start, end=stop, colour=INK, width=1.6, role="factor")


def _ticks(most: float) -> list[float]:
    """Return powers of two, or steps of a tenth or two on a short scale."""
    if most >= 3:
        return [2.0**k for k in range(floor(log2(most)) + 1)]
    step = 1 if most < 1.7 else 2 if most < 2.3 else 5
    return [k / 10 for k in range(10, floor(10 * most) + 1, step)]


def _cells(panel: Panel, points: Counter[tuple[float, float]]) -> Iterator[Shape]:
    """Draw the cells, those with a ratio above its factor in red."""
    counts: Counter[tuple[int, int, bool]] = Counter()
    for (factor, ratio), count in points.items():
        if factor < panel.most_factor:
            column = int(COLUMNS * _part(factor, panel.most_factor))
            row = int(ROWS * _part(ratio, panel.most_ratio))
            counts[column, row, ratio > factor + 0.001] += count
    left, low = panel.x(LEAST), panel.y(LEAST)
    x_step = (panel.x(panel.most_factor) - left) / COLUMNS
    y_step = (low - panel.y(panel.most_ratio)) / ROWS
    for above in (False, True):
        for depth, opacity in enumerate(DEPTHS):
            boxes = tuple(
                (left + i * x_step, low - (k + 1) * y_step, x_step, y_step)
                for (i, k, over), count in sorted(counts.items())
                if over is above and min(len(DEPTHS) - 1, len(str(count)) - 1) == depth
            )
            if boxes:
                yield Boxes(
                    at=boxes, fill=WRONG if above else BLUE, opacity=1 if above else opacity
                )


def _words(panel: Panel, name: str, statement: str) -> Iterator[Shape]:
    middle = (panel.x(LEAST) + panel.x(panel.most_factor)) / 2
    yield Text(at=(panel.left + LEFT, panel.top + 20), text=name, size=12, colour=INK, bold=True)
    short = statement.partition(";")[0].partition(" if ")[0]
    yield Text(
        at=(panel.left + LEFT, panel.top + 35),
        text=short.replace("phi", "φ"),
        size=10,
        colour=SOFT_INK,
    )
    at = (middle, panel.y(LEAST) + 29)
    yield Text(at=at, text="factor", size=11, colour=INK, anchor="middle")
    at = (panel.left + LEFT - 30, panel.top + 35)
    yield Text(at=at, text="ratio", size=11, colour=INK)
