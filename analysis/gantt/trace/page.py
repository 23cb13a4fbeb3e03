"""The chart in one HTML page, with its numbers and a table of jobs."""

from html import escape

from ....instances.errors import visible
from ..header import fault_line
from ..page import MAX_ROWS, Table, write_page
from ..shapes import Picture
from ..words import fit, number, percent
from .facts import TraceBars, TraceFacts


def to_trace_page(facts: TraceFacts, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "method": fit(facts.method, 14, 600) or "not stated",
        "mean completion time": "none" if facts.mean_jct is None else f"{number(facts.mean_jct)} s",
        "bound": "none" if facts.bound is None else f"{number(facts.bound)} s",
        "gap": "unknown" if facts.gap is None else percent(facts.gap),
        "jobs that end": f"{sum(j.end is not None for j in facts.jobs):,} of {len(facts.jobs):,}",
        "stops": f"{sum(job.stops for job in facts.jobs):,}",
        "servers": f"{len(facts.machines):,}",
        "GPUs": f"{sum(units for _, units in facts.machines) // facts.unit:,}",
    }
    heads = ("job", "GPUs", "servers", "arrival", "first start", "end", "took", "runs")
    rows = [_row(job, facts) for job in facts.jobs[:MAX_ROWS]]
    more = len(facts.jobs) - len(rows)
    rest = f"{more:,} more jobs are not listed." if more else ""
    table = Table(heads=heads, rows=rows, rest=rest)
    return write_page(facts.instance, picture, numbers, fault_line(facts.faults), table)


def _row(job: TraceBars, facts: TraceFacts) -> str:
    names = [visible(facts.machines[i][0]) for i in sorted({stay.machine for stay in job.holds})]
    shown = ", ".join(names[:12]) + (f", {len(names) - 12} more" if len(names) > 12 else "")
    took = None if job.end is None else job.end - job.arrival
    times = (job.arrival, job.runs[0].start if job.runs else None, job.end, took)
    cells = (
        f"<td>{escape(visible(job.name))}</td><td>{job.gpus}</td><td>{escape(shown)}</td>"
        + "".join(_time(ticks, facts) for ticks in times)
        + f"<td>{len(job.runs)}</td>"
    )
    return f'<tr data-job="{job.number}">{cells}</tr>'


def _time(ticks: int | None, facts: TraceFacts) -> str:
    if ticks is None:
        return '<td data-value="Infinity">-</td>'
    seconds = ticks * facts.tick
    return f'<td data-value="{float(seconds):.6f}">{number(seconds)}</td>'
