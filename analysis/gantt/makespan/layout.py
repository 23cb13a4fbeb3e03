"""The picture, put together from back to front."""

from collections.abc import Iterator

from ...drawing.colours import BAND, FAINT, INK, WRONG
from ...drawing.shapes import Boxes, Line, Picture, Shape, TextLine
from ...timeline.makespan import MakespanTimeline
from ..sheet import LABEL_SIZE, draw_labels, headline, sheet
from .axis import draw_axis, draw_lines
from .bars import draw_bars
from .frame import LABELS, Frame, label, make_frame
from .legend import draw_legend
from .ties import draw_ties


def lay_out(timeline: MakespanTimeline) -> Picture:
    """Lay out the whole chart."""
    frame = make_frame(timeline)
    shapes = (
        *draw_legend(timeline, frame),
        *_draw_bands(frame),
        *draw_axis(timeline, frame),
        *draw_bars(timeline.stints, timeline.servers, frame),
        *draw_ties(timeline.stints, frame),
        *draw_lines(timeline, frame),
        *_draw_labels(frame),
    )
    return sheet(
        timeline,
        headline(timeline),
        shapes,
        head=frame.top - 80,
        bottom=frame.bottom,
        notes=list(_notes(timeline, frame)),
    )


def _notes(timeline: MakespanTimeline, frame: Frame) -> Iterator[str]:
    """Say what the chart leaves out."""
    drawn, there = len(frame.bands), len(timeline.servers)
    if drawn < there:
        yield f"Drawn are the {drawn:,} servers that work longest, of {there:,}."
    if timeline.left_out:
        entries = "1 entry" if timeline.left_out == 1 else f"{timeline.left_out:,} entries"
        yield f"Not drawn: {entries} of the schedule (unknown names, repeated jobs)."


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
    at = (frame.left - 8, frame.top - 8)
    yield TextLine(at=at, text=LABELS, size=LABEL_SIZE, colour=INK, anchor="end")
    rows = ((band.top + band.height / 2, label(band.server)) for band in frame.bands.values())
    yield from draw_labels(rows, frame.left)
