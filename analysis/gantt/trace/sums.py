"""Sums over time, for schedules of so many runs that none of them would be seen."""

from collections.abc import Iterator

from ...drawing import colours
from ...drawing.shapes import Picture, Shape
from ...drawing.words import number, plural
from ...timeline.trace import TraceTimeline
from ..sheet import below_header, draw_keys, draw_notes, draw_words, headline, sheet
from ..stacks import BINS, Stack, Step, draw_stack, draw_time, means
from ..time import time_unit

LEFT, TOP = 76.0, 98.0
STACKS = (("GPUs in use", 260.0), ("jobs that wait", 150.0))
SPACE = 26.0
WIDTHS = ((1, "1 GPU"), (4, "2 to 4 GPUs"), (8, "5 to 8 GPUs"), (10**9, "more GPUs"))
"""The groups of job sizes in the analysis of the Philly trace."""
HARDLY = 0.02
"""Part of the GPUs below which the time after the last arrival is not drawn."""
RESTARTS = colours.mixed(colours.SHADE, colours.PAPER, 0.35)


def lay_out_sums(timeline: TraceTimeline) -> Picture:
    """Lay out how many GPUs are in use, by what, and how many jobs wait."""
    top = below_header(timeline, TOP)
    tops = [top, top + STACKS[0][1] + SPACE]
    bottom = tops[1] + STACKS[1][1]
    gpus = sum(units for _, units in timeline.machines) / timeline.unit
    in_use = _in_use(timeline)
    shown = _shown(timeline, [step for steps in in_use for step in steps], gpus)
    layers = [means(steps, shown) for steps in in_use]
    waiting = means(_waiting(timeline), shown)
    shapes = (
        *_legend(timeline, top - 30),
        *_stack(0, tops[0], layers, gpus),
        *_stack(1, tops[1], [waiting], max([*waiting, 1.0])),
        *_axis(timeline, shown, top, bottom),
    )
    return sheet(timeline, headline(timeline), shapes, head=top - 66, bottom=bottom + 16)


def _shown(timeline: TraceTimeline, in_use: list[Step], gpus: float) -> int:
    """Return until when to draw: not the time after all arrivals in which hardly anything runs."""
    last = max(job.arrival for job in timeline.jobs)
    bins = enumerate(means(in_use, timeline.horizon), 1)
    busy = [k for k, mean in bins if mean >= HARDLY * gpus or k * timeline.horizon <= last * BINS]
    return -(-timeline.horizon * max(busy, default=BINS) // BINS)


def _in_use(timeline: TraceTimeline) -> list[list[Step]]:
    """Return the GPUs at work by size of job, and last those of jobs that restart."""
    layers: list[list[Step]] = [[] for _ in range(len(WIDTHS) + 1)]
    for job in timeline.jobs:
        group = next(i for i, (most, _) in enumerate(WIDTHS) if job.job.gpus <= most)
        for stay in job.holds:
            gpus = stay.units / timeline.unit
            layers[-1] += [(stay.start, gpus), (stay.works, -gpus)]
            layers[group] += [(stay.works, gpus), (stay.end, -gpus)]
    return layers


def _waiting(timeline: TraceTimeline) -> list[Step]:
    steps: list[Step] = []
    for job in timeline.jobs:
        steps.append((job.arrival, 1))
        for run in job.runs:
            steps += [(run.start, -1), (run.stop, 1)]
        steps.append((timeline.horizon if job.end is None else job.end, -1))
    return steps


def _stack(place: int, top: float, layers: list[list[float]], most: float) -> Iterator[Shape]:
    name, height = STACKS[place]
    stack = Stack(name=name, left=LEFT, top=top, height=height, most=most)
    yield from draw_stack(stack, layers, _fills(len(layers)))


def _fills(count: int) -> list[str]:
    if count == 1:
        return [colours.SOFT_INK]
    return [*colours.HUES[: len(WIDTHS)], RESTARTS]


def _legend(timeline: TraceTimeline, y: float) -> Iterator[Shape]:
    keys = [*zip(_fills(2), [words for _, words in WIDTHS], strict=False), (RESTARTS, "restarts")]
    x = yield from draw_keys(((fill, None, words) for fill, words in keys), y)
    jobs, servers = len(timeline.jobs), len(timeline.machines)
    yield from draw_words(x, y, f"{plural(jobs, 'job')} on {plural(servers, 'server')}")


def _axis(timeline: TraceTimeline, shown: int, top: float, bottom: float) -> Iterator[Shape]:
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    yield from draw_time(LEFT, top, bottom, shown / ticks, unit)
    if shown < timeline.horizon:
        rest = f"Later less than {100 * HARDLY:.0f} % of the GPUs are in use"
        note = f"{rest}, until {number(timeline.horizon / ticks)} {unit}."
        yield from draw_notes([note], bottom + 54)
