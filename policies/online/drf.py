"""Dominant resource fairness (Ghodsi et al. 2011), anew in every slot.

The dominant share of a job is the largest part that it holds of all there is of a resource.
Workers are given out one at a time, each with the parameter servers due with it, to the job
with the least dominant share among those that have arrived and are not complete; a job whose
next worker does not fit, or that has as many as its batch or its work asks for, gets no more
in this slot. Then each job that is spread moves into one machine if some machine makes it at
least as fast with at most as many workers. Jobs may hold other machines in every slot; moving
costs nothing.

It does not look at utilities or at the horizon: a job that the horizon cuts off is not in the
schedule, and its machines were held for nothing.
"""

from ...instances import OnlineInstance, Outcome, TerminationReason
from ..request import NoOptions, Request
from .planning import OnlinePlans
from .sharing import WorkerSharing

NAME = "drf"


def run(instance: OnlineInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule of the jobs that complete; nothing in it is random."""
    plans = OnlinePlans(instance, request.limits, NAME)
    sharing = WorkerSharing(instance, plans)
    for slot in plans.slots():
        jobs, free = plans.active(slot), sharing.model.capacity.copy()
        held = sharing.fairly(free, jobs, [sharing.useful(job) for job in jobs])
        for job, placement in held.items():
            plans.add(job, slot, sharing.settle(free, job, placement))
        if request.limits.over():
            return plans.outcome(TerminationReason.TIME_LIMIT)
    return plans.outcome(TerminationReason.DONE)
