"""Schedulers that PD-ORS is compared with: FIFO, dominant resource fairness, and Dorm.

They ignore utilities and the horizon. A job that the horizon cuts off is not in the schedule, and
its machines were held in vain.

First in, first out: a job waits for its number of workers, then keeps them to its end. Every job
requires a fixed number of workers, drawn when it arrives, with the parameter servers due to them.
Jobs start in order of arrival as soon as all of it fits, inside one machine if possible, else on
the first machines with room. They hold it in every slot until they are complete.

Dominant resource fairness (Ghodsi et al. 2011), recomputed in every slot. The dominant share of a
job is its largest fraction of the total of a resource. Workers are allocated one at a time, with
their parameter servers, to the incomplete job with the least dominant share. A job gets no more in
this slot if its next worker does not fit, or if it has all workers that its batch or work requires.
Then each spread job moves into one machine if that is at least as fast with at most as many
workers. Jobs may hold other machines in every slot. Moving costs nothing.

Dorm: high utilisation within limits on unfairness and on adjustments (Sun et al. 2017). After
"Towards distributed machine learning in shared clusters: a dynamically-partitioned approach".
Whenever a job arrives or completes, Dorm solves a mixed-integer program for the containers of every
job. It maximises utilisation, added up over the resources, subject to:

- the distances of the dominant shares from those of dominant resource fairness add up to at most
  ``theta1 * 2 * resources`` (fairness loss), and
- at most ``theta2`` of the running jobs, rounded up, are adjusted.

Here greedy steps replace the program. The adjustable jobs furthest from their fair shares give
everything back. They and the jobs without workers then get workers by dominant share up to their
fair numbers. Afterwards workers go to the job whose worker uses the most, added up over the
resources as fractions, while the fairness loss allows. All other jobs keep their workers. If too
many jobs would have to be adjusted, the fairness loss stays above its limit, and no worker is
allocated that raises it. The limits and defaults follow the paper as far as they are known.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

import numpy as np
from numpy.random import Generator

from ...instances import OnlineInstance, Outcome
from ...instances.reading.vocabulary import Count, Range
from ...simulation.online import Floats
from ..request import NoOptions, Request, Scheduler
from .planning import OnlinePlans, SlotPlacement, all_free, take
from .sharing import FairAim, WorkerSharing

MOST_DRAWN = 30
"""A number of workers is drawn from 1 to this, as in the experiments of OASiS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FifoOptions:
    """Number of workers, and rule for starts."""

    workers: Annotated[
        Count | None, "workers of every job, or null for a random number from 1 to 30 for each"
    ] = None
    line: Annotated[
        Literal["strict", "overtake"],
        "jobs behind one that does not fit wait too, or start before it",
    ] = "strict"


def run_fifo(instance: OnlineInstance, request: Request[FifoOptions]) -> Outcome:
    """Return the schedule of the jobs that complete. The numbers of workers are random."""
    plans = OnlinePlans(instance, request.limits, "fifo")
    sharing = WorkerSharing(instance, plans)
    free, line = all_free(sharing.model), dict[int, int]()
    for slot in plans.slots():
        line |= {
            job: workers_wanted(sharing, job, request.rng, request.options.workers)
            for job in plans.arriving(slot)
        }
        for job, count in list(line.items()):
            placement = sharing.place(free[slot], job, count)
            if placement:
                start(sharing, plans, free, slot, job, placement)
            if placement or not count:
                del line[job]
            elif request.options.line == "strict":
                break
    return plans.outcome()


FIFO = Scheduler(run=run_fifo, Options=FifoOptions)


def workers_wanted(sharing: WorkerSharing, job: int, rng: Generator, workers: int | None) -> int:
    """Return the number of workers of a job, at most what it can use on an empty cluster."""
    drawn = int(rng.integers(1, MOST_DRAWN, endpoint=True))
    count = min(workers or drawn, sharing.useful(job))
    while count and sharing.place(sharing.model.capacity, job, count) is None:
        count -= 1
    return count


def start(
    sharing: WorkerSharing,
    plans: OnlinePlans,
    free: Floats,
    slot: int,
    job: int,
    placement: SlotPlacement,
) -> None:
    """Let a job hold its machines until it is complete, or to the horizon."""
    slots = ceil(plans.worker_slots(job, placement.inside) / placement.size)
    held = free[slot : slot + slots]
    take(sharing.model, held, job, placement)
    for later in range(len(held)):
        plans.add(job, slot + later, placement)


def run_drf(instance: OnlineInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule of the jobs that complete (deterministic)."""
    plans = OnlinePlans(instance, request.limits, "drf")
    sharing = WorkerSharing(instance, plans)
    for slot in plans.slots():
        jobs, free = plans.active(slot), sharing.model.capacity.copy()
        held = sharing.fairly(free, jobs, [sharing.useful(job) for job in jobs])
        for job, placement in held.items():
            plans.add(job, slot, sharing.consolidate(free, job, placement))
    return plans.outcome()


DRF = Scheduler(run=run_drf)


Held = dict[int, SlotPlacement]


@dataclass(frozen=True, slots=True, kw_only=True)
class DormOptions:
    """The two limits."""

    theta1: Annotated[Decimal, Range(0, 1), "fairness loss / twice the resources"] = Decimal("0.1")
    theta2: Annotated[Decimal, Range(0, 1), "part of the running jobs that may be adjusted"] = (
        Decimal("0.1")
    )


def run_dorm(instance: OnlineInstance, request: Request[DormOptions]) -> Outcome:
    """Return the schedule of the jobs that complete (deterministic)."""
    plans = OnlinePlans(instance, request.limits, "dorm")
    sharing = WorkerSharing(instance, plans)
    held, before = Held(), list[int]()
    for slot in plans.slots():
        jobs = plans.active(slot)
        if jobs != before:
            held, before = divide(sharing, jobs, held, request.options), jobs
        for job, placement in held.items():
            plans.add(job, slot, placement)
    return plans.outcome()


DORM = Scheduler(run=run_dorm, Options=DormOptions)


def divide(sharing: WorkerSharing, jobs: list[int], held: Held, options: DormOptions) -> Held:
    """Return the new allocation, given the current one."""
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
    return kept | {job: sharing.consolidate(free, job, held) for job, held in given.items()}


def _unadjusted(
    sharing: WorkerSharing, held: Held, goal: dict[int, float], options: DormOptions
) -> Held:
    """Leave out the jobs that are furthest from their fair shares, as many as may be adjusted."""
    away = {job: abs(share - goal[job]) for job, share in sharing.shares(held).items()}
    unfair = sorted((job for job in held if away[job] > 0), key=lambda job: -away[job])
    adjusted = set(unfair[: ceil(options.theta2 * len(held))])
    return {job: placement for job, placement in held.items() if job not in adjusted}
