"""The numbers and the table of jobs of a `trace` schedule."""

from ....instances.errors import visible
from ...drawing.shapes import Picture
from ...timeline.trace import TraceBars, TraceTimeline
from ..draw import Chart
from ..page import Cells, some_of, time_cell, write_page
from .layout import lay_out_trace


def to_trace_page(timeline: TraceTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
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
    took = None if job.end is None else job.end - job.arrival
    ticks = (job.arrival, job.runs[0].start if job.runs else None, job.end, took)
    times = (time_cell(None if one is None else one * timeline.tick) for one in ticks)
    gpus, runs = str(job.job.gpus), str(len(job.runs))
    return visible(job.name), gpus, some_of(names), *times, runs


CHART = Chart(timeline=TraceTimeline, lay_out=lay_out_trace, page=to_trace_page)
