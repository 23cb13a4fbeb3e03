"""Bars in pixels from slots and lanes, one per server of a job, shaded by slowdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ....instances.cluster import Server
from ....instances.errors import plural, visible
from ...drawing import colours
from ...drawing.shapes import Box, Boxes, Group, TextLine, fit, number, text_width
from ...timeline.makespan import MakespanTimeline, Stint
from ..lanes import Block, LaneStay, Strip, StripArea, assign_lanes
from ..page import LABEL_SIZE, PLANNED, WIDTH, below_header, marks_of

LABELS = "server · GPUs"
RIGHT = 120
TOP = 116.0
FULL_LANES = 64
"""Lanes of a server beyond this number make all its lanes thinner."""


def make_area(timeline: MakespanTimeline) -> StripArea:
    """Assign lanes, and divide the room."""
    stays: dict[int, list[tuple[Stint, LaneStay]]] = {i: [] for i in range(len(timeline.servers))}
    for stint in timeline.stints:
        for server, gpus in stint.pieces:
            stays[server].append((stint, LaneStay(stint.start, stint.end, gpus)))
    blocks: dict[tuple[int, int], tuple[Block, ...]] = {}
    lanes: dict[int, int] = {}
    for server, there in stays.items():
        found = assign_lanes([stay for _, stay in there], timeline.servers[server].gpus)
        blocks |= {(stint.number, server): b for (stint, _), b in zip(there, found, strict=True)}
        used = [high for held in found for _, high in held]
        lanes[server] = max([timeline.servers[server].gpus, *used])
    strips = _strips(timeline.servers, lanes, below_header(timeline, TOP))
    labels = [LABELS, *(label(timeline.servers[server]) for server in strips)]
    names = [text_width(text, LABEL_SIZE) for text in labels]
    last = list(strips.values())[-1]
    area = StripArea(
        left=24 + min(200, max(names)),
        right=WIDTH - RIGHT,
        top=below_header(timeline, TOP),
        bottom=last.top + last.height,
        horizon=last_moment(timeline),
        strips=strips,
        lanes=blocks,
    )
    if timeline.marks:
        marks = marks_of(timeline)
        hues = {s.number: marks[timeline.marks.get(s.job.name, PLANNED)] for s in timeline.stints}
        return replace(area, hues=hues)
    bars = [(s, server) for s in timeline.stints for server, _ in s.pieces]
    return area.coloured([(s.number, server, server, s.start, s.end) for s, server in bars])


def label(server: Server) -> str:
    """Return a server's name with its size and its kind of GPUs."""
    return f"{server.name} · {server.gpus:,}" + (f" {server.gpu}" if server.gpu else "")


def _strips(servers: Sequence[Server], lanes: dict[int, int], top: float) -> dict[int, Strip]:
    weights = {server: min(count, FULL_LANES) for server, count in lanes.items()}
    total = sum(weights.values())
    height = min(24.0, max(1100 / total, min(4.0, 1300 / total)))
    space = max(1.0, min(6.0, height))
    strips = {}
    for server, weight in weights.items():
        units, high = servers[server].gpus, weight * height
        strips[server] = Strip(top=top, height=high, units=units, lanes=lanes[server])
        top += weight * height + space
    return strips


def last_moment(timeline: MakespanTimeline) -> float:
    """Return the last moment to draw, with some extra room for jobs without an end."""
    ends = [stint.end for stint in timeline.stints if stint.end is not None]
    spans = [span.end for stint in timeline.stints for span in stint.spans]
    known = [
        *ends,
        *spans,
        *(stint.start for stint in timeline.stints),
        timeline.bound or Fraction(0),
        timeline.until,
    ]
    last = float(max(known))
    if any(stint.end is None for stint in timeline.stints):
        last *= 1.1
    return last or 1.0


MAX_SHADES = 30_000
"""Maximum number of shaded rectangles. With more, shades are averaged over time."""
SERVERS_NAMED = 6


@dataclass(frozen=True, slots=True)
class Shade:
    """A stretch of time drawn in one darkness."""

    start: float
    end: float
    step: int


def draw_bars(
    stints: tuple[Stint, ...], servers: tuple[Server, ...], area: StripArea
) -> list[Group]:
    """Draw every job."""
    shades = _all_shades(stints, area)
    return [_draw(stint, servers, area, shades[stint.number]) for stint in stints]


def tooltip(stint: Stint, servers: tuple[Server, ...]) -> str:
    """Return a short description of a job's run."""
    places = [f"{visible(servers[s].name)}: {plural(count, 'GPU')}" for s, count in stint.pieces]
    if len(places) > SERVERS_NAMED:
        places[SERVERS_NAMED - 1 :] = [f"{len(places) - SERVERS_NAMED + 1} more servers"]
    end = "never ends" if stint.end is None else f"end {number(stint.end)}"
    lines = [
        f"{visible(stint.job.name)}: {plural(stint.gpus, 'GPU')}",
        ", ".join(places),
        f"start {number(stint.start)}, {end}",
    ]
    if stint.job.release_slot:
        lines.append(f"released at {number(stint.job.release_slot)}")
    if stint.gpus != stint.job.gpus:
        lines.append(f"it asks for {plural(stint.job.gpus, 'GPU')}")
    mean, worst = number(round(stint.mean_slowdown, 2)), number(round(stint.worst_slowdown, 2))
    lines.append(f"slowdown {mean} on average, at most {worst}" if worst != "1" else "slowdown 1")
    return "\n".join(lines)


def _draw(stint: Stint, servers: tuple[Server, ...], area: StripArea, shades: list[Shade]) -> Group:
    shapes: list[Boxes | TextLine] = []
    for server, _ in stint.pieces:
        shapes.extend(_piece(stint, server, area, shades))
    role = "job ring" if stint.is_ring else "job"
    return Group(role=role, job=stint.number, tooltip=tooltip(stint, servers), shapes=tuple(shapes))


def _piece(
    stint: Stint, server: int, area: StripArea, shades: list[Shade]
) -> Iterator[Boxes | TextLine]:
    strip, key = area.strips[server], (stint.number, server)
    whole = area.boxes(server, key, stint.start, stint.end)
    boxes = [_inset(box, strip.pitch) for box in whole]
    ring, hue = stint.is_ring, area.hue(stint.number)
    colour = colours.ring_colour if ring else colours.quiet_colour
    yield Boxes(at=tuple(boxes), fill=colour(hue), role="piece")
    steps = sorted({shade.step for shade in shades})
    for step in steps:
        dark = [
            _within(bar, box)
            for shade in shades
            if shade.step == step
            for bar, box in zip(boxes, area.boxes(server, key, shade.start, shade.end), strict=True)
        ]
        opacity = colours.shade_opacity(step)
        yield Boxes(at=tuple(dark), fill=colours.SHADE, opacity=opacity, role="shade")
    if ring and max(box[3] for box in boxes) >= 3:
        edge = colours.edge_colour(hue)
        width = 0.8 if strip.pitch >= 3 else 0.4
        yield Boxes(at=tuple(boxes), fill="none", edge=edge, edge_width=width, role="outline")
    excess = tuple(box for box in boxes if box[1] + box[3] / 2 > strip.limit)
    if excess:
        yield Boxes(at=excess, fill=colours.WRONG, opacity=0.75, role="excess")
    if stint.end is None:
        ends = tuple((left + width - 4, top, 4, height) for left, top, width, height in boxes)
        yield Boxes(at=ends, fill=colours.WRONG, role="endless")
    yield from _label(stint, server, max(boxes, key=lambda box: box[3]), area, shades)


def _inset(box: Box, lane: float) -> Box:
    """Return the inset that separates bars and keeps short ones visible."""
    left, top, width, height = box
    gap = 0.5 if lane >= 4 else 0.0
    gap = gap if width > 3 else 0.0
    return left, top + gap, max(width - gap, 0.75), max(height - 2 * gap, 0.1)


def _within(bar: Box, box: Box) -> Box:
    """Cut a stretch of a bar's time to the bar as it is drawn."""
    left, right = max(box[0], bar[0]), min(box[0] + box[2], bar[0] + bar[2])
    return left, bar[1], max(right - left, 0.0), bar[3]


def _label(
    stint: Stint, server: int, box: Box, area: StripArea, shades: list[Shade]
) -> Iterator[TextLine]:
    left, top, width, height = box
    size = min(11.0, 0.75 * height)
    if size < 7:
        return
    count = dict(stint.pieces)[server]
    texts = [stint.job.name]
    if stint.is_ring:
        texts.insert(0, f"{stint.job.name} {count}/{stint.gpus}")
    room = width - (16 if stint.is_ring else 7)
    text = next((text for text in texts if text_width(text, size) <= room), None)
    if text is None:
        return
    end = left + 4 + text_width(text, size)
    under = [s.step for s in shades if area.x(s.start) < end and area.x(s.end) > left + 4]
    ground = colours.ring_colour if stint.is_ring else colours.quiet_colour
    colour = colours.ink_on(ground(area.hue(stint.number)), max(under, default=0))
    if top + height / 2 > area.strips[server].limit:
        colour = colours.PAPER
    middle = top + height / 2 + 0.36 * size
    yield TextLine(at=(left + 4, middle), text=fit(text, size, room), size=size, colour=colour)


def _all_shades(stints: Sequence[Stint], area: StripArea) -> dict[int, list[Shade]]:
    """Return the shades of every job, over longer stretches if there are too many."""
    width = 0.75
    while True:
        least = width * area.horizon / (area.right - area.left)
        shades = {stint.number: _shades(stint, least) for stint in stints}
        total = sum(len(shades[stint.number]) * len(stint.pieces) for stint in stints)
        if total <= MAX_SHADES or width > area.right:
            return shades
        width *= 2


def _shades(stint: Stint, least: float) -> list[Shade]:
    """Join spans that look alike, and average over invisibly short spans."""
    found: list[Shade] = []
    since, lost = float(stint.start), 0.0
    for i, span in enumerate(stint.spans):
        end = float(span.end)
        lost += float(span.end - span.start) * colours.lost_part(float(span.slowdown))
        if end - since < least and i + 1 < len(stint.spans):
            continue
        step = colours.shade_step(lost / (end - since))
        if found and found[-1].step == step:
            since = found.pop().start
        found.append(Shade(since, end, step))
        since, lost = end, 0.0
    return [shade for shade in found if shade.step]
