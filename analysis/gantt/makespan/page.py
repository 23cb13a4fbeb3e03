"""The numbers and the table of jobs of a `makespan` schedule."""

from ....instances.errors import visible
from ...timeline.makespan import RingTimeline
from ...timeline.stint import Stint
from ..draw import Chart
from ..page import Cells, some_of, time_cell, write_page
from ..shapes import Picture
from .layout import lay_out


def to_page(facts: RingTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "jobs that end": f"{facts.ended:,} of {len(facts.instance.jobs):,}",
        "rings over several servers": f"{sum(stint.is_ring for stint in facts.stints):,}",
        "servers": f"{len(facts.servers):,}",
        "GPUs": f"{sum(server.gpus for server in facts.servers):,}",
    }
    heads = ("job", "GPUs", "servers", "start", "end", "mean slowdown")
    rows = [(stint.number, _cells(stint, facts)) for stint in facts.stints]
    return write_page(facts, picture, numbers, heads, rows, "jobs, which start later, are")


def _cells(stint: Stint, facts: RingTimeline) -> Cells:
    places = [f"{visible(facts.servers[server].name)}: {count}" for server, count in stint.pieces]
    start, end = time_cell(stint.start), time_cell(stint.end, "never")
    slowdown = f"{stint.mean_slowdown:.2f}"
    return visible(stint.job.name), str(stint.gpus), some_of(places), start, end, slowdown


CHART = Chart(timeline=RingTimeline, lay_out=lay_out, page=to_page)
