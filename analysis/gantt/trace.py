"""The chart of a `trace` schedule: every run, or sums over time if there are too many."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from ...instances.errors import plural, visible
from ..drawing import colours
from ..drawing.shapes import Box, Boxes, Group, Picture, Shape, TextLine, number
from ..timeline.fleet import FleetBars
from ..timeline.trace import ServerStay, TraceBars, TraceTimeline
from . import Chart
from .lanes import StripArea
from .page import (
    LABEL_SIZE,
    Cells,
    Look,
    below_header,
    draw_keys,
    draw_labels,
    draw_notes,
    draw_words,
    headline,
    sheet,
    some_of,
    time_cell,
    write_page,
)
from .slots import draw_bars, draw_grid, draw_legend, hold_boxes, labels, make_area
from .time import BINS, Stack, Step, draw_stack, draw_time, means, time_unit

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
    about = f"{visible(job.name)}: {plural(job.job.gpus, 'GPU')},"
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


LEFT, TOP = 76.0, 98.0
HEIGHT, LOW, SPACE = 260.0, 150.0, 26.0
"""Heights of the stacks of GPUs and of jobs, and the space between them."""
WIDTHS = ((1, "1 GPU"), (4, "2 to 4 GPUs"), (8, "5 to 8 GPUs"), (10**9, "more GPUs"))
"""The groups of job sizes in the analysis of the Philly trace."""
HARDLY = 0.02
"""Part of the GPUs below which the time after the last arrival is not drawn."""
FILLS = (*colours.HUES[: len(WIDTHS)], colours.mixed(colours.SHADE, colours.PAPER, 0.35))
"""Colours of these groups, and of restarts."""


def lay_out_sums(timeline: TraceTimeline) -> Picture:
    """Draw the GPUs in use by purpose, and the number of waiting jobs."""
    top = below_header(timeline, TOP)
    below = top + HEIGHT + SPACE
    bottom = below + LOW
    gpus = sum(units for _, units in timeline.machines) / timeline.unit
    in_use = _in_use(timeline)
    shown = _shown(timeline, [step for steps in in_use for step in steps], gpus)
    layers = [means(steps, shown) for steps in in_use]
    waiting = means(_waiting(timeline), shown)
    in_use_at = Stack(name="GPUs in use", left=LEFT, top=top, height=HEIGHT, most=gpus)
    most = max([*waiting, 1.0])
    waiting_at = Stack(name="jobs that wait", left=LEFT, top=below, height=LOW, most=most)
    shapes = (
        *_legend(timeline, top - 30),
        *draw_stack(in_use_at, layers, FILLS),
        *draw_stack(waiting_at, [waiting], [colours.SOFT_INK]),
        *_axis(timeline, shown, top, bottom),
    )
    return sheet(timeline, headline(timeline), shapes, head=top - 66, bottom=bottom + 16)


def _shown(timeline: TraceTimeline, in_use: list[Step], gpus: float) -> int:
    """Return the last moment to draw, without the nearly idle time after all arrivals."""
    last = max(job.arrival for job in timeline.jobs)
    bins = enumerate(means(in_use, timeline.horizon), 1)
    busy = [k for k, mean in bins if mean >= HARDLY * gpus or k * timeline.horizon <= last * BINS]
    return -(-timeline.horizon * max(busy, default=BINS) // BINS)


def _in_use(timeline: TraceTimeline) -> list[list[Step]]:
    """Return the GPUs in use by size of job, and last those of restarting jobs."""
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


def _legend(timeline: TraceTimeline, y: float) -> Iterator[Shape]:
    keys = zip(FILLS, [*(words for _, words in WIDTHS), "restarts"], strict=True)
    x = yield from draw_keys(((fill, None, words) for fill, words in keys), y)
    jobs, servers = len(timeline.jobs), len(timeline.machines)
    yield from draw_words(x, y, f"{plural(jobs, 'job')} on {plural(servers, 'server')}")


def _axis(timeline: TraceTimeline, shown: int, top: float, bottom: float) -> Iterator[Shape]:
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    yield from draw_time(LEFT, top, bottom, shown / ticks, unit)
    if shown < timeline.horizon:
        rest = f"Later, less than {100 * HARDLY:.0f} % of the GPUs are in use"
        note = f"{rest}, until {number(timeline.horizon / ticks)} {unit}."
        yield from draw_notes([note], bottom + 54)


MOST_STAYS = 6000
"""Maximum number of visible bars."""
MOST_SERVERS = 120
"""Maximum number of servers with visible bars."""


def lay_out_trace(timeline: TraceTimeline) -> Picture:
    """Lay out the whole chart."""
    stays = sum(len(job.holds) for job in timeline.jobs)
    if stays > MOST_STAYS or len(timeline.machines) > MOST_SERVERS:
        return lay_out_sums(timeline)
    area = make_area(timeline, [ARRIVALS])
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    shapes = (
        *draw_legend(_looks(timeline, area), "height: GPUs in use", area),
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


CHART = Chart(timeline=TraceTimeline, lay_out=lay_out_trace, page=to_trace_page)
