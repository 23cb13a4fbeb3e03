"""The numbers and the table of sends of a `transfers` plan."""

from ....instances.errors import visible
from ...drawing.shapes import Picture
from ...timeline.transfers import SendBars, TransferTimeline
from ..draw import Chart
from ..page import Cells, time_cell, write_page
from .layout import lay_out_transfers


def to_transfers_page(timeline: TransferTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
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
