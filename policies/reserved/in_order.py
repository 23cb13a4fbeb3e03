"""Slot by slot, rings in some order take as many workers as they may and as fit."""

from collections.abc import Callable

import numpy as np

from ...instances import Limits, Outcome, ReservedInstance, TerminationReason
from ...simulation.reserved.model import Floats, ReservedModel, reserved_model
from .planning import Placement, RingPlans, SlotCapacity


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
