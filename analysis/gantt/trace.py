"""The chart of a `trace` schedule: every run, or sums over time if there are too many."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

from ...instances.errors import plural, visible
from ..drawing import colours
from ..drawing.shapes import Box, Boxes, Group, Line, Picture, Shape, TextLine, fit, number
from ..tables.model import Column, Table
from ..timeline.fleet import FleetBars
from ..timeline.trace import ServerStay, TraceBars, TraceTimeline
from . import Chart
from .lanes import StripArea
from .page import (
    LABEL_SIZE,
    PLANNED,
    Cells,
    Look,
    below_header,
    draw_keys,
    draw_labels,
    draw_words,
    headline,
    marks_of,
    sheet,
    some_of,
    time_cell,
    write_page,
)
from .slots import draw_bars, draw_grid, draw_legend, hold_boxes, labels, make_area, too_many
from .time import BINS, RIGHT, Stack, Step, draw_stack, draw_time, means, time_unit
from .totals import HEIGHT, LEFT, SIZES, SPACE, Totals, Use, lay_out_totals, size_group

STRIPE = 3.0
"""Pixels from one stripe of the hatching to the next."""
MARK = 2.0
"""Width of the mark of a stop."""
ARRIVALS = "arrivals"


def draw_trace_arrivals(timeline: TraceTimeline, area: StripArea) -> Iterator[Shape | Group]:
    """Mark when each job arrives. Marks that would overlap are drawn next to each other."""
    y, ink = area.top - 24, colours.INK
    at = (area.left - 8, y + 9)
    yield TextLine(at=at, text=ARRIVALS, size=LABEL_SIZE, colour=ink, anchor="end", role="row")
    last, width = float("-inf"), max(1.0, min(3.0, 600 / len(timeline.jobs)))
    for job in sorted(timeline.jobs, key=lambda job: job.arrival):
        exact = area.x(job.arrival)
        last = max(exact, last + width) if exact - last > -6 * width else exact
        mark = Boxes(
            at=((last, y, 0.8 * width, 10.0),),
            fill=colours.ring_colour(area.hue(job.number)),
            edge=colours.edge_colour(area.hue(job.number)),
            edge_width=width / 6,
            role="arrival",
        )
        yield Group(role="job", job=job.number, tooltip=tooltip(job, timeline), shapes=(mark,))


def draw_waits(job: TraceBars, stays: list[ServerStay], area: StripArea) -> Iterator[Boxes]:
    """Hatch the time without progress of a job, and mark the ends of stopped runs."""
    hatched = tuple(
        stripe
        for stay in stays
        if stay.works > stay.start
        for box in hold_boxes(job, stay, area)
        for stripe in stripes(box, area.x(stay.works))
    )
    if hatched:
        yield Boxes(at=hatched, fill=colours.SHADE, opacity=0.35, role="restart")
    stops = tuple(
        (left + width - MARK, top, MARK, height)
        for stay in stays
        if stay.cut
        for left, top, width, height in hold_boxes(job, stay, area)
        if width > 2 * MARK
    )
    if stops:
        yield Boxes(at=stops, fill=colours.edge_colour(area.hue(job.number)), role="stop")


def stripes(box: Box, end: float) -> Iterator[Box]:
    """Hatch the part of a box from its left to `end`."""
    left, top, _, height = box
    for k in range(max(1, int((end - left) / STRIPE))):
        at = left + STRIPE * k
        yield at, top, min(STRIPE / 2, end - at), height


def tooltip(job: TraceBars, timeline: TraceTimeline) -> str:
    """Return a short description of a job."""

    def moment(ticks: int) -> str:
        return timeline.value_text(ticks * timeline.tick)

    runs = []
    if job.runs:
        runs = [f"{plural(len(job.runs), 'run')}, the first from {moment(job.runs[0].start)}"]
    if any(run.run.half for run in job.runs):
        runs.append("shares its GPUs part of the time")
    group = f" group {visible(job.job.group)}," if job.job.group else ""
    gpus = plural(job.job.gpus, f"{visible(job.job.gpu)} GPU" if job.job.gpu else "GPU")
    about = f"{visible(job.name)}:{group} {gpus},"
    return life_text(job, about, runs, moment)


def life_text(
    job: TraceBars | FleetBars, about: str, runs: Sequence[str], moment: Callable[[int], str]
) -> str:
    """Return a job's arrival, runs, end and duration as text."""
    lines = [f"{about} arrives at {moment(job.arrival)}", *runs]
    if not job.runs:
        lines.append("never runs")
    elif job.end is None:
        lines.append("never ends")
    else:
        lines.append(
            f"ends at {moment(job.end)}, {moment(job.end - job.arrival)} after its arrival"
        )
    return "\n".join(lines)


HARDLY = 0.02
"""Part of the GPUs below which the time after the last arrival is not drawn."""


def lay_out_sums(timeline: TraceTimeline) -> Picture:
    """Draw totals: GPUs in use by group of job, their kind or size of job, waits, and a density."""
    groups = groups_of(timeline)
    names = list(groups or kinds_of(timeline)) or [words for _, words in SIZES]
    uses = list(_uses(timeline, groups))
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    machines = [(name, units / timeline.unit) for name, units in timeline.machines]
    shown = _shown(timeline, uses, sum(gpus for _, gpus in machines))
    totals = Totals(
        timeline=timeline,
        resource="GPUs",
        word="server",
        machines=machines,
        groups=[*names, *[""] * (len(SIZES) - len(names)), "restarts"],
        uses=uses,
        waiting=_waiting(timeline),
        shown=shown,
        ticks=ticks,
        unit=unit,
    )
    if shown == timeline.horizon:
        return lay_out_totals(totals)
    rest = f"Later, less than {100 * HARDLY:.0f} % of the GPUs are in use"
    return lay_out_totals(
        totals, notes=[f"{rest}, until {number(timeline.horizon / ticks)} {unit}."]
    )


def _shown(timeline: TraceTimeline, uses: list[Use], gpus: float) -> int:
    """Return the last moment to draw, without the nearly idle time after all arrivals."""
    last = max(job.arrival for job in timeline.jobs)
    steps = [step for use in uses for step in ((use.start, use.amount), (use.end, -use.amount))]
    bins = enumerate(means(steps, timeline.horizon), 1)
    busy = [k for k, mean in bins if mean >= HARDLY * gpus or k * timeline.horizon <= last * BINS]
    return -(-timeline.horizon * max(busy, default=BINS) // BINS)


NONE, OTHERS = "no group", "other groups"


def kinds_of(timeline: TraceTimeline) -> tuple[str, ...]:
    """Return the kinds of GPUs, the last ones together if there are many, or none for one kind."""
    kinds = timeline.instance.kinds
    if len(kinds) > len(SIZES):
        kinds = (*kinds[: len(SIZES) - 1], "other kinds")
    return tuple(map(str, kinds)) if len(kinds) > 1 else ()


def groups_of(timeline: TraceTimeline) -> dict[str, int]:
    """Return the number of each group that has a colour, empty if no job has a group.

    If there are too many, those with most work have one each, and all others the last together.
    """
    names = _group_names(timeline)
    names = names if len(names) <= len(SIZES) else [*names[: len(SIZES) - 1], OTHERS]
    return {name: number for number, name in enumerate(names)}


def _group_names(timeline: TraceTimeline) -> list[str]:
    """Return all groups, those with most work first. The list is empty if no job has a group."""
    work = Counter[str]()
    for job in timeline.instance.jobs:
        work[job.group or NONE] += int(job.gpus * job.duration_s)
    return [] if set(work) == {NONE} else [name for name, _ in work.most_common()]


def _group(job: TraceBars, groups: dict[str, int]) -> int:
    """Return the number of a job's group."""
    return groups.get(job.job.group or NONE, len(groups) - 1)


def _uses(timeline: TraceTimeline, groups: dict[str, int]) -> Iterator[Use]:
    """Yield the GPUs in use by group, kind or size of job, and in a last one those of restarts."""
    kinds, last = timeline.instance.kinds, len(kinds_of(timeline)) - 1
    for job in timeline.jobs:
        group = _group(job, groups) if groups else size_group(job.job.gpus)
        for stay in job.holds:
            if last > 0 and not groups:
                group = min(kinds.index(timeline.kind(stay.machine)), last)
            gpus = stay.units / timeline.unit
            yield Use(stay.machine, len(SIZES), stay.start, stay.works, gpus)
            yield Use(stay.machine, group, stay.works, stay.end, gpus)


def _waiting(timeline: TraceTimeline) -> list[Step]:
    steps: list[Step] = []
    for job in timeline.jobs:
        steps.append((job.arrival, 1))
        for run in job.runs:
            steps += [(run.start, -1), (run.stop, 1)]
        steps.append((timeline.horizon if job.end is None else job.end, -1))
    return steps


def lay_out_trace(timeline: TraceTimeline) -> Picture:
    """Lay out the whole chart."""
    if too_many(timeline):
        return lay_out_sums(timeline)
    area, groups = make_area(timeline, [ARRIVALS]), groups_of(timeline)
    if timeline.marks:
        groups = marks_of(timeline)
        names = {job.number: timeline.marks.get(job.name, PLANNED) for job in timeline.jobs}
        area = replace(area, hues={number: groups[name] for number, name in names.items()})
    elif groups:
        area = replace(area, hues={job.number: _group(job, groups) for job in timeline.jobs})
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    shapes = (
        *draw_legend(_looks(timeline, area), "height: GPUs in use", area, list(groups)),
        *draw_grid(area, ticks, unit),
        *draw_trace_arrivals(timeline, area),
        *draw_bars(timeline.jobs, area, lambda job: tooltip(job, timeline), draw_waits),
        *draw_labels(labels(timeline, area), area.left),
    )
    return sheet(timeline, headline(timeline), shapes, head=area.top - 66, bottom=area.bottom)


def _looks(timeline: TraceTimeline, area: StripArea) -> list[Look]:
    """Return the looks that occur, for the legend."""
    stays = [stay for job in timeline.jobs for stay in job.holds]
    looks: list[tuple[bool, Look]] = [
        (True, (colours.PALE_KEY, None, "on one server")),
        (
            any(stay.spread for stay in stays),
            (colours.KEY, colours.KEY_EDGE, "spread over servers"),
        ),
        (
            any(stay.works > stay.start for stay in stays),
            (
                colours.mixed(colours.PALE_KEY, colours.SHADE, 0.35),
                None,
                "hatched: restarts",
            ),
        ),
        (
            any(stay.cut for stay in stays),
            (colours.KEY_EDGE, None, "is stopped"),
        ),
        (
            any(strip.overfull for strip in area.strips.values()),
            (colours.WRONG, None, "more than the server has"),
        ),
    ]
    return [look for there, look in looks if there]


def to_trace_page(timeline: TraceTimeline, picture: Picture) -> str:
    """Return the self-contained HTML page."""
    numbers = {
        "jobs that end": f"{timeline.ended:,} of {len(timeline.jobs):,}",
        "stops": f"{sum(job.stops for job in timeline.jobs):,}",
        "servers": f"{len(timeline.machines):,}",
        "GPUs": f"{sum(units for _, units in timeline.machines) // timeline.unit:,}",
    }
    heads = ("job", "GPUs", "servers", "arrival", "first start", "end", "took", "runs")
    rows = [(job.number, _cells(job, timeline)) for job in timeline.jobs]
    return write_page(timeline, picture, numbers, heads, rows)


def _cells(job: TraceBars, timeline: TraceTimeline) -> Cells:
    names = [visible(timeline.machines[i][0]) for i in sorted({stay.machine for stay in job.holds})]
    times = life_cells(job, lambda ticks: ticks * timeline.tick)
    gpus, runs = str(job.job.gpus), str(len(job.runs))
    return visible(job.name), gpus, some_of(names), *times, runs


def life_cells(
    job: TraceBars | FleetBars, moment: Callable[[int], Fraction]
) -> Iterator[tuple[str, str]]:
    """Yield when a job arrives, first runs and ends, and how long that took."""
    took = None if job.end is None else job.end - job.arrival
    for ticks in (job.arrival, job.runs[0].start if job.runs else None, job.end, took):
        yield time_cell(None if ticks is None else moment(ticks))


def group_changes(timeline: TraceTimeline) -> dict[str, list[Step]]:
    """Return when the number of GPUs that each group holds changes, and by how many GPUs.

    Restarting jobs hold their GPUs, and a job that shares a GPU holds half of it.
    """
    found: dict[str, list[Step]] = {name: [] for name in _group_names(timeline)}
    for job in timeline.jobs if found else ():
        own = found[job.job.group or NONE]
        for stay in job.holds:
            gpus = stay.units / timeline.unit
            own += [(stay.start, gpus), (stay.end, -gpus)]
    return found


def group_table(timeline: TraceTimeline) -> Table:
    """Return the GPUs of each group from each moment on at which one of them changes."""
    changes = group_changes(timeline)
    moments = sorted({0.0, *(moment for steps in changes.values() for moment, _ in steps)})
    columns = []
    for steps in changes.values():
        at = dict.fromkeys(moments, 0.0)
        for moment, change in steps:
            at[moment] += change
        columns.append(list(accumulate(at.values())))
    lines = list(zip(*columns, strict=True))
    kept = [i for i, line in enumerate(lines) if i == 0 or line != lines[i - 1]]
    return Table(
        caption="GPUs by group",
        columns=tuple(Column(head=head, digits=None) for head in ("time_s", *changes)),
        rows=tuple((float(moments[i] * timeline.tick), *lines[i]) for i in kept),
    )


CLOSE, NARROW = 88.0, 64.0
"""Top of the stack below its legend, and height of the panel of one group."""


def lay_out_groups(timeline: TraceTimeline) -> Picture:
    """Draw the GPUs by group, stacked up to those of the cluster, and each group with its limits.

    The panels of the groups have one scale. A group without a colour of its own is part of the
    panel `other groups`, which has no limits.
    """
    kinds, changes = groups_of(timeline), group_changes(timeline)
    steps: list[list[Step]] = [[] for _ in kinds]
    for name, some in changes.items():
        steps[kinds.get(name, len(kinds) - 1)] += some
    capacity = sum(units for _, units in timeline.machines) / timeline.unit
    layers = [means(some, timeline.horizon) for some in steps]
    own = {group.name: group for group in timeline.instance.groups}
    quotas = [own[name].quota if name in own else 0 for name in kinds]
    mosts = [own[name].most or 0 if name in own else 0 for name in kinds]
    mosts = [most if most <= capacity else 0 for most in mosts]
    largest = max(1.0, *(max(layer) for layer in layers), *quotas, *mosts)
    top = below_header(timeline, CLOSE)
    size = f"GPUs in use, of {plural(int(capacity), 'GPU')}"
    whole = Stack(name=size, left=LEFT, top=top, height=HEIGHT, most=capacity)
    fills = [colours.ring_colour(hue) for hue in range(len(kinds))]
    keys = [(f, None, fit(visible(name), 11, 120)) for f, name in zip(fills, kinds, strict=True)]
    lines = [(any(quotas), QUOTA_DASH, "quota"), (any(mosts), MOST_DASH, "most")]
    shapes: list[Shape] = [*_groups_legend(keys, lines, top - 34)]
    shapes += draw_stack(whole, layers, fills)
    bottom = top + HEIGHT
    for name, layer, fill, quota, most in zip(kinds, layers, fills, quotas, mosts, strict=True):
        words = fit(visible(name), LABEL_SIZE, 400)
        panel = Stack(name=words, left=LEFT, top=bottom + SPACE, height=NARROW, most=largest)
        shapes += draw_stack(panel, [layer], [fill])
        shapes += _limit_line(panel, quota, QUOTA_DASH)
        shapes += _limit_line(panel, most, MOST_DASH)
        bottom = panel.top + NARROW
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    shapes += draw_time(LEFT, top, bottom, timeline.horizon / ticks, unit)
    title = headline(timeline)
    return sheet(timeline, title, shapes, head=top - 56, bottom=bottom)


QUOTA_DASH, MOST_DASH = (6.0, 3.0), (1.5, 2.5)


def _limit_line(panel: Stack, gpus: int, dash: tuple[float, ...]) -> Iterator[Shape]:
    if gpus:
        start, end = (panel.left, panel.y(gpus)), (RIGHT, panel.y(gpus))
        yield Line(start=start, end=end, colour=colours.INK, width=1.2, dash=dash, role="limit")


def _groups_legend(
    keys: Sequence[Look], lines: Sequence[tuple[bool, tuple[float, ...], str]], y: float
) -> Iterator[Shape]:
    x = yield from draw_keys(keys, y)
    for there, dash, words in lines:
        if there:
            start, end = (x, y - 4), (x + 26, y - 4)
            yield Line(start=start, end=end, colour=colours.INK, width=1.2, dash=dash)
            x = yield from draw_words(x + 31, y, words)


CHART = Chart(
    timeline=TraceTimeline,
    lay_out=lay_out_trace,
    page=to_trace_page,
    groups=lay_out_groups,
    group_table=group_table,
)
