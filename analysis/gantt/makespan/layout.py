"""The picture, put together from back to front."""

from collections.abc import Iterator

from ..colours import BAND, FAINT, INK, PAPER, SOFT_INK, WRONG
from ..frame import LABEL_SIZE, LABELS, WIDTH, Band, Frame, label, make_frame
from ..header import draw_header, draw_notes, headline, notes
from ..shapes import Boxes, Line, Picture, Shape, Text
from ..words import fit
from .axis import draw_axis, draw_lines
from .bars import draw_bars
from .facts import Facts
from .legend import draw_legend
from .ties import draw_ties

LEAST_PITCH = 12
"""Least distance in pixels between the labels of two servers."""


def lay_out(facts: Facts) -> Picture:
    """Lay out the whole chart."""
    frame = make_frame(facts)
    height = round(frame.bottom + 46 + 16 * len(notes(facts, frame)))
    return Picture(
        width=WIDTH,
        height=height,
        head=frame.top - 80,
        about=headline(facts),
        shapes=(
            Boxes(at=((0, 0, WIDTH, height),), fill=PAPER, role="paper"),
            *draw_header(facts),
            *draw_legend(facts, frame),
            *_draw_bands(frame),
            *draw_axis(facts, frame),
            *draw_bars(facts.stints, facts.servers, frame),
            *draw_ties(facts.stints, frame),
            *draw_lines(facts, frame),
            *_draw_labels(frame),
            *draw_notes(facts, frame),
        ),
    )


def _draw_bands(frame: Frame) -> Iterator[Shape]:
    """Draw the servers' strips and, if there is room, the lanes of their GPUs."""
    width = frame.right - frame.left
    strips = tuple((frame.left, b.top, width, b.height) for b in frame.bands.values())
    yield Boxes(at=strips, fill=BAND, role="band")
    for band in frame.bands.values():
        if band.lanes > band.server.gpus:
            beyond = band.top + band.height - band.bottom_of_gpus
            box = (frame.left, band.bottom_of_gpus, width, beyond)
            yield Boxes(at=(box,), fill=WRONG, opacity=0.12, role="beyond")
        if band.lane_height < 6:
            continue
        for lane in range(1, band.lanes):
            y = band.top + lane * band.lane_height
            start, end = (frame.left, y), (frame.right, y)
            yield Line(start=start, end=end, colour=FAINT, width=0.5, role="lane")


def _draw_labels(frame: Frame) -> Iterator[Shape]:
    """Name the servers, leaving out those whose name would touch the one above."""
    at = (frame.left - 8, frame.top - 8)
    yield Text(at=at, text=LABELS, size=LABEL_SIZE, colour=INK, anchor="end")
    last = float("-inf")
    for band in frame.bands.values():
        middle = _middle(band)
        if middle - last < LEAST_PITCH:
            continue
        last = middle
        text = fit(label(band.server), LABEL_SIZE, frame.left - 16)
        at = (frame.left - 8, middle + 4)
        yield Text(at=at, text=text, size=LABEL_SIZE, colour=SOFT_INK, anchor="end", role="server")


def _middle(band: Band) -> float:
    return band.top + band.height / 2
