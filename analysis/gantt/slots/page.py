"""The chart in one HTML page, with its numbers and a table of jobs."""

from html import escape

from ....instances.errors import visible
from ..header import fault_line
from ..page import MAX_ROWS, Table, write_page
from ..shapes import Picture
from ..words import fit, number, percent
from .facts import SlotFacts, SlotJob
from .yard import row_names


def to_slots_page(facts: SlotFacts, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        "method": fit(facts.method, 14, 600) or "not stated",
        facts.ways.objective: number(facts.objective),
        "bound": "none" if facts.bound is None else number(facts.bound),
        "gap": "unknown" if facts.gap is None else percent(facts.gap),
        row_names(facts)[0].partition(" ·")[0]: f"{facts.admitted:,} of {len(facts.jobs):,}",
        "machines": f"{len(facts.machines):,}",
        "slots": f"{facts.horizon:,}",
    }
    heads = ("job", "worker-slots", "machines", "arrival", "last slot", facts.ways.objective)
    rows = [_row(job, facts) for job in facts.jobs[:MAX_ROWS]]
    more = len(facts.jobs) - len(rows)
    rest = f"{more:,} more jobs are not listed." if more else ""
    table = Table(heads=heads, rows=rows, rest=rest)
    return write_page(facts.instance, picture, numbers, fault_line(facts.faults), table)


def _row(job: SlotJob, facts: SlotFacts) -> str:
    names = [visible(facts.machines[i][0]) for i in sorted({h.machine for h in job.holds})]
    shown = ", ".join(names[:12]) + (f", {len(names) - 12} more" if len(names) > 12 else "")
    last = ("-", "Infinity") if not job.held else (f"{max(job.held):,}", str(max(job.held)))
    worth = ("-", "-1") if job.worth is None else (number(job.worth), f"{float(job.worth):.6f}")
    cells = (
        f"<td>{escape(visible(job.name))}</td><td>{job.worker_slots}</td><td>{escape(shown)}</td>"
        f"<td>{job.arrival}</td>"
        + "".join(f'<td data-value="{value}">{text}</td>' for text, value in (last, worth))
    )
    return f'<tr data-job="{job.number}">{cells}</tr>'
