"""Dorm: high utilisation within limits on unfairness and on adjustments (Sun et al. 2017).

After "Towards distributed machine learning in shared clusters: a dynamically-partitioned
approach". Whenever a job arrives or completes, Dorm solves a mixed-integer program for how
many containers every job gets and where: as much utilisation as possible, added up over the
resources, where

- the distances of the dominant shares from those of dominant resource fairness add up to at
  most ``theta1 * 2 * resources`` (fairness loss), and
- at most ``theta2`` of the jobs that run already, rounded up, are adjusted.

Here greedy steps take the place of the program. The jobs that run and are furthest from their
fair shares, as many as may be adjusted, give everything back. They and the jobs that hold
nothing then get workers by dominant share up to their fair numbers; after that, workers go to
the job whose worker takes the most, added up over the resources as parts of all there is, as
long as the fairness loss allows. All others keep what they hold. Where too many jobs would
have to be adjusted, the fairness loss stays above its limit, and no worker is given out that
would raise it. The limits and their defaults are as far as they are known.

It does not look at utilities or at the horizon: a job that the horizon cuts off is not in the
schedule, and its machines were held for nothing.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated

import numpy as np

from ...instances import OnlineInstance, Outcome, TerminationReason
from ...instances.reading.vocabulary import Range
from ..request import Request
from .growth import FairAim
from .planning import OnlinePlans, SlotPlacement, take
from .sharing import WorkerSharing

NAME = "dorm"

Held = dict[int, SlotPlacement]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The two limits."""

    theta1: Annotated[Decimal, Range(0, 1), "fairness loss over twice the resources"] = Decimal(
        "0.1"
    )
    theta2: Annotated[Decimal, Range(0, 1), "part of the running jobs that may be adjusted"] = (
        Decimal("0.1")
    )


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Return the schedule of the jobs that complete; nothing in it is random."""
    plans = OnlinePlans(instance, request.limits, NAME)
    sharing = WorkerSharing(instance, plans)
    held, before = Held(), list[int]()
    for slot in plans.slots():
        jobs = plans.active(slot)
        if jobs != before:
            held, before = divide(sharing, jobs, held, request.options), jobs
        for job, placement in held.items():
            plans.add(job, slot, placement)
        if request.limits.over():
            return plans.outcome(TerminationReason.TIME_LIMIT)
    return plans.outcome(TerminationReason.DONE)


def divide(sharing: WorkerSharing, jobs: list[int], held: Held, options: Options) -> Held:
    """Return what jobs hold from now on, given what they held until now."""
    most = {job: sharing.useful(job) for job in jobs}
    capacity = sharing.model.capacity
    fair = sharing.fairly(capacity.copy(), jobs, [most[job] for job in jobs])
    goal = dict.fromkeys(jobs, 0.0) | sharing.shares(fair)
    kept = _unadjusted(sharing, {job: held[job] for job in jobs if job in held}, goal, options)
    free = capacity.copy()
    for job, placement in kept.items():
        take(sharing.model, free, job, placement)
    movable = [job for job in jobs if job not in kept]
    begun = sharing.fairly(free, movable, [fair[job].size if job in fair else 0 for job in movable])
    now = dict.fromkeys(jobs, 0.0) | sharing.shares(kept | begun)
    aim = FairAim(
        by_share=False,
        rank=-sharing.utilisation(movable),
        fair=np.array([goal[job] for job in movable]),
        loss=sum(abs(goal[job] - now[job]) for job in jobs),
        most_loss=float(options.theta1) * 2 * capacity.shape[1],
    )
    given = sharing.hand_out(free, movable, [most[job] for job in movable], aim, begun)
    return kept | {job: sharing.settle(free, job, placement) for job, placement in given.items()}


def _unadjusted(
    sharing: WorkerSharing, held: Held, goal: dict[int, float], options: Options
) -> Held:
    """Leave out the jobs that are furthest from their fair shares, as many as may be adjusted."""
    away = {job: abs(share - goal[job]) for job, share in sharing.shares(held).items()}
    unfair = sorted((job for job in held if away[job] > 0), key=lambda job: -away[job])
    adjusted = set(unfair[: ceil(options.theta2 * len(held))])
    return {job: placement for job, placement in held.items() if job not in adjusted}
