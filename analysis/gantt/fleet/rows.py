"""A row for each job: when it waits and runs, and on how many GPUs."""

from collections.abc import Iterator
from dataclasses import dataclass

from ....instances.errors import visible
from .. import colours
from ..frame import LABEL_SIZE
from ..panels import RIGHT
from ..shapes import Box, Boxes, Group, Line, Shape, Text
from ..trace.bars import stripes
from ..words import fit, number, text_width
from .facts import FleetBars, FleetFacts, Stretch
from .words import tooltip

ALL = 1500
"""Pixels for all rows, unless they would be very thin or thick."""
LEAST, MOST = 4.0, 26.0
LEAST_PITCH = 12
"""Least distance in pixels between the names of two jobs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Where the rows are: `pitch` from one to the next; `most` GPUs are as high as a row."""

    left: float
    top: float
    pitch: float
    bottom: float
    horizon: int
    most: float

    def x(self, tick: int) -> float:
        """Return where a tick is."""
        return self.left + (RIGHT - self.left) * tick / self.horizon

    def box(self, row: int, run: Stretch) -> Box:
        """Return the bar of a run, as high as it has GPUs."""
        room = 0.86 * self.pitch
        height = max(1.0, room * run.gpus / self.most)
        left, bottom = self.x(run.start), self.top + row * self.pitch + room
        return left, bottom - height, max(0.75, self.x(run.stop) - left), height


def make_rows(facts: FleetFacts, top: float) -> Rows:
    """Divide the room."""
    pitch = max(LEAST, min(MOST, ALL / len(facts.jobs)))
    names = (text_width(visible(job.name), LABEL_SIZE) for job in facts.jobs)
    return Rows(
        left=24 + max(52.0, min(200.0, max(names))),
        top=top,
        pitch=pitch,
        bottom=top + pitch * len(facts.jobs),
        horizon=facts.horizon,
        most=max([1.0, *(run.gpus for job in facts.jobs for run in job.runs)]),
    )


def draw_rows(facts: FleetFacts, rows: Rows) -> Iterator[Shape | Group]:
    """Draw every job, in order of arrival."""
    height = rows.bottom - rows.top
    at = (rows.left, rows.top, RIGHT - rows.left, height)
    yield Boxes(at=(at,), fill=colours.BAND, role="band")
    text = f"jobs; the highest bars are {number(rows.most)} GPUs"
    name_at = (rows.left, rows.top - 8)
    yield Text(at=name_at, text=text, size=LABEL_SIZE, colour=colours.INK, role="row")
    last = float("-inf")
    for row, job in enumerate(sorted(facts.jobs, key=lambda job: job.arrival)):
        shapes = tuple(_job(job, row, facts, rows))
        yield Group(role="job", job=job.number, tooltip=tooltip(job, facts), shapes=shapes)
        y = rows.top + (row + 0.43) * rows.pitch + 4
        if y - last >= LEAST_PITCH:
            last, text = y, fit(job.name, LABEL_SIZE, rows.left - 16)
            place, soft = (rows.left - 8, y), colours.SOFT_INK
            yield Text(at=place, text=text, size=LABEL_SIZE, colour=soft, anchor="end", role="name")


def _job(job: FleetBars, row: int, facts: FleetFacts, rows: Rows) -> Iterator[Shape]:
    edge = colours.edge_colour(job.kind)
    y = rows.top + (row + 0.86) * rows.pitch
    start, end = rows.x(job.arrival), rows.x(facts.horizon if job.end is None else job.end)
    yield Line(start=(start, y), end=(end, y), colour=edge, width=0.8, role="life")
    boxes = [rows.box(row, run) for run in job.runs]
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
            yield Text(at=at, text=text, size=size, colour=colours.INK, role="gpus")
