"""The chart in one HTML page, with its numbers and a table of jobs."""

from fractions import Fraction
from html import escape

from ....instances.errors import visible
from ..header import fault_line
from ..page import MAX_ROWS, Table, write_page
from ..shapes import Picture
from ..words import fit, number, percent
from .facts import FleetBars, FleetFacts
from .words import hours, widths


def to_fleet_page(facts: FleetFacts, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "method": fit(facts.method, 14, 600) or "not stated",
        "mean completion time": "none" if facts.mean_jct is None else hours(facts.mean_jct),
        "bound": "none" if facts.bound is None else hours(facts.bound),
        "gap": "unknown" if facts.gap is None else percent(facts.gap),
        "jobs that end": f"{sum(j.end is not None for j in facts.jobs):,} of {len(facts.jobs):,}",
        "budget": f"{number(facts.budget)} GPUs on average",
        "spent of it": percent(facts.spend_part),
        "leases": f"{len(facts.leases):,}",
    }
    heads = ("job", "runs", "type", "GPUs", "arrival, h", "first start, h", "end, h", "took, h")
    rows = [_row(job, facts) for job in facts.jobs[:MAX_ROWS]]
    more = len(facts.jobs) - len(rows)
    rest = f"{more:,} more jobs are not listed." if more else ""
    table = Table(heads=heads, rows=rows, rest=rest)
    return write_page(facts.instance, picture, numbers, fault_line(facts.faults), table)


def _row(job: FleetBars, facts: FleetFacts) -> str:
    took = None if job.end is None else job.end - job.arrival
    times = (job.arrival, job.runs[0].start if job.runs else None, job.end, took)
    most = max((run.gpus for run in job.runs), default=0)
    cells = (
        f"<td>{escape(visible(job.name))}</td><td>{len(job.runs)}</td>"
        f"<td>{escape(visible(facts.types[job.kind]))}</td>"
        f'<td data-value="{most}">{widths(job)}</td>'
        + "".join(_time(None if ticks is None else facts.hours(ticks)) for ticks in times)
    )
    return f'<tr data-job="{job.number}">{cells}</tr>'


def _time(value: Fraction | None) -> str:
    if value is None:
        return '<td data-value="Infinity">-</td>'
    return f'<td data-value="{float(value):.6f}">{number(value)}</td>'
