"""A graph of steps as a picture: boxes from left to right, and arrows along what is handed on."""

from collections.abc import Iterator
from pathlib import Path

from ...instances.writing import write_whole
from ..charts import figure_format
from ..drawing.colours import FAINT, HUES, INK, PAPER, SOFT_INK, WRONG, mixed
from ..drawing.paint import painted
from ..drawing.shapes import Boxes, Curve, Picture, Place, Shape, Stamps, TextLine, fit, text_width
from .flow import Columns, FlowGraph, FlowStep, Slot, arrange

SIZE, LINE, PAD = 10.0, 14.0, 9.0
HEIGHT, GAP, GUTTER, MARGIN = 58.0, 18.0, 46.0, 12.0
NARROW, WIDE = 96.0, 220.0
"""Least and largest width of a box."""

COLOURS = dict(zip(("generate", "solve", "verify", "bound", "table"), HUES, strict=False))
TIP = ((0.0, 0.0), (-7.0, -3.5), (-7.0, 3.5))
BAD = ("failed", "not run")


def draw_flow(flow: FlowGraph, path: Path) -> None:
    """Write a graph as .svg, or as .pdf and .png with matplotlib."""
    form = figure_format(path)
    write_whole(path, painted(lay_out_flow(flow), form))


def lay_out_flow(flow: FlowGraph) -> Picture:
    """Lay out a graph: a column for each layer, all centred on one line."""
    columns = arrange(flow)
    tallest = max(map(len, columns.slots))
    height = 2 * MARGIN + tallest * (HEIGHT + GAP) - GAP
    tops = [
        [
            (height - len(some) * (HEIGHT + GAP) + GAP) / 2 + i * (HEIGHT + GAP)
            for i in range(len(some))
        ]
        for some in columns.slots
    ]
    widths = [_width(some) for some in columns.slots]
    lefts = [MARGIN + sum(widths[:i]) + i * GUTTER for i in range(len(widths))]
    width = lefts[-1] + widths[-1] + MARGIN
    shapes = list(_arrows(columns, lefts, widths, tops))
    for some, left, wide, heads in zip(columns.slots, lefts, widths, tops, strict=True):
        for slot, top in zip(some, heads, strict=True):
            shapes += [] if slot.passing else _box(slot.step, left, top, wide)
    return Picture.on_paper((width, height), flow.about, shapes)


def _words(step: FlowStep) -> tuple[str, str, str]:
    return step.name, f"{step.type}: {step.state}", step.about


def _width(slots: list[Slot]) -> float:
    texts = [text for slot in slots if not slot.passing for text in _words(slot.step)]
    most = max(text_width(text, SIZE + 1) for text in texts)
    return min(WIDE, max(NARROW, most + 2 * PAD + 4))


def _box(step: FlowStep, left: float, top: float, width: float) -> Iterator[Shape]:
    """Draw a box: filled once it is done, red where something is wrong, else hollow."""
    colour = COLOURS.get(step.type, FAINT)
    fill = mixed(colour, PAPER, 0.7) if step.state == "done" else PAPER
    edge = WRONG if step.state in BAD else mixed(colour, INK, 0.4)
    at = (left, top, width, HEIGHT)
    yield Boxes(at=(at,), fill=fill, edge=edge, edge_width=1.2, role=f"step {step.type}")
    yield Boxes(at=((left, top, 5, HEIGHT),), fill=colour, role="type")
    inks = (INK, WRONG if step.state in BAD else INK, SOFT_INK)
    for i, (text, ink) in enumerate(zip(_words(step), inks, strict=True)):
        place = (left + PAD + 4, top + 18 + i * LINE + (2 if i else 0))
        shown = fit(text, SIZE + (i == 0), width - 2 * PAD - 2)
        yield TextLine(at=place, text=shown, size=SIZE + (i == 0), colour=ink, bold=i == 0)


def _arrows(
    columns: Columns, lefts: list[float], widths: list[float], tops: list[list[float]]
) -> Iterator[Shape]:
    """Draw links from box to box; those that pass a column go straight through it."""
    tips = list[Place]()
    for c, links in enumerate(columns.links):
        start, end = lefts[c] + widths[c], lefts[c + 1]
        for i, j in links:
            from_y, to_y = tops[c][i] + HEIGHT / 2, tops[c + 1][j] + HEIGHT / 2
            passing = columns.slots[c + 1][j].passing
            until = end if passing else end - 6
            yield Curve(through=_bend((start, from_y), (until, to_y)), colour=SOFT_INK, width=1.2)
            if not passing:
                tips.append((end, to_y))
        for j, slot in enumerate(columns.slots[c + 1]):
            if slot.passing:
                y = tops[c + 1][j] + HEIGHT / 2
                through = ((end, y), (end + widths[c + 1], y))
                yield Curve(through=through, colour=SOFT_INK, width=1.2)
    yield Stamps(at=tuple(tips), outline=TIP, fill=SOFT_INK, role="tip")


def _bend(start: Place, end: Place) -> tuple[Place, ...]:
    """Return a smooth way that leaves and arrives level."""
    (x, y), (across, up) = start, (end[0] - start[0], end[1] - start[1])
    if not up:
        return start, end
    parts = [i / 12 for i in range(13)]
    return tuple((x + across * t, y + up * t * t * (3 - 2 * t)) for t in parts)
