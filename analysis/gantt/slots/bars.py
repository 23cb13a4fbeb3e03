"""A job's bars, the mark of its arrival, and what is said of it on hovering."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

from ....instances.errors import plural, visible
from ...drawing import colours
from ...drawing.shapes import Box, Boxes, Group, Shape, TextLine, number, text_width
from ...timeline import Holding, JobHolder
from ...timeline.slots import SlotJob, SlotTimeline
from ..sheet import LABEL_SIZE
from .strips import StripArea, row_names

J = TypeVar("J", bound=JobHolder)


def draw_bars(
    jobs: Iterable[J],
    area: StripArea,
    tooltip: Callable[[J], str],
    more: Callable[[J, Any, StripArea], Iterable[Shape]] = lambda *_: (),
) -> Iterator[Group]:
    """Draw what every job holds, outlined while it is on several machines; `more` over it."""
    for job in jobs:
        holds = [hold for hold in job.holds if hold.machine in area.strips]
        if holds:
            shapes: tuple[Shape, ...] = (
                *_pieces(job, holds, area),
                *more(job, holds, area),
                *_excess(job, holds, area),
                *_names(job, holds, area),
            )
            yield Group(role="job", job=job.number, tooltip=tooltip(job), shapes=shapes)


def draw_arrivals(timeline: SlotTimeline, area: StripArea) -> Iterator[Shape | Group]:
    """Mark when each job arrives: in the upper row those with a plan, in the lower the others."""
    for row, name in enumerate(row_names(timeline)):
        y = area.top - 38 + 14 * row
        jobs = sorted((j for j in timeline.jobs if bool(j.held) is not bool(row)), key=_arrival)
        at, ink = (area.left - 8, y + 9), colours.INK
        yield TextLine(at=at, text=name, size=LABEL_SIZE, colour=ink, anchor="end", role="row")
        for slot, group in groupby(jobs, key=_arrival):
            together = list(group)
            step = (area.x(1) - area.x(0)) / len(together)
            for i, job in enumerate(together):
                box = (area.x(slot) + (i + 0.1) * step, y, max(0.75, min(6.0, 0.8 * step)), 10.0)
                fill = colours.PAPER if row else colours.ring_colour(job.number)
                edge = colours.SOFT_INK if row else colours.edge_colour(job.number)
                mark = Boxes(at=(box,), fill=fill, edge=edge, edge_width=0.8, role="arrival")
                about = tooltip(job, timeline)
                yield Group(role="job", job=job.number, tooltip=about, shapes=(mark,))


def _arrival(job: SlotJob) -> int:
    return job.arrival


def tooltip(job: SlotJob, timeline: SlotTimeline) -> str:
    """Describe a job in a few lines."""
    lines = [f"{visible(job.name)}: arrives at {job.arrival}"]
    if not job.held:
        return "\n".join([*lines, timeline.without])
    slots = f"works in {plural(len(job.held), 'slot')} from {min(job.held)} to {max(job.held)}"
    lines.append(f"{slots}, {plural(job.worker_slots, 'worker-slot')}")
    worth = timeline.worth.get(job.name)
    lines.append(timeline.last(job))
    lines.append("" if worth is None else f"{timeline.objective} {number(worth)}")
    return "\n".join(filter(None, lines))


def _pieces(job: JobHolder, holds: Sequence[Holding], area: StripArea) -> Iterator[Boxes]:
    """Draw what a job holds."""
    quiet, strong = colours.quiet_colour(job.number), colours.ring_colour(job.number)
    for spread, fill in ((False, quiet), (True, strong)):
        at = [_inset(b) for h in holds if h.spread is spread for b in area.boxes(job, h)]
        if at:
            edge = colours.edge_colour(job.number) if spread else None
            yield Boxes(at=tuple(at), fill=fill, edge=edge, edge_width=0.8, role="piece")


def _excess(job: JobHolder, holds: Sequence[Holding], area: StripArea) -> Iterator[Boxes]:
    """Paint over what is more than a machine has."""
    at = []
    for hold in holds:
        strip = area.strips[hold.machine]
        limit = strip.top + strip.units * strip.pitch
        at += [_inset(box) for box in area.boxes(job, hold) if box[1] + box[3] / 2 > limit]
    if at:
        yield Boxes(at=tuple(at), fill=colours.WRONG, opacity=0.75, role="excess")


def _inset(box: Box) -> Box:
    """Leave a little room between bars."""
    left, top, width, height = box
    gap = 0.4 if height > 3 and width > 3 else 0.0
    return left + gap, top + gap, width - 2 * gap, height - 2 * gap


def _names(job: JobHolder, holds: Sequence[Holding], area: StripArea) -> Iterator[TextLine]:
    """Name the bars that have room for it, each only where it begins."""
    name, ends = visible(job.name), {(hold.machine, hold.end) for hold in holds}
    for hold in holds:
        boxes = area.boxes(job, hold)
        if not boxes or (hold.machine, hold.start) in ends:
            continue
        left, top, width, height = max(boxes, key=lambda box: box[3])
        size = min(11.0, 0.75 * height)
        if size >= 7 and text_width(name, size) <= width - 7:
            ground = colours.ring_colour if hold.spread else colours.quiet_colour
            middle, strip = top + height / 2, area.strips[hold.machine]
            beyond = middle > strip.top + strip.units * strip.pitch
            ink = colours.PAPER if beyond else colours.ink_on(ground(job.number))
            at = (left + 4, middle + 0.36 * size)
            yield TextLine(at=at, text=name, size=size, colour=ink)
