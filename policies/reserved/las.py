"""Least attained service: in every slot the rings that have had least take all that they may.

A baseline of GADGET, after Tiresias. Service is what a ring has held of its dominant resource, as a
part of what all machines have, slots added up; among equals the first to arrive goes first.
"""

from ...instances import Outcome, ReservedInstance
from ...simulation.reserved.model import reserved_model
from ..request import NoOptions, Request
from .in_order import dominant_shares, run_slots, serve
from .planning import Placement, RingPlans, SlotCapacity

NAME = "ring-las"


def run(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    shares = dominant_shares(reserved_model(instance))

    def least_first(
        plans: RingPlans, capacity: SlotCapacity, jobs: list[int]
    ) -> dict[int, Placement]:
        return serve(plans, capacity, sorted(jobs, key=lambda i: plans.worker_slots[i] * shares[i]))

    return run_slots(instance, request.limits, NAME, least_first)
