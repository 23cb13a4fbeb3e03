"""First in, first out: a job waits for its number of workers, then keeps them to its end.

Every job asks for a fixed number of workers, drawn when it arrives, with the parameter
servers due to them. Jobs start in the order of arrival as soon as all of it fits, inside one
machine if possible, else on the first machines with room, and hold it in every slot until
they are complete. It looks at neither utilities nor the horizon: a job that the horizon cuts
off is not in the schedule, and its machines were held for nothing.
"""

from dataclasses import dataclass
from math import ceil
from typing import Annotated, Literal

from numpy.random import Generator

from ...instances import OnlineInstance, Outcome, TerminationReason
from ...instances.reading.vocabulary import Count
from ...simulation.online.model import Floats
from ..request import Request
from .planning import OnlinePlans, SlotPlacement, all_free, take
from .sharing import WorkerSharing

NAME = "fifo"
MOST_DRAWN = 30
"""A number of workers is drawn from 1 to this, as in the experiments of OASiS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How many workers, and who may start."""

    workers: Annotated[Count | None, "workers of every job; null: drawn from 1 to 30 for each"] = (
        None
    )
    line: Annotated[
        Literal["strict", "overtake"],
        "jobs behind one that does not fit wait too, or start before it",
    ] = "strict"


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Return the schedule of the jobs that complete; the numbers of workers are random."""
    plans = OnlinePlans(instance, request.limits, NAME)
    sharing = WorkerSharing(instance, plans)
    free, line = all_free(sharing.model), dict[int, int]()
    for slot in plans.slots():
        line |= {
            job: _wanted(sharing, job, request.rng, request.options) for job in plans.arriving(slot)
        }
        for job, count in list(line.items()):
            placement = sharing.place(free[slot], job, count)
            if placement:
                _start(sharing, plans, free, slot, job, placement)
            if placement or not count:
                del line[job]
            elif request.options.line == "strict":
                break
        if request.limits.over():
            return plans.outcome(TerminationReason.TIME_LIMIT)
    return plans.outcome(TerminationReason.DONE)


def _wanted(sharing: WorkerSharing, job: int, rng: Generator, options: Options) -> int:
    """Return the number of workers of a job: no more than it can use, or an empty cluster holds."""
    drawn = int(rng.integers(1, MOST_DRAWN, endpoint=True))
    count = min(options.workers or drawn, sharing.useful(job))
    while count and sharing.place(sharing.model.capacity, job, count) is None:
        count -= 1
    return count


def _start(
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
