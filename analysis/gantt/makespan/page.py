"""The numbers and the table of jobs of a `makespan` schedule."""

from ....instances.errors import visible
from ...drawing.shapes import Picture
from ...timeline.makespan import MakespanTimeline
from ...timeline.stint import Stint
from ..draw import Chart
from ..page import Cells, some_of, time_cell, write_page
from .layout import lay_out


def to_page(timeline: MakespanTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
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
