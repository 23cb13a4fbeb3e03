"""The chart of a `makespan` schedule from back to front, its numbers and its table of jobs.

Ties: the thin vertical line that joins the bars of one ring across servers.
"""

from collections.abc import Generator, Iterator
from typing import Literal

from ....instances.errors import visible
from ...drawing import colours
from ...drawing.colours import BAND, FAINT, INK, WRONG, edge_colour, ring_colour
from ...drawing.shapes import Boxes, Group, Line, Picture, Shape, TextLine, number, text_width
from ...timeline.makespan import MakespanTimeline, Stint
from .. import Chart
from ..lanes import StripArea
from ..page import (
    LABEL_SIZE,
    MARGIN,
    WIDTH,
    Cells,
    draw_groups_key,
    draw_hues_key,
    draw_labels,
    draw_words,
    headline,
    marks_of,
    sheet,
    some_of,
    time_cell,
    write_page,
)
from ..time import Area, draw_ticks, round_ticks
from ..totals import MOST_BARS, MOST_ROWS, SIZES, Totals, Use, lay_out_totals, size_group
from .bars import LABELS, draw_bars, label, last_moment, make_area

MANY = 60
"""Ties of more rings than this are drawn thinner."""
STEP = 4
"""Pixels between adjacent tracks of ties."""


def draw_ties(stints: tuple[Stint, ...], area: StripArea) -> Iterator[Group]:
    """Draw a tie near the end of each ring without covering other ties."""
    tracks: dict[int, list[tuple[float, float]]] = {}
    many = sum(stint.is_ring for stint in stints) > MANY
    width, opacity = (0.8, 0.4) if many else (1.2, 0.7)
    for stint in stints:
        knots = _knots(stint, area)
        if len(knots) < 2:
            continue
        top, bottom = knots[0][0], knots[-1][0]
        x = _free_track(area.x(stint.start), area.x(stint.end), top, bottom, tracks)
        tracks.setdefault(round(x / STEP), []).append((top, bottom))
        hue = area.hue(stint.number)
        colour = edge_colour(hue)
        line = Line(start=(x, top), end=(x, bottom), colour=colour, width=width, opacity=opacity)
        dots = Boxes(
            at=tuple((x - r, y - r, 2 * r, 2 * r) for y, r in knots),
            fill=ring_colour(hue),
            edge=colour,
            edge_width=0.8,
        )
        yield Group(role="tie", job=stint.number, shapes=(line, dots))


def _knots(stint: Stint, area: StripArea) -> list[tuple[float, float]]:
    """Return the middle of each bar, and how large a dot may be there."""
    found = []
    for server, _ in stint.pieces:
        boxes = area.boxes(server, (stint.number, server), stint.start, stint.end)
        _, top, _, height = max(boxes, key=lambda box: box[3])
        found.append((top + height / 2, min(2.5, max(0.8, 0.25 * height))))
    return found


def _free_track(
    left: float,
    right: float,
    top: float,
    bottom: float,
    tracks: dict[int, list[tuple[float, float]]],
) -> float:
    """Return the last place within a bar that has no other tie, or else the last place."""
    last, first = int((right - 3) // STEP), int((left + 3) // STEP)
    for track in range(last, first, -1):
        if all(low > bottom or high < top for low, high in tracks.get(track, ())):
            return float(track * STEP)
    return float(last * STEP) if last > first else (left + right) / 2


def draw_axis(timeline: MakespanTimeline, area: StripArea) -> Iterator[Shape]:
    """Draw grid lines and their numbers, below and, if the chart is high, also above."""
    marked = [area.x(slot) for slot in (timeline.bound, timeline.value) if slot is not None]

    def above(x: float) -> list[float]:
        high = area.bottom - area.top > 600
        return [area.top - 8] if high and all(abs(x - line) >= 28 for line in marked) else []

    return draw_ticks(
        round_ticks(area.horizon, 12, timeline.instance.progress != "continuous"),
        area.x,
        (area.top - 4, area.bottom),
        timeline.time,
        middle=(area.left + area.right) / 2,
        more=above,
    )


def draw_lines(timeline: MakespanTimeline, area: Area) -> Iterator[Shape]:
    """Draw the bound (dashed) and the makespan (solid) with their labels."""
    bound, makespan = timeline.bound, timeline.value
    if makespan is not None:
        equal = bound == makespan
        text = f"makespan {'= bound ' if equal else ''}{number(makespan)}"
        yield from _line(area, area.x(makespan), text, "makespan")
    if bound is not None and bound != makespan:
        yield from _line(area, area.x(bound), f"bound {number(bound)}", "bound")


def _line(area: Area, x: float, text: str, role: str) -> Iterator[Shape]:
    """Draw a line with its label. Bound and makespan have separate rows."""
    is_bound = role == "bound"
    top = area.top - (46 if is_bound else 32)
    end = (x, area.bottom + 4)
    dash = (5.0, 3.0) if is_bound else None
    yield Line(start=(x, top), end=end, colour=INK, width=1.4, dash=dash, role=role)
    room = (WIDTH - x if not is_bound else 0) - 12
    right = text_width(text, 12) < room or text_width(text, 12) > x
    at = (x + 5 if right else x - 5, top + 9)
    anchor: Literal["start", "end"] = "start" if right else "end"
    yield TextLine(at=at, text=text, size=11, colour=INK, anchor=anchor, bold=True, role="value")


SAMPLES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
"""Slowdowns that the legend shows, as far as they occur."""
SWATCH = 26


def draw_legend(timeline: MakespanTimeline, area: StripArea) -> Iterator[Shape]:
    """Draw the keys of the looks that occur, then the scale of slowdowns."""
    x, y = float(MARGIN), area.top - 58
    rings = any(stint.is_ring for stint in timeline.stints)
    if not all(stint.is_ring for stint in timeline.stints):
        yield Boxes(at=((x, y - 9, SWATCH, 11),), fill=colours.PALE_KEY)
        x = yield from draw_words(x + SWATCH + 5, y, "job inside one server")
    if rings:
        ring, edge = colours.KEY, colours.KEY_EDGE
        yield Boxes(at=((x, y - 9, SWATCH, 11),), fill=ring, edge=edge, edge_width=0.8)
        tie = x + SWATCH - 5
        yield Line(start=(tie, y - 13), end=(tie, y + 6), colour=edge, width=1.2)
        yield Boxes(at=((tie - 2, y - 5.5, 4, 4),), fill=ring, edge=edge, edge_width=0.8)
        x = yield from draw_words(x + SWATCH + 5, y, "ring over several servers, tied")
    if any(strip.overfull for strip in area.strips.values()):
        yield Boxes(at=((x, y - 9, SWATCH, 11),), fill=colours.WRONG, opacity=0.75)
        x = yield from draw_words(x + SWATCH + 5, y, "more GPUs than the server has")
    if rings:
        worst = max(stint.worst_slowdown for stint in timeline.stints)
        x = yield from draw_slowdowns(x, y, worst)
    if timeline.marks:
        yield from draw_groups_key(x, y, marks_of(timeline))
    else:
        yield from draw_hues_key(x, y)


def draw_slowdowns(x: float, y: float, worst: float) -> Generator[Shape, None, float]:
    """Draw the scale of slowdowns up to the worst, and return the next free position."""
    x = yield from draw_words(x, y, "slowdown of the exchange:")
    shown = [s for i, s in enumerate(SAMPLES) if i < 3 or SAMPLES[i - 1] < worst]
    for slowdown in shown:
        step = colours.shade_step(colours.lost_part(slowdown))
        box = (x, y - 11, float(SWATCH), 15.0)
        yield Boxes(at=(box,), fill=colours.KEY)
        yield Boxes(at=(box,), fill=colours.SHADE, opacity=colours.shade_opacity(step))
        ink, at = colours.ink_on(colours.KEY, step), (x + SWATCH / 2, y)
        text = f"x{number(slowdown)}"
        yield TextLine(at=at, text=text, size=10, colour=ink, anchor="middle")
        x += SWATCH
    return x + 12


def lay_out(timeline: MakespanTimeline) -> Picture:
    """Lay out the whole chart."""
    bars = sum(len(stint.pieces) for stint in timeline.stints)
    if len(timeline.servers) > MOST_ROWS or bars > MOST_BARS:
        return _lay_out_totals(timeline)
    area = make_area(timeline)
    shapes = (
        *draw_legend(timeline, area),
        *_draw_strips(area),
        *draw_axis(timeline, area),
        *draw_bars(timeline.stints, timeline.servers, area),
        *draw_ties(timeline.stints, area),
        *draw_lines(timeline, area),
        *_draw_labels(timeline, area),
    )
    return sheet(
        timeline,
        headline(timeline),
        shapes,
        head=area.top - 80,
        bottom=area.bottom,
        notes=list(_notes(timeline)),
    )


def _lay_out_totals(timeline: MakespanTimeline) -> Picture:
    """Draw the GPUs in use by size of job, waiting jobs, and a density."""
    end = last_moment(timeline)
    starts = {stint.number: float(stint.start) for stint in timeline.stints}
    releases = [(float(job.release_slot), 1.0) for job in timeline.instance.jobs]
    leaves = (starts.get(number, end) for number in range(len(timeline.instance.jobs)))
    totals = Totals(
        timeline=timeline,
        resource="GPUs",
        word="server",
        machines=[(server.name, float(server.gpus)) for server in timeline.servers],
        groups=[words for _, words in SIZES],
        uses=[use for stint in timeline.stints for use in _uses(stint, end)],
        waiting=[*releases, *((moment, -1.0) for moment in leaves)],
        shown=end,
        unit=timeline.time,
    )
    return lay_out_totals(totals, draw_lines(timeline, totals.area), list(_notes(timeline)))


def _uses(stint: Stint, last: float) -> Iterator[Use]:
    """Yield the GPUs of a job on each server, at each of its slowdowns."""
    group, reached = size_group(stint.gpus), float(stint.start)
    end = last if stint.end is None else float(stint.end)
    for span in stint.spans if stint.is_ring else ():
        since, reached = reached, float(span.end)
        lost = colours.lost_part(float(span.slowdown))
        for server, count in stint.pieces:
            yield Use(server, group, since, reached, count, lost)
    for server, count in stint.pieces if reached < end else ():
        yield Use(server, group, reached, end, count)


def _notes(timeline: MakespanTimeline) -> Iterator[str]:
    """Yield notes on omitted parts of the chart."""
    if timeline.left_out:
        entries = "1 entry" if timeline.left_out == 1 else f"{timeline.left_out:,} entries"
        yield f"Not drawn: {entries} of the schedule (unknown names, repeated jobs)."


def _draw_strips(area: StripArea) -> Iterator[Shape]:
    """Draw the servers' strips and, if there is room, the lanes of their GPUs."""
    width = area.right - area.left
    strips = tuple((area.left, b.top, width, b.height) for b in area.strips.values())
    yield Boxes(at=strips, fill=BAND, role="band")
    for strip in area.strips.values():
        if strip.overfull:
            beyond = strip.top + strip.height - strip.limit
            box = (area.left, strip.limit, width, beyond)
            yield Boxes(at=(box,), fill=WRONG, opacity=0.12, role="beyond")
        if strip.pitch < 6:
            continue
        for lane in range(1, strip.lanes):
            y = strip.top + lane * strip.pitch
            start, end = (area.left, y), (area.right, y)
            yield Line(start=start, end=end, colour=FAINT, width=0.5, role="lane")


def _draw_labels(timeline: MakespanTimeline, area: StripArea) -> Iterator[Shape]:
    at = (area.left - 8, area.top - 8)
    yield TextLine(at=at, text=LABELS, size=LABEL_SIZE, colour=INK, anchor="end")
    servers = timeline.servers
    rows = ((s.top + s.height / 2, label(servers[i])) for i, s in area.strips.items())
    yield from draw_labels(rows, area.left)


def to_page(timeline: MakespanTimeline, picture: Picture) -> str:
    """Return the self-contained HTML page."""
    numbers = {
        "jobs that end": f"{timeline.ended:,} of {len(timeline.instance.jobs):,}",
        "rings over several servers": f"{sum(stint.is_ring for stint in timeline.stints):,}",
        "servers": f"{len(timeline.servers):,}",
        "GPUs": f"{sum(server.gpus for server in timeline.servers):,}",
    }
    heads = ("job", "GPUs", "servers", "start", "end", "mean slowdown")
    rows = [(stint.number, _cells(stint, timeline)) for stint in timeline.stints]
    return write_page(timeline, picture, numbers, heads, rows, "jobs, which start later, are")


def _cells(stint: Stint, timeline: MakespanTimeline) -> Cells:
    places = [
        f"{visible(timeline.servers[server].name)}: {count}" for server, count in stint.pieces
    ]
    start, end = time_cell(stint.start), time_cell(stint.end, "never")
    slowdown = f"{stint.mean_slowdown:.2f}"
    return visible(stint.job.name), str(stint.gpus), some_of(places), start, end, slowdown


CHART = Chart(timeline=MakespanTimeline, lay_out=lay_out, page=to_page)
