"""GPUs over time: held by type, leased beside them, to come; and jobs over time, where many are."""

from collections.abc import Iterable, Iterator

from ...drawing import colours
from ...drawing.shapes import Line, Shape, TextLine
from ...drawing.words import number
from ...timeline.fleet import FleetTimeline, GpuStretch
from ..stacks import RIGHT, Stack, Step, draw_stack, means

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
