"""The chart of a `fleet` log: GPUs over time, a row for each job, its numbers and its table.

A row says when a job waits and runs, and on how many GPUs. With many jobs, a row is reused when
its job has ended.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from ...instances.errors import plural, visible
from ..drawing import colours
from ..drawing.shapes import (
    Box,
    Boxes,
    Group,
    Line,
    Picture,
    Shape,
    TextLine,
    fit,
    number,
    percent,
    text_width,
)
from ..timeline.fleet import FleetBars, FleetTimeline, GpuStretch
from . import Chart
from .lanes import LaneStay, assign_lanes
from .page import (
    LABEL_SIZE,
    Cells,
    below_header,
    draw_keys,
    draw_label,
    headline,
    sheet,
    write_page,
)
from .time import RIGHT, Area, Stack, Step, draw_stack, draw_time, means, time_unit
from .totals import MOST_BARS, MOST_ROWS
from .trace import life_cells, life_text, stripes

ALL = 900
"""Pixels for all rows, unless they would be very thin or thick."""
LEAST, MOST = 6.0, 26.0
MOST_NAMED = 50
"""Maximum number of jobs with separate rows. With more jobs, rows are reused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRows(Area):
    """Positions of rows by job, at distance `pitch`. `most` GPUs fill the height of a row."""

    of: tuple[int, ...]
    pitch: float
    most: float

    def bottom_of(self, job: FleetBars) -> float:
        """Return the bottom of a job's bars."""
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
    reused = "" if _named(timeline) else ", in reused rows"
    text = f"jobs{reused} (highest bars: {number(rows.most)} GPUs)"
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
    """Return the number of GPUs of a job, run by run."""
    counts = [number(run.gpus) for run in job.runs[:8]]
    return ", ".join(counts) + (", …" if len(job.runs) > 8 else "")


def tooltip(job: FleetBars, timeline: FleetTimeline) -> str:
    """Return a short description of a job."""

    def hours(ticks: int) -> str:
        return timeline.value_text(timeline.hours(ticks))

    runs = []
    if job.runs:
        first = hours(job.runs[0].start)
        runs = [f"{plural(len(job.runs), 'run')} from {first} on, with GPUs: {widths(job)}"]
    about = f"{visible(job.name)}, {visible(timeline.types[job.kind])}:"
    return life_text(job, about, runs, hours)


HEIGHT, LOW = 220.0, 150.0
"""Heights of the stacks of GPUs and of jobs."""
IDLE, COMING = "#c9ced6", "#8b93a0"
RUNNING, WAITING = colours.SOFT_INK, "#c9ced6"


def draw_gpus(timeline: FleetTimeline, left: float, top: float) -> Iterator[Shape]:
    """Draw the GPUs held by jobs, by type, the leased GPUs, and the budget."""
    horizon, held = timeline.horizon, list[list[GpuStretch]]([] for _ in timeline.types)
    for job in timeline.jobs:
        held[job.kind] += job.runs
    layers = [means(_steps(runs, "start", "stop"), horizon) for runs in held]
    busy = [sum(values) for values in zip(*layers, strict=True)]
    usable = means(_steps(timeline.leases, "works", "stop"), horizon)
    layers.append([max(0.0, all_ - some) for all_, some in zip(usable, busy, strict=True)])
    layers.append(means(_steps(timeline.leases, "start", "works"), horizon))
    most = max(timeline.budget, *(sum(values) for values in zip(*layers, strict=True)))
    stack = Stack(name="GPUs", left=left, top=top, height=HEIGHT, most=1.06 * most)
    fills = [*map(colours.ring_colour, range(len(timeline.types))), IDLE, COMING]
    yield from draw_stack(stack, layers, fills)
    y, text = (
        stack.y(timeline.budget),
        f"budget: {number(timeline.budget)} on average over the span",
    )
    ink = colours.INK
    yield Line(
        start=(left, y), end=(RIGHT, y), colour=ink, width=1.4, dash=(5.0, 3.0), role="budget"
    )
    at = (RIGHT, top - 8)
    yield TextLine(at=at, text=text, size=11, colour=ink, anchor="end", bold=True, role="value")


def draw_counts(timeline: FleetTimeline, left: float, top: float) -> Iterator[Shape]:
    """Draw how many jobs run, and how many wait."""
    horizon, there = timeline.horizon, list[Step]()
    runs: list[Step] = []
    for job in timeline.jobs:
        there += [(job.arrival, 1), (horizon if job.end is None else job.end, -1)]
        for run in job.runs:
            runs += [(run.start, 1), (run.stop, -1)]
    running, known = means(runs, horizon), means(there, horizon)
    waiting = [max(0.0, all_ - some) for all_, some in zip(known, running, strict=True)]
    most = max([1.0, *(sum(pair) for pair in zip(running, waiting, strict=True))])
    stack = Stack(
        name="running jobs, with waiting jobs above them",
        left=left,
        top=top,
        height=LOW,
        most=most,
    )
    yield from draw_stack(stack, [running, waiting], [RUNNING, WAITING])


def _steps(stretches: Iterable[GpuStretch], first: str, last: str) -> list[Step]:
    """Return the changes in the number of GPUs, with each stretch between two given ticks."""
    return [
        step
        for one in stretches
        for step in ((getattr(one, first), one.gpus), (getattr(one, last), -one.gpus))
    ]


TOP, SPACE = 98.0, 30.0
MOST_TYPES = 6
"""Maximum number of types named in the legend, which gives the number of further types."""


def lay_out_fleet(timeline: FleetTimeline) -> Picture:
    """Lay out the whole chart."""
    top = below_header(timeline, TOP)
    below = top + HEIGHT + SPACE
    rows, runs = make_rows(timeline, below), sum(len(job.runs) for job in timeline.jobs)
    many = runs > MOST_BARS or max(rows.of) >= MOST_ROWS
    left, bottom = (rows.left, below + LOW) if many else (rows.left, rows.bottom)
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    shapes = (
        *_legend(timeline, top - 34),
        *draw_gpus(timeline, left, top),
        *(draw_counts(timeline, left, below) if many else draw_rows(timeline, rows)),
        *draw_time(left, top, bottom, timeline.horizon / ticks, unit),
    )
    title = headline(timeline, f"{percent(timeline.spend_part)} of the budget", rooms=(400, 200))
    return sheet(timeline, title, shapes, head=top - 66, bottom=bottom)


def _legend(timeline: FleetTimeline, y: float) -> Iterator[Shape]:
    """Return the legend: colours of the types, and the states of leased GPUs that occur."""
    named = [fit(name, 11, 120) for name in timeline.types[:MOST_TYPES]]
    keys = [(colours.ring_colour(i), name) for i, name in enumerate(named)]
    if len(timeline.types) > MOST_TYPES:
        keys.append((colours.PAPER, f"and {len(timeline.types) - MOST_TYPES:,} more types"))
    keys.append((IDLE, "leased but idle"))
    if any(lease.works > lease.start for lease in timeline.leases):
        keys.append((COMING, "leased but not ready"))
    yield from draw_keys(((fill, None, words) for fill, words in keys), y, 18)


def to_fleet_page(timeline: FleetTimeline, picture: Picture) -> str:
    """Return the self-contained HTML page."""
    numbers = {
        "jobs that end": f"{timeline.ended:,} of {len(timeline.jobs):,}",
        "budget": f"{number(timeline.budget)} GPUs on average",
        "spent of it": percent(timeline.spend_part),
        "leases": f"{len(timeline.leases):,}",
    }
    heads = ("job", "runs", "type", "GPUs", "arrival, h", "first start, h", "end, h", "took, h")
    rows = [(job.number, _cells(job, timeline)) for job in timeline.jobs]
    return write_page(timeline, picture, numbers, heads, rows)


def _cells(job: FleetBars, timeline: FleetTimeline) -> Cells:
    most = str(max((run.gpus for run in job.runs), default=0))
    kind = visible(timeline.types[job.kind])
    return (
        visible(job.name),
        str(len(job.runs)),
        kind,
        (widths(job), most),
        *life_cells(job, timeline.hours),
    )


CHART = Chart(timeline=FleetTimeline, lay_out=lay_out_fleet, page=to_fleet_page)
