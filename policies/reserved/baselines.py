"""The baselines of GADGET: FIFO, LAS and DRF, slot by slot.

First in, first out: in every slot the rings that arrived first take all that they may.
A baseline of GADGET. A ring behind one that takes all is only served once that one has spent its
budget; one without a budget never has.

Least attained service: in every slot the rings that have had least take all that they may.
A baseline of GADGET, after Tiresias. Service is what a ring has held of its dominant resource, as a
part of what all machines have, slots added up; among equals the first to arrive goes first.

Dominant resource fairness: the ring with the least dominant share gets the next worker.
A baseline of GADGET. In every slot it begins anew, and each ring that cannot grow any more is left
as it is. To grow, a ring is placed again as a whole.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np

from ...instances import Limits, Outcome, ReservedInstance, TerminationReason
from ...simulation.reserved import Floats, ReservedModel, reserved_model
from ..request import NoOptions, Request, Scheduler
from .planning import Placement, RingPlans, SlotCapacity


def run_fifo(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return run_slots(instance, request.limits, "ring-fifo", serve)


FIFO = Scheduler(run=run_fifo)


def run_las(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    shares = dominant_shares(reserved_model(instance))

    def least_first(
        plans: RingPlans, capacity: SlotCapacity, jobs: list[int]
    ) -> dict[int, Placement]:
        return serve(plans, capacity, sorted(jobs, key=lambda i: plans.worker_slots[i] * shares[i]))

    return run_slots(instance, request.limits, "ring-las", least_first)


LAS = Scheduler(run=run_las)


def run_drf(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
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

    return run_slots(instance, request.limits, "ring-drf", fill)


DRF = Scheduler(run=run_drf)


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


def dominant_shares(model: ReservedModel) -> Floats:
    """Return for each ring the largest part of a resource that a worker takes of all there is."""
    total = model.capacity.sum(axis=0)
    held: Floats = (model.worker[:, total > 0] / total[total > 0]).max(axis=1)
    return np.asarray(held)


Share = Callable[[RingPlans, SlotCapacity, list[int]], dict[int, Placement]]
"""Shares one slot among the rings that may work in it, in order of arrival."""


def run_slots(instance: ReservedInstance, limits: Limits, name: str, share: Share) -> Outcome:
    """Return the schedule of a policy that looks at one slot at a time."""
    plans, model = RingPlans(instance, limits, name), reserved_model(instance)
    for slot in plans.slots():
        plans.add(slot, share(plans, SlotCapacity(model), plans.active(slot)))
        if limits.over():
            return plans.outcome(TerminationReason.TIME_LIMIT)
    return plans.outcome(TerminationReason.DONE)


def serve(plans: RingPlans, capacity: SlotCapacity, jobs: list[int]) -> dict[int, Placement]:
    """Give each ring in turn as many workers as it may use and as fit."""
    held: dict[int, Placement] = {}
    for job in jobs:
        held[job] = capacity.place(job, plans.wish(job))
        if held[job]:
            capacity.take(job, held[job])
    return held
