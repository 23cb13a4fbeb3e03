"""The numbers and the table of jobs of a schedule in slots."""

from ....instances.errors import visible
from ...drawing.shapes import Picture, number
from ...timeline.slots import SlotJob, SlotTimeline
from ..page import Cells, some_of, write_page


def to_slots_page(timeline: SlotTimeline, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    numbers = {
        timeline.with_plan: f"{timeline.admitted:,} of {len(timeline.jobs):,}",
        "machines": f"{len(timeline.machines):,}",
        "slots": f"{timeline.horizon:,}",
    }
    heads = ("job", "worker-slots", "machines", "arrival", "last slot", timeline.objective)
    rows = [(job.number, _cells(job, timeline)) for job in timeline.jobs]
    return write_page(timeline, picture, numbers, heads, rows)


def _cells(job: SlotJob, timeline: SlotTimeline) -> Cells:
    names = [visible(timeline.machines[i][0]) for i in sorted({h.machine for h in job.holds})]
    last = (f"{max(job.held):,}", str(max(job.held))) if job.held else ("-", "Infinity")
    found = timeline.worth.get(job.name)
    worth = ("-", "-1") if found is None else (number(found), f"{float(found):.6f}")
    slots, arrival = str(job.worker_slots), str(job.arrival)
    return visible(job.name), slots, some_of(names), arrival, last, worth
