"""The chart of a `transfers` plan: a row for each update, and its numbers and table of sends."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...instances.errors import plural, visible
from ..drawing import colours
from ..drawing.shapes import Box, Boxes, Group, Line, Picture, Shape, text_width
from ..timeline.transfers import Flowing, SendBars, TransferTimeline
from . import Chart
from .page import (
    LABEL_SIZE,
    Cells,
    below_header,
    draw_keys,
    draw_label,
    draw_words,
    headline,
    sheet,
    time_cell,
    write_page,
)
from .time import RIGHT, Area, draw_time

TOP, PITCH, ALL, LEAST = 98.0, 26.0, 1400.0, 5.0
MOST_ROWS = 200
"""Maximum number of updates drawn."""

LOOKS = {
    "member": (colours.HUES[5], "to an aggregator"),
    "server": (colours.HUES[0], "to the server"),
    "replica": (colours.HUES[1], "copy to the replica"),
}
WAITING = (colours.FAINT, "waits to be applied")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRows(Area):
    """Positions of rows. A bar of the highest rate fills the height of a row."""

    pitch: float
    most: float


def lay_out_transfers(timeline: TransferTimeline) -> Picture:
    """Lay out the whole chart."""
    rows, drawn = _make_rows(timeline)
    band = (rows.left, rows.top, RIGHT - rows.left, rows.bottom - rows.top)
    shapes = (
        *_legend(timeline, rows.top - 20),
        Boxes(at=(band,), fill=colours.BAND, role="band"),
        *_bars(drawn, rows, timeline),
        *draw_time(rows.left, rows.top, rows.bottom, rows.horizon, "s"),
    )
    dropped = len(timeline.verdict.dropped)
    return sheet(
        timeline,
        headline(timeline, f"{dropped:,} dropped" if dropped else "", rooms=(480, 200)),
        shapes,
        head=rows.top - 66,
        bottom=rows.bottom,
        notes=list(_notes(timeline, drawn)),
        notes_below=50,
    )


def _make_rows(timeline: TransferTimeline) -> tuple[NodeRows, list[SendBars]]:
    """Divide the room, and choose the sends to draw in it."""
    drawn: list[SendBars] = []
    count = 0
    for send in timeline.sends:
        if drawn and count + len(send.updates) > MOST_ROWS:
            break
        drawn.append(send)
        count += len(send.updates)
    names = [text_width(visible(name), LABEL_SIZE) for s in drawn for name, _ in s.updates]
    rates = [p.rate for s in timeline.sends for flow in s.flows for p in flow.pieces]
    count, top = max(1, count), below_header(timeline, TOP)
    pitch = max(LEAST, min(PITCH, ALL / count))
    rows = NodeRows(
        left=24 + max(52.0, min(200.0, max(names, default=0.0))),
        top=top,
        bottom=top + count * pitch,
        pitch=pitch,
        horizon=float(timeline.horizon),
        most=float(max(rates, default=1)),
    )
    return rows, drawn


def _bars(
    drawn: list[SendBars], rows: NodeRows, timeline: TransferTimeline
) -> Iterator[Shape | Group]:
    row = 0
    for send in drawn:
        shapes = tuple(_send(send, row, rows))
        yield Group(role="job", job=send.number, tooltip=tooltip(send, timeline), shapes=shapes)
        if rows.pitch >= LABEL_SIZE:
            for i, (name, _) in enumerate(send.updates):
                middle = rows.top + (row + i + 0.5) * rows.pitch
                yield draw_label(name, middle, rows.left, "name")
        row += len(send.updates)


def _send(send: SendBars, row: int, rows: NodeRows) -> Iterator[Shape]:
    """Draw a send: flows of one update in its row, flows of all across, and when it is applied."""
    places = {name: row + i for i, (name, _) in enumerate(send.updates)}
    top, height = rows.top + row * rows.pitch, len(send.updates) * rows.pitch
    for name, ready in send.updates:
        y = rows.top + (places[name] + 0.93) * rows.pitch
        ends = ((rows.x(ready), y), (rows.x(send.applied or send.arrives), y))
        yield Line(start=ends[0], end=ends[1], colour=colours.FAINT, width=0.8, role="life")
    if send.applied is not None and send.applied > send.arrives:
        left, edge = rows.x(send.arrives), 0.1 * rows.pitch
        waits = (left, top + edge, rows.x(send.applied) - left, height - 2 * edge)
        yield Boxes(at=(waits,), fill=WAITING[0], role="waiting")
    for flow in send.flows:
        first, many = (row, len(send.updates)) if flow.update is None else (places[flow.update], 1)
        at = tuple(_boxes(flow, first, many, rows))
        if at:
            yield Boxes(at=at, fill=LOOKS[flow.role][0], role="piece")
    if send.applied is not None:
        x = rows.x(send.applied)
        start, end = (x, top + 0.04 * rows.pitch), (x, top + height - 0.04 * rows.pitch)
        yield Line(start=start, end=end, colour=colours.INK, width=2, role="applied")


def _boxes(flow: Flowing, row: int, many: int, rows: NodeRows) -> Iterator[Box]:
    """Yield bars with the rate as their height. Copies are low, at the foot of the row."""
    room = many * rows.pitch * (0.28 if flow.role == "replica" else 0.86)
    bottom = rows.top + (row + many - 0.07) * rows.pitch
    for piece in flow.pieces:
        height = max(1.0, room * float(piece.rate) / rows.most)
        left = rows.x(piece.start)
        yield left, bottom - height, max(0.75, rows.x(piece.stop) - left), height


def _legend(timeline: TransferTimeline, y: float) -> Iterator[Shape]:
    """Yield the meanings of the colours that occur."""
    roles = {flow.role for send in timeline.sends for flow in send.flows}
    keys = [look for role, look in LOOKS.items() if role in roles]
    if any(send.applied is not None and send.applied > send.arrives for send in timeline.sends):
        keys.append(WAITING)
    x = yield from draw_keys(((fill, None, words) for fill, words in keys), y, 18)
    yield Line(start=(x + 9, y - 10), end=(x + 9, y + 2), colour=colours.INK, width=2)
    yield from draw_words(x + 18, y, f"applied (height: rate, {timeline.schedule.sharing} sharing)")


def _notes(timeline: TransferTimeline, drawn: list[SendBars]) -> Iterator[str]:
    """Yield notes on omitted parts."""
    dropped = timeline.verdict.dropped
    if dropped:
        yield f"dropped ({len(dropped):,}): {', '.join(map(visible, dropped))}"
    if len(drawn) < len(timeline.sends):
        yield f"Not drawn: the last {len(timeline.sends) - len(drawn):,} sends."


def tooltip(send: SendBars, timeline: TransferTimeline) -> str:
    """Return a short description of a send."""
    route = "directly" if send.via is None else f"added up by {visible(send.via)}"
    lines = [f"{plural(len(send.updates), 'update')}, {route}: {send.names}"]
    lines.append(f"arrives at {timeline.value_text(send.arrives)}")
    if send.copied is not None:
        lines.append(f"its copy at {timeline.value_text(send.copied)}")
    applied = send.applied
    lines.append(
        "never applied" if applied is None else f"applied at {timeline.value_text(applied)}"
    )
    return "\n".join(lines)


def to_transfers_page(timeline: TransferTimeline, picture: Picture) -> str:
    """Return the self-contained HTML page."""
    numbers = {
        "sharing": timeline.schedule.sharing,
        "updates dropped": f"{len(timeline.verdict.dropped):,}",
    }
    heads = ("updates", "number", "by", "arrives, s", "copy arrives, s", "applied, s")
    rows = [(send.number, _cells(send)) for send in timeline.sends]
    return write_page(timeline, picture, numbers, heads, rows, "sends are")


def _cells(send: SendBars) -> Cells:
    times = map(time_cell, (send.arrives, send.copied, send.applied))
    return send.names, str(len(send.updates)), visible(send.via or "directly"), *times


CHART = Chart(timeline=TransferTimeline, lay_out=lay_out_transfers, page=to_transfers_page)
