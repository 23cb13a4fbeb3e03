"""Dominant resource fairness: the ring with the least dominant share gets the next worker.

A baseline of GADGET. In every slot it begins anew, and each ring that cannot grow any more is left
as it is. To grow, a ring is placed again as a whole.
"""

from heapq import heapify, heappop, heappush

from ...instances import Outcome, ReservedInstance
from ...simulation.reserved.model import reserved_model
from ..request import NoOptions, Request
from .in_order import dominant_shares, run_slots
from .planning import Placement, RingPlans, SlotCapacity

NAME = "ring-drf"


def run(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    shares = dominant_shares(reserved_model(instance))

    def fill(plans: RingPlans, capacity: SlotCapacity, jobs: list[int]) -> dict[int, Placement]:
        held: dict[int, Placement] = {job: {} for job in jobs}
        line = [(shares[job], place, job) for place, job in enumerate(jobs)]
        heapify(line)
        while line:
            _, place, job = heappop(line)
            workers = _grow(capacity, job, held)
            if workers and workers < plans.wish(job):
                heappush(line, ((workers + 1) * shares[job], place, job))
        return held

    return run_slots(instance, request.limits, NAME, fill)


def _grow(capacity: SlotCapacity, job: int, held: dict[int, Placement]) -> int:
    """Give a ring one worker more; return how many it has then, or 0 if it cannot grow."""
    before = held[job]
    size = sum(before.values()) + 1
    if before:
        capacity.give(job, before)
    after = capacity.place(job, size)
    grown = sum(after.values()) == size
    held[job] = after if grown else before
    if held[job]:
        capacity.take(job, held[job])
    return size if grown else 0
