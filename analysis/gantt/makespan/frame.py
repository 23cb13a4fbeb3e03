"""Where things are: from slots and lanes to pixels."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....instances.cluster import Server
from ...drawing.shapes import Box, text_width
from ...timeline.makespan import MakespanTimeline, Stint
from ..lanes import Block, LaneStay, assign_lanes
from ..sheet import LABEL_SIZE, WIDTH, below_header

LABELS = "server · GPUs"
RIGHT = 120
TOP = 116.0
FULL_LANES = 64
"""Lanes of a server beyond this number make all its lanes thinner."""
MAX_SERVERS = 400
"""Of a larger cluster, so many servers are drawn."""

Moment = Fraction | float
"""A time in slots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A server's strip: its lanes, the excess lanes of an overfull server included."""

    server: Server
    top: float
    height: float
    lanes: int

    @property
    def lane_height(self) -> float:
        """Return the height of one lane."""
        return self.height / self.lanes

    @property
    def bottom_of_gpus(self) -> float:
        """Return where the lanes that exist end."""
        return self.top + self.server.gpus * self.lane_height


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The plot area: bands by the place of their server, and the lanes of each piece."""

    left: float
    right: float
    top: float
    bottom: float
    horizon: float
    bands: dict[int, Band]
    blocks: dict[tuple[int, int], tuple[Block, ...]]

    def x(self, slot: Moment | None) -> float:
        """Return where a moment is; None is the right end."""
        if slot is None:
            return self.right
        return self.left + (self.right - self.left) * float(slot) / self.horizon

    def boxes(self, stint: Stint, server: int, start: Moment, end: Moment | None) -> list[Box]:
        """Return the rectangles of a job's lanes on a server, from one moment to another."""
        band = self.bands[server]
        left, right = self.x(start), self.x(end)
        return [
            (left, band.top + low * band.lane_height, right - left, (high - low) * band.lane_height)
            for low, high in self.blocks[stint.number, server]
        ]


def make_frame(timeline: MakespanTimeline) -> Frame:
    """Choose the servers to draw, assign lanes, and divide the room."""
    drawn = _drawn_servers(timeline)
    stays: dict[int, list[tuple[Stint, LaneStay]]] = {server: [] for server in drawn}
    for stint in timeline.stints:
        for server, gpus in stint.pieces:
            if server in stays:
                stays[server].append((stint, LaneStay(stint.start, stint.end, gpus)))
    blocks: dict[tuple[int, int], tuple[Block, ...]] = {}
    lanes: dict[int, int] = {}
    for server, there in stays.items():
        found = assign_lanes([stay for _, stay in there], timeline.servers[server].gpus)
        blocks |= {(stint.number, server): b for (stint, _), b in zip(there, found, strict=True)}
        used = [high for held in found for _, high in held]
        lanes[server] = max([timeline.servers[server].gpus, *used])
    bands = _bands(timeline.servers, lanes, below_header(timeline, TOP))
    labels = [LABELS, *(label(band.server) for band in bands.values())]
    names = [text_width(text, LABEL_SIZE) for text in labels]
    last = list(bands.values())[-1]
    return Frame(
        left=24 + min(200, max(names)),
        right=WIDTH - RIGHT,
        top=below_header(timeline, TOP),
        bottom=last.top + last.height,
        horizon=_horizon(timeline),
        bands=bands,
        blocks=blocks,
    )


def label(server: Server) -> str:
    """Name a server with its size."""
    return f"{server.name} · {server.gpus:,}"


def _drawn_servers(timeline: MakespanTimeline) -> list[int]:
    """Return all servers or, of very many, those that work longest."""
    last: dict[int, float] = dict.fromkeys(range(len(timeline.servers)), -1.0)
    for stint in timeline.stints:
        for server, _ in stint.pieces:
            end = float("inf") if stint.end is None else float(stint.end)
            last[server] = max(last[server], end)
    return sorted(sorted(last, key=lambda server: -last[server])[:MAX_SERVERS])


def _bands(servers: Sequence[Server], lanes: dict[int, int], top: float) -> dict[int, Band]:
    weights = {server: min(count, FULL_LANES) for server, count in lanes.items()}
    total = sum(weights.values())
    height = min(24.0, max(1100 / total, min(4.0, 2400 / total)))
    space = max(1.0, min(6.0, height))
    bands = {}
    for server, weight in weights.items():
        bands[server] = Band(
            server=servers[server], top=top, height=weight * height, lanes=lanes[server]
        )
        top += weight * height + space
    return bands


def _horizon(timeline: MakespanTimeline) -> float:
    """Return the last moment to draw; jobs without end get a little more room."""
    ends = [stint.end for stint in timeline.stints if stint.end is not None]
    spans = [span.end for stint in timeline.stints for span in stint.spans]
    known = [
        *ends,
        *spans,
        *(stint.start for stint in timeline.stints),
        timeline.bound or Fraction(0),
    ]
    last = float(max(known))
    if any(stint.end is None for stint in timeline.stints):
        last *= 1.1
    return last or 1.0
