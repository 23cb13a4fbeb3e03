"""The numbers and the table of jobs of a `trace` schedule."""

from ....instances.errors import visible
from ...timeline.trace import TraceBars, TraceTimeline
from ..draw import Chart
from ..page import Cells, some_of, time_cell, write_page
from ..shapes import Picture
from .layout import lay_out_trace


def to_trace_page(facts: TraceTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "jobs that end": f"{facts.ended:,} of {len(facts.jobs):,}",
        "stops": f"{sum(job.stops for job in facts.jobs):,}",
        "servers": f"{len(facts.machines):,}",
        "GPUs": f"{sum(units for _, units in facts.machines) // facts.unit:,}",
    }
    heads = ("job", "GPUs", "servers", "arrival", "first start", "end", "took", "runs")
    rows = [(job.number, _cells(job, facts)) for job in facts.jobs]
    return write_page(facts, picture, numbers, heads, rows)


def _cells(job: TraceBars, facts: TraceTimeline) -> Cells:
    names = [visible(facts.machines[i][0]) for i in sorted({stay.machine for stay in job.holds})]
    took = None if job.end is None else job.end - job.arrival
    ticks = (job.arrival, job.runs[0].start if job.runs else None, job.end, took)
    times = (time_cell(None if one is None else one * facts.tick) for one in ticks)
    gpus, runs = str(job.job.gpus), str(len(job.runs))
    return visible(job.name), gpus, some_of(names), *times, runs


CHART = Chart(timeline=TraceTimeline, lay_out=lay_out_trace, page=to_trace_page)
