"""A row for each job: when it waits and runs, and on how many GPUs.

Where jobs are many, a row is taken again when its job has ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ....instances.errors import plural, visible
from ...drawing import colours
from ...drawing.shapes import Box, Boxes, Group, Line, Shape, TextLine, number, text_width
from ...timeline.fleet import FleetBars, FleetTimeline, GpuStretch
from ..lanes import LaneStay, assign_lanes
from ..sheet import LABEL_SIZE, draw_label
from ..stacks import RIGHT
from ..trace.bars import stripes

ALL = 900
"""Pixels for all rows, unless they would be very thin or thick."""
LEAST, MOST = 6.0, 26.0
MOST_NAMED = 50
"""Of more jobs, not every one has a row to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRows:
    """Where rows are, `pitch` from one to the next, by job; `most` GPUs are as high as a row."""

    of: tuple[int, ...]
    left: float
    top: float
    pitch: float
    bottom: float
    horizon: int
    most: float

    def x(self, tick: int) -> float:
        """Return where a tick is."""
        return self.left + (RIGHT - self.left) * tick / self.horizon

    def bottom_of(self, job: FleetBars) -> float:
        """Return where the bars of a job stand."""
        return self.top + (self.of[job.number] + 0.86) * self.pitch

    def box(self, job: FleetBars, run: GpuStretch) -> Box:
        """Return the bar of a run, as high as it has GPUs."""
        height = max(1.0, 0.86 * self.pitch * run.gpus / self.most)
        left, bottom = self.x(run.start), self.bottom_of(job)
        return left, bottom - height, max(0.75, self.x(run.stop) - left), height


def make_rows(timeline: FleetTimeline, top: float) -> JobRows:
    """Divide the room."""
    of = _rows_of(timeline)
    pitch = max(LEAST, min(MOST, ALL / (max(of) + 1)))
    named = timeline.jobs if _named(timeline) else ()
    names = (text_width(visible(job.name), LABEL_SIZE) for job in named)
    return JobRows(
        of=of,
        left=24 + max(52.0, min(200.0, max(names, default=0))),
        top=top,
        pitch=pitch,
        bottom=top + pitch * (max(of) + 1),
        horizon=timeline.horizon,
        most=max([1.0, *(run.gpus for job in timeline.jobs for run in job.runs)]),
    )


def _named(timeline: FleetTimeline) -> bool:
    return len(timeline.jobs) <= MOST_NAMED


def _rows_of(timeline: FleetTimeline) -> tuple[int, ...]:
    """Return the row of every job: by arrival, or the first that is free."""
    if _named(timeline):
        ranked = sorted(timeline.jobs, key=lambda job: job.arrival)
        places = {job.number: row for row, job in enumerate(ranked)}
        return tuple(places[job.number] for job in timeline.jobs)
    stays = [LaneStay(Fraction(job.arrival), Fraction(job.last), 1) for job in timeline.jobs]
    return tuple(low for ((low, _),) in assign_lanes(stays, len(stays)))


def draw_rows(timeline: FleetTimeline, rows: JobRows) -> Iterator[Shape | Group]:
    """Draw every job."""
    height = rows.bottom - rows.top
    at = (rows.left, rows.top, RIGHT - rows.left, height)
    yield Boxes(at=(at,), fill=colours.BAND, role="band")
    again = "" if _named(timeline) else ", in rows that are taken again"
    text = f"jobs{again}; the highest bars are {number(rows.most)} GPUs"
    name_at = (rows.left, rows.top - 8)
    yield TextLine(at=name_at, text=text, size=LABEL_SIZE, colour=colours.INK, role="row")
    for job in timeline.jobs:
        shapes = tuple(_job(job, rows))
        yield Group(role="job", job=job.number, tooltip=tooltip(job, timeline), shapes=shapes)
        if _named(timeline):
            middle = rows.bottom_of(job) - 0.43 * rows.pitch
            yield draw_label(job.name, middle, rows.left, "name")


def _job(job: FleetBars, rows: JobRows) -> Iterator[Shape]:
    edge = colours.edge_colour(job.kind)
    y = rows.bottom_of(job)
    start, end = rows.x(job.arrival), rows.x(rows.horizon if job.end is None else job.end)
    yield Line(start=(start, y), end=(end, y), colour=edge, width=0.8, role="life")
    boxes = [rows.box(job, run) for run in job.runs]
    if not boxes:
        return
    yield Boxes(at=tuple(boxes), fill=colours.ring_colour(job.kind), role="piece")
    hatched = tuple(
        stripe
        for box, run in zip(boxes, job.runs, strict=True)
        if run.works > run.start
        for stripe in stripes(box, rows.x(run.works))
    )
    if hatched:
        yield Boxes(at=hatched, fill=colours.SHADE, opacity=0.35, role="restart")
    size = min(11.0, 0.75 * rows.pitch)
    for run in job.runs:
        text, left = number(run.gpus), rows.x(run.works)
        if size >= 7 and text_width(text, size) <= rows.x(run.stop) - left - 6:
            at = (left + 3, y - 0.43 * rows.pitch + 0.36 * size)
            yield TextLine(at=at, text=text, size=size, colour=colours.INK, role="gpus")


def widths(job: FleetBars) -> str:
    """Say how many GPUs a job has, run by run."""
    told = [number(run.gpus) for run in job.runs[:8]]
    return ", ".join(told) + (", …" if len(job.runs) > 8 else "")


def tooltip(job: FleetBars, timeline: FleetTimeline) -> str:
    """Describe a job in a few lines."""

    def hours(ticks: int) -> str:
        return timeline.said(timeline.hours(ticks))

    arrival = hours(job.arrival)
    lines = [f"{visible(job.name)}, {visible(timeline.types[job.kind])}: arrives at {arrival}"]
    if not job.runs:
        return "\n".join([*lines, "never runs"])
    first = hours(job.runs[0].start)
    lines.append(f"{plural(len(job.runs), 'run')} from {first} on, with GPUs: {widths(job)}")
    if job.end is None:
        return "\n".join([*lines, "never ends"])
    took = hours(job.end - job.arrival)
    return "\n".join([*lines, f"ends at {hours(job.end)}, {took} after it came"])
