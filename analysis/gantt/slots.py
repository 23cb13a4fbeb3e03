"""Machines by slots: the charts of the families `online` and `reserved`.

Machines are strips, slots go across, and the holdings of a job get lanes in a strip.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

from ...instances.errors import plural, visible
from ..drawing import colours
from ..drawing.shapes import Box, Boxes, Group, Picture, Shape, TextLine, fit, number, text_width
from ..timeline import Holding, Holdings, JobHolder
from ..timeline.slots import SlotJob, SlotTimeline
from .lanes import Block, LaneStay, Strip, StripArea, assign_lanes
from .page import (
    LABEL_SIZE,
    WIDTH,
    Cells,
    Look,
    below_header,
    draw_groups_key,
    draw_hues_key,
    draw_keys,
    draw_labels,
    draw_words,
    headline,
    sheet,
    some_of,
    write_page,
)
from .time import Step, draw_ticks, round_ticks
from .totals import MOST_BARS, MOST_ROWS, Totals, Use, lay_out_totals

TOP, RIGHT = 98.0, 24.0
SPACE = 4.0
ARRIVAL = attrgetter("arrival")


def make_area(timeline: Holdings, rows: Iterable[str]) -> StripArea:
    """Assign lanes, and divide the room below `rows`."""
    there: dict[int, list[tuple[JobHolder, Holding]]] = {
        i: [] for i in range(len(timeline.machines))
    }
    for job in timeline.jobs:
        for hold in job.holds:
            there[hold.machine].append((job, hold))
    height = max(5.0, min(64.0, 1000 / len(there) - SPACE))
    top = below_header(timeline, TOP)
    strips: dict[int, Strip] = {}
    lanes: dict[tuple[int, Holding], tuple[Block, ...]] = {}
    for place, machine in enumerate(there):
        units = timeline.machines[machine][1]
        stays = [LaneStay(Fraction(h.start), Fraction(h.end), h.units) for _, h in there[machine]]
        found = assign_lanes(stays, units)
        lanes |= {(job.number, h): b for (job, h), b in zip(there[machine], found, strict=True)}
        most = max((high for blocks in found for _, high in blocks), default=0)
        y = top + place * (height + SPACE)
        strips[machine] = Strip(top=y, height=height, units=units, lanes=max(units, most))
    names = [*rows, *(label(timeline, i) for i in there)]
    area = StripArea(
        left=24 + min(200.0, max(text_width(name, LABEL_SIZE) for name in names)),
        right=WIDTH - RIGHT,
        top=top,
        bottom=top + len(there) * (height + SPACE) - SPACE,
        horizon=last_tick(timeline),
        strips=strips,
        lanes=lanes,
    )
    bars = [(job.number, h) for holds in there.values() for job, h in holds]
    return area.coloured([(number, h, h.machine, h.start, h.end) for number, h in bars])


def last_tick(timeline: Holdings) -> int:
    """Return the last tick to draw."""
    return max([timeline.horizon, *(hold.end for job in timeline.jobs for hold in job.holds)])


def too_many(timeline: Holdings) -> bool:
    """Return True if totals are drawn instead of bars."""
    bars = sum(len(job.holds) for job in timeline.jobs)
    return bars > MOST_BARS or len(timeline.machines) > MOST_ROWS


def hold_boxes(job: JobHolder, hold: Holding, area: StripArea) -> list[Box]:
    """Return the rectangles of a hold."""
    return area.boxes(hold.machine, (job.number, hold), hold.start, hold.end)


def label(timeline: Holdings, machine: int) -> str:
    """Name a machine with its capacity of the resource, and with its kind."""
    (name, units), kind = timeline.machines[machine], timeline.kind(machine)
    return f"{name} · {number(Fraction(units, timeline.unit))}" + (f" {kind}" if kind else "")


def labels(timeline: Holdings, area: StripArea) -> list[tuple[float, str]]:
    """Return the middle and the name of each strip."""
    strips = area.strips.items()
    return [(strip.top + strip.height / 2, label(timeline, i)) for i, strip in strips]


def row_names(timeline: SlotTimeline) -> tuple[str, str]:
    """Draw the names of the rows of jobs with and without a plan."""
    others = len(timeline.jobs) - timeline.admitted
    return f"{timeline.with_plan} · {timeline.admitted:,}", f"{timeline.without} · {others:,}"


J = TypeVar("J", bound=JobHolder)


def draw_bars(
    jobs: Iterable[J],
    area: StripArea,
    tooltip: Callable[[J], str],
    more: Callable[[J, Any, StripArea], Iterable[Shape]] = lambda *_: (),
) -> Iterator[Group]:
    """Draw the holdings of every job, outlined while it is on several machines, then `more`."""
    for job in jobs:
        if job.holds:
            shapes: tuple[Shape, ...] = (
                *_pieces(job, job.holds, area),
                *more(job, job.holds, area),
                *_excess(job, job.holds, area),
                *_names(job, job.holds, area),
            )
            yield Group(role="job", job=job.number, tooltip=tooltip(job), shapes=shapes)


def draw_arrivals(timeline: SlotTimeline, area: StripArea) -> Iterator[Shape | Group]:
    """Mark job arrivals: jobs with a plan in the upper row, jobs without one in the lower row."""
    for row, name in enumerate(row_names(timeline)):
        y = area.top - 38 + 14 * row
        jobs = sorted((j for j in timeline.jobs if bool(j.held) is not bool(row)), key=ARRIVAL)
        at, ink = (area.left - 8, y + 9), colours.INK
        yield TextLine(at=at, text=name, size=LABEL_SIZE, colour=ink, anchor="end", role="row")
        for slot, group in groupby(jobs, key=ARRIVAL):
            together = list(group)
            step = (area.x(1) - area.x(0)) / len(together)
            for i, job in enumerate(together):
                box = (area.x(slot) + (i + 0.1) * step, y, max(0.75, min(6.0, 0.8 * step)), 10.0)
                fill = colours.PAPER if row else colours.ring_colour(area.hue(job.number))
                edge = colours.SOFT_INK if row else colours.edge_colour(area.hue(job.number))
                mark = Boxes(at=(box,), fill=fill, edge=edge, edge_width=0.8, role="arrival")
                about = tooltip(job, timeline)
                yield Group(role="job", job=job.number, tooltip=about, shapes=(mark,))


def tooltip(job: SlotJob, timeline: SlotTimeline) -> str:
    """Return a short description of a job."""
    lines = [f"{visible(job.name)}: arrives at {job.arrival}"]
    if not job.held:
        return "\n".join([*lines, timeline.without])
    slots = f"runs in {plural(len(job.held), 'slot')} from {min(job.held)} to {max(job.held)}"
    lines.append(f"{slots}, {plural(job.worker_slots, 'worker-slot')}")
    worth = timeline.worth.get(job.name)
    lines.append(timeline.last(job))
    lines.append("" if worth is None else f"{timeline.objective} {number(worth)}")
    return "\n".join(filter(None, lines))


def _pieces(job: JobHolder, holds: Sequence[Holding], area: StripArea) -> Iterator[Boxes]:
    """Draw the holdings of a job."""
    hue = area.hue(job.number)
    quiet, strong = colours.quiet_colour(hue), colours.ring_colour(hue)
    for spread, fill in ((False, quiet), (True, strong)):
        at = [_inset(b) for h in holds if h.spread is spread for b in hold_boxes(job, h, area)]
        if at:
            edge = colours.edge_colour(hue) if spread else None
            width = 0.8 if max(box[3] for box in at) > 3 else 0.3
            yield Boxes(at=tuple(at), fill=fill, edge=edge, edge_width=width, role="piece")


def _excess(job: JobHolder, holds: Sequence[Holding], area: StripArea) -> Iterator[Boxes]:
    """Mark holdings beyond the capacity of a machine."""
    at = []
    for hold in holds:
        limit = area.strips[hold.machine].limit
        at += [_inset(b) for b in hold_boxes(job, hold, area) if b[1] + b[3] / 2 > limit]
    if at:
        yield Boxes(at=tuple(at), fill=colours.WRONG, opacity=0.75, role="excess")


def _inset(box: Box) -> Box:
    """Return the inset that separates bars."""
    left, top, width, height = box
    gap = 0.4 if height > 3 and width > 3 else 0.0
    return left + gap, top + gap, width - 2 * gap, height - 2 * gap


def _names(job: JobHolder, holds: Sequence[Holding], area: StripArea) -> Iterator[TextLine]:
    """Name the bars that have room for it, each at its start only."""
    name, ends = visible(job.name), {(hold.machine, hold.end) for hold in holds}
    for hold in holds:
        boxes = hold_boxes(job, hold, area)
        if not boxes or (hold.machine, hold.start) in ends:
            continue
        left, top, width, height = max(boxes, key=lambda box: box[3])
        size = min(11.0, 0.75 * height)
        if size >= 7 and text_width(name, size) <= width - 7:
            ground = colours.ring_colour if hold.spread else colours.quiet_colour
            middle = top + height / 2
            beyond = middle > area.strips[hold.machine].limit
            ink = colours.PAPER if beyond else colours.ink_on(ground(area.hue(job.number)))
            at = (left + 4, middle + 0.36 * size)
            yield TextLine(at=at, text=name, size=size, colour=ink)


def lay_out_slots(timeline: SlotTimeline) -> Picture:
    """Lay out the whole chart."""
    if too_many(timeline):
        return _lay_out_totals(timeline)
    area = make_area(timeline, row_names(timeline))
    shapes = (
        *draw_legend(
            _looks(timeline, area), f"height: {fit(timeline.resource, 11, 200)} in use", area
        ),
        *draw_grid(area, 1, timeline.time),
        *draw_arrivals(timeline, area),
        *draw_bars(timeline.jobs, area, lambda job: tooltip(job, timeline)),
        *draw_labels(labels(timeline, area), area.left),
    )
    notes = list(_notes(timeline))
    head, bottom = area.top - 66, area.bottom
    return sheet(timeline, headline(timeline), shapes, head=head, bottom=bottom, notes=notes)


def _looks(timeline: SlotTimeline, area: StripArea) -> list[Look]:
    looks: list[Look] = [
        (colours.PALE_KEY, None, "on one machine"),
        (colours.KEY, colours.KEY_EDGE, "spread over machines"),
    ]
    if any(strip.overfull for strip in area.strips.values()):
        looks.append((colours.WRONG, None, "more than the machine has"))
    if (count := len(timeline.jobs) - timeline.admitted) > 0:
        words = f"{timeline.without}: {count:,} of {plural(len(timeline.jobs), 'job')}"
        looks.append((colours.PAPER, colours.SOFT_INK, words))
    return looks


def draw_legend(
    looks: list[Look], more: str, area: StripArea, groups: Sequence[str] = ()
) -> Iterator[Shape]:
    """Draw the meanings of the bars' looks, and of their hues if these stand for groups."""
    y = area.top - 50.0
    x = yield from draw_keys(looks, y)
    x = yield from draw_words(x, y, more)
    yield from draw_groups_key(x, y, groups) if groups else draw_hues_key(x, y)


def draw_grid(area: StripArea, slots: float, unit: str) -> Iterator[Shape]:
    """Draw the strips of the machines, and the time axis in units of `slots` slots."""
    width = area.right - area.left
    at = tuple((area.left, strip.top, width, strip.height) for strip in area.strips.values())
    yield Boxes(at=at, fill=colours.BAND, role="band")
    yield from draw_ticks(
        round_ticks(area.horizon / slots, 12, whole=slots <= 1),
        lambda tick: area.x(tick * slots),
        (area.top - 4, area.bottom),
        unit,
        middle=(area.left + area.right) / 2,
    )


def _lay_out_totals(timeline: SlotTimeline) -> Picture:
    """Draw what is in use, waiting jobs, and a density, below the arrivals."""
    totals = Totals(
        timeline=timeline,
        resource=fit(timeline.resource, 11, 200),
        word="machine",
        machines=[(name, units / timeline.unit) for name, units in timeline.machines],
        groups=("on one machine", "spread over machines"),
        uses=[
            Use(hold.machine, int(hold.spread), hold.start, hold.end, hold.units / timeline.unit)
            for job in timeline.jobs
            for hold in job.holds
        ],
        waiting=list(_waiting(timeline)),
        shown=last_tick(timeline),
        unit=timeline.time,
    )
    area = totals.area
    marks = StripArea(
        left=area.left,
        top=area.top - 6,
        bottom=area.bottom,
        horizon=area.horizon,
        strips={},
        lanes={},
    )
    return lay_out_totals(totals, draw_arrivals(timeline, marks), list(_notes(timeline)))


def _waiting(timeline: SlotTimeline) -> Iterator[Step]:
    """Yield the changes in the number of jobs that have arrived and have no workers."""
    for job in timeline.jobs:
        if job.held or timeline.stay:
            yield job.arrival, 1
            for slot in job.held:
                yield from ((slot, -1), (slot + 1, 1))
            yield 1 + max(job.held, default=timeline.horizon - 1), -1


def _notes(timeline: SlotTimeline) -> Iterator[str]:
    """Yield notes on omitted parts of the chart."""
    if any(not hold.units for job in timeline.jobs for hold in job.holds):
        yield f"Not drawn: workers and parameter servers that use no {timeline.resource}."


def to_slots_page(timeline: SlotTimeline, picture: Picture) -> str:
    """Return the self-contained HTML page."""
    numbers = {
        timeline.with_plan: f"{timeline.admitted:,} of {len(timeline.jobs):,}",
        "machines": f"{len(timeline.machines):,}",
        "slots": f"{timeline.horizon:,}",
    }
    heads = ("job", "worker-slots", "machines", "arrival", "last slot", timeline.objective)
    rows = [(job.number, _cells(job, timeline)) for job in timeline.jobs]
    return write_page(timeline, picture, numbers, heads, rows)


def _cells(job: SlotJob, timeline: SlotTimeline) -> Cells:
    names = [visible(timeline.machines[i][0]) for i in sorted({h.machine for h in job.holds})]
    last = (f"{max(job.held):,}", str(max(job.held))) if job.held else ("-", "Infinity")
    found = timeline.worth.get(job.name)
    worth = ("-", "-1") if found is None else (number(found), f"{float(found):.6f}")
    slots, arrival = str(job.worker_slots), str(job.arrival)
    return visible(job.name), slots, some_of(names), arrival, last, worth
