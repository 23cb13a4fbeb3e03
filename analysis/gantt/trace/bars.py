"""What is drawn of a job beside its bars, and what is said of it on hovering."""

from collections.abc import Iterator

from ....instances.errors import plural, visible
from ...drawing import colours
from ...drawing.shapes import Box, Boxes, Group, Shape, TextLine
from ...timeline.trace import ServerStay, TraceBars, TraceTimeline
from ..sheet import LABEL_SIZE
from ..slots.strips import StripArea

STRIPE = 3.0
"""Pixels from one stripe of the hatching to the next."""
MARK = 2.0
"""Width of the mark of a stop."""
ARRIVALS = "arrivals"


def draw_trace_arrivals(timeline: TraceTimeline, area: StripArea) -> Iterator[Shape | Group]:
    """Mark when each job arrives; marks that would cover each other stand side by side."""
    y, ink = area.top - 24, colours.INK
    at = (area.left - 8, y + 9)
    yield TextLine(at=at, text=ARRIVALS, size=LABEL_SIZE, colour=ink, anchor="end", role="row")
    last, width = float("-inf"), max(1.0, min(3.0, 600 / len(timeline.jobs)))
    for job in sorted(timeline.jobs, key=lambda job: job.arrival):
        exact = area.x(job.arrival)
        last = max(exact, last + width) if exact - last > -6 * width else exact
        mark = Boxes(
            at=((last, y, 0.8 * width, 10.0),),
            fill=colours.ring_colour(job.number),
            edge=colours.edge_colour(job.number),
            edge_width=width / 6,
            role="arrival",
        )
        yield Group(role="job", job=job.number, tooltip=tooltip(job, timeline), shapes=(mark,))


def draw_waits(job: TraceBars, stays: list[ServerStay], area: StripArea) -> Iterator[Boxes]:
    """Hatch the time in which a job does no work, and mark the ends of runs that are stopped."""
    hatched = tuple(
        stripe
        for stay in stays
        if stay.works > stay.start
        for box in area.boxes(job, stay)
        for stripe in stripes(box, area.x(stay.works))
    )
    if hatched:
        yield Boxes(at=hatched, fill=colours.SHADE, opacity=0.35, role="restart")
    stops = tuple(
        (left + width - MARK, top, MARK, height)
        for stay in stays
        if stay.cut
        for left, top, width, height in area.boxes(job, stay)
        if width > 2 * MARK
    )
    if stops:
        yield Boxes(at=stops, fill=colours.edge_colour(job.number), role="stop")


def stripes(box: Box, end: float) -> Iterator[Box]:
    """Hatch the part of a box from its left to `end`."""
    left, top, _, height = box
    for k in range(max(1, int((end - left) / STRIPE))):
        at = left + STRIPE * k
        yield at, top, min(STRIPE / 2, end - at), height


def tooltip(job: TraceBars, timeline: TraceTimeline) -> str:
    """Describe a job in a few lines."""

    def moment(ticks: int) -> str:
        return timeline.said(ticks * timeline.tick)

    lines = [f"{visible(job.name)}: {plural(job.job.gpus, 'GPU')}, arrives at"]
    lines[0] += f" {moment(job.arrival)}"
    if not job.runs:
        return "\n".join([*lines, "never runs"])
    lines.append(f"{plural(len(job.runs), 'run')}, the first from {moment(job.runs[0].start)}")
    if any(run.run.half for run in job.runs):
        lines.append("shares its GPUs in part of the time")
    if job.end is None:
        return "\n".join([*lines, "never ends"])
    took = moment(job.end - job.arrival)
    return "\n".join([*lines, f"ends at {moment(job.end)}, {took} after it came"])
