"""The numbers and the table of jobs of a `fleet` log."""

from ....instances.errors import visible
from ...drawing.shapes import Picture
from ...drawing.words import number, percent
from ...timeline.fleet import FleetBars, FleetTimeline
from ..draw import Chart
from ..page import Cells, time_cell, write_page
from .layout import lay_out_fleet
from .rows import widths


def to_fleet_page(timeline: FleetTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "jobs that end": f"{timeline.ended:,} of {len(timeline.jobs):,}",
        "budget": f"{number(timeline.budget)} GPUs on average",
        "spent of it": percent(timeline.spend_part),
        "leases": f"{len(timeline.leases):,}",
    }
    heads = ("job", "runs", "type", "GPUs", "arrival, h", "first start, h", "end, h", "took, h")
    rows = [(job.number, _cells(job, timeline)) for job in timeline.jobs]
    return write_page(timeline, picture, numbers, heads, rows)


def _cells(job: FleetBars, timeline: FleetTimeline) -> Cells:
    took = None if job.end is None else job.end - job.arrival
    ticks = (job.arrival, job.runs[0].start if job.runs else None, job.end, took)
    times = (time_cell(None if one is None else timeline.hours(one)) for one in ticks)
    most = str(max((run.gpus for run in job.runs), default=0))
    kind = visible(timeline.types[job.kind])
    return visible(job.name), str(len(job.runs)), kind, (widths(job), most), *times


CHART = Chart(timeline=FleetTimeline, lay_out=lay_out_fleet, page=to_fleet_page)
