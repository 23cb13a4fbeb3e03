"""The chart of a `fleet` log: GPUs over time, a row for each job, its numbers and its table."""

from collections.abc import Iterable, Iterator

from ....instances.errors import visible
from ...drawing import colours
from ...drawing.shapes import Line, Picture, Shape, TextLine, fit, number, percent
from ...timeline.fleet import FleetBars, FleetTimeline, GpuStretch
from ..draw import Chart
from ..page import Cells, time_cell, write_page
from ..sheet import below_header, draw_keys, headline, sheet
from ..stacks import RIGHT, Stack, Step, draw_stack, draw_time, means
from ..time import time_unit
from .rows import draw_rows, make_rows, widths

HEIGHT, LOW = 220.0, 150.0
"""Heights of the stacks of GPUs and of jobs."""
IDLE, COMING = "#c9ced6", "#8b93a0"
RUNNING, WAITING = colours.SOFT_INK, "#c9ced6"


def draw_gpus(timeline: FleetTimeline, left: float, top: float) -> Iterator[Shape]:
    """Draw the GPUs that jobs hold, by type, those leased beside them, and the budget."""
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
        name="jobs that run, and above them those that wait",
        left=left,
        top=top,
        height=LOW,
        most=most,
    )
    yield from draw_stack(stack, [running, waiting], [RUNNING, WAITING])


def _steps(stretches: Iterable[GpuStretch], first: str, last: str) -> list[Step]:
    """Return where GPUs come and go, if each stretch counts from one of its ticks to another."""
    return [
        step
        for one in stretches
        for step in ((getattr(one, first), one.gpus), (getattr(one, last), -one.gpus))
    ]


TOP, SPACE = 98.0, 30.0
MOST_RUNS, MOST_ROWS = 6000, 200
"""With more none of them would be seen: how many jobs there are is drawn in their place."""
MOST_NAMED = 6
"""Types in the legend; further types are counted."""


def lay_out_fleet(timeline: FleetTimeline) -> Picture:
    """Lay out the whole chart."""
    top = below_header(timeline, TOP)
    below = top + HEIGHT + SPACE
    rows, runs = make_rows(timeline, below), sum(len(job.runs) for job in timeline.jobs)
    many = runs > MOST_RUNS or max(rows.of) >= MOST_ROWS
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
    """Say which colours are which types; of leased GPUs, what occurs."""
    named = [fit(name, 11, 120) for name in timeline.types[:MOST_NAMED]]
    keys = [(colours.ring_colour(i), name) for i, name in enumerate(named)]
    if len(timeline.types) > MOST_NAMED:
        keys.append((colours.PAPER, f"and {len(timeline.types) - MOST_NAMED:,} more types"))
    keys.append((IDLE, "leased, in no use"))
    if any(lease.works > lease.start for lease in timeline.leases):
        keys.append((COMING, "not of use yet"))
    yield from draw_keys(((fill, None, words) for fill, words in keys), y, 18)


def to_fleet_page(timeline: FleetTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
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
    took = None if job.end is None else job.end - job.arrival
    ticks = (job.arrival, job.runs[0].start if job.runs else None, job.end, took)
    times = (time_cell(None if one is None else timeline.hours(one)) for one in ticks)
    most = str(max((run.gpus for run in job.runs), default=0))
    kind = visible(timeline.types[job.kind])
    return visible(job.name), str(len(job.runs)), kind, (widths(job), most), *times


CHART = Chart(timeline=FleetTimeline, lay_out=lay_out_fleet, page=to_fleet_page)
