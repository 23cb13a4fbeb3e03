"""The numbers and the table of jobs of a schedule in slots."""

from ....instances.errors import visible
from ...timeline.online import OnlineTimeline
from ...timeline.reserved import ReservedTimeline
from ...timeline.slots import SlotJob, SlotTimeline
from ..draw import Chart
from ..page import Cells, some_of, write_page
from ..shapes import Picture
from ..words import number
from .layout import lay_out_slots


def to_slots_page(facts: SlotTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        facts.with_plan: f"{facts.admitted:,} of {len(facts.jobs):,}",
        "machines": f"{len(facts.machines):,}",
        "slots": f"{facts.horizon:,}",
    }
    heads = ("job", "worker-slots", "machines", "arrival", "last slot", facts.objective)
    rows = [(job.number, _cells(job, facts)) for job in facts.jobs]
    return write_page(facts, picture, numbers, heads, rows)


def _cells(job: SlotJob, facts: SlotTimeline) -> Cells:
    names = [visible(facts.machines[i][0]) for i in sorted({h.machine for h in job.holds})]
    last = (f"{max(job.held):,}", str(max(job.held))) if job.held else ("-", "Infinity")
    found = facts.worth.get(job.name)
    worth = ("-", "-1") if found is None else (number(found), f"{float(found):.6f}")
    slots, arrival = str(job.worker_slots), str(job.arrival)
    return visible(job.name), slots, some_of(names), arrival, last, worth


ONLINE, RESERVED = (
    Chart(timeline=timeline, lay_out=lay_out_slots, page=to_slots_page)
    for timeline in (OnlineTimeline, ReservedTimeline)
)
