"""A job's bars: hatched while it restarts, marked where it is stopped."""

from collections.abc import Iterator

from .. import colours
from ..frame import LABEL_SIZE
from ..shapes import Box, Boxes, Group, Shape, Text
from ..slots.bars import draw_excess, draw_names, draw_pieces
from ..slots.yard import Yard
from .facts import Stay, TraceBars, TraceFacts
from .words import tooltip

STRIPE = 3.0
"""Pixels from one stripe of the hatching to the next."""
MARK = 2.0
"""Width of the mark of a stop."""
ARRIVALS = "arrivals"


def draw_trace_bars(facts: TraceFacts, yard: Yard) -> Iterator[Group]:
    """Draw what every job holds, outlined while it is on several servers."""
    for job in facts.jobs:
        stays = [stay for stay in job.holds if stay.machine in yard.strips]
        if stays:
            shapes: tuple[Shape, ...] = (
                *draw_pieces(job, stays, yard),
                *_restarts(job, stays, yard),
                *_stops(job, stays, yard),
                *draw_excess(job, stays, yard),
                *draw_names(job, stays, yard),
            )
            about = tooltip(job, facts)
            yield Group(role="job", job=job.number, tooltip=about, shapes=shapes)


def draw_trace_arrivals(facts: TraceFacts, yard: Yard) -> Iterator[Shape | Group]:
    """Mark when each job arrives; marks that would cover each other stand side by side."""
    y, ink = yard.top - 24, colours.INK
    at = (yard.left - 8, y + 9)
    yield Text(at=at, text=ARRIVALS, size=LABEL_SIZE, colour=ink, anchor="end", role="row")
    last, width = float("-inf"), max(1.0, min(3.0, 600 / len(facts.jobs)))
    for job in sorted(facts.jobs, key=lambda job: job.arrival):
        exact = yard.x(job.arrival)
        last = max(exact, last + width) if exact - last > -6 * width else exact
        mark = Boxes(
            at=((last, y, 0.8 * width, 10.0),),
            fill=colours.ring_colour(job.number),
            edge=colours.edge_colour(job.number),
            edge_width=width / 6,
            role="arrival",
        )
        yield Group(role="job", job=job.number, tooltip=tooltip(job, facts), shapes=(mark,))


def _restarts(job: TraceBars, stays: list[Stay], yard: Yard) -> Iterator[Boxes]:
    """Hatch the time in which a job holds its GPUs and does no work."""
    at = tuple(
        stripe
        for stay in stays
        if stay.works > stay.start
        for box in yard.boxes(job, stay)
        for stripe in stripes(box, yard.x(stay.works))
    )
    if at:
        yield Boxes(at=at, fill=colours.SHADE, opacity=0.35, role="restart")


def stripes(box: Box, end: float) -> Iterator[Box]:
    """Hatch the part of a box from its left to `end`."""
    left, top, _, height = box
    for k in range(max(1, int((end - left) / STRIPE))):
        at = left + STRIPE * k
        yield at, top, min(STRIPE / 2, end - at), height


def _stops(job: TraceBars, stays: list[Stay], yard: Yard) -> Iterator[Boxes]:
    """Mark the end of a run after which the job has to go on."""
    at = tuple(
        (left + width - MARK, top, MARK, height)
        for stay in stays
        if stay.cut
        for left, top, width, height in yard.boxes(job, stay)
        if width > 2 * MARK
    )
    if at:
        yield Boxes(at=at, fill=colours.edge_colour(job.number), role="stop")
