"""Backfill by the limits of users, the rule of EASY (Lifka 1995), Maui and Slurm.

Jobs start in order. The first that finds no GPUs is promised the earliest tick by which enough are
free by the estimates of running jobs. A later job may start now if it ends by then, or if it leaves
the first job enough GPUs at that tick. Promises are made anew whenever the queue is served. With
`promised=N`, the first N waiting jobs are promised their earliest start in this order, and a job
may overtake if it delays none of them. A large N is conservative backfill.

- A job's estimate is its `limit_s`. A job without one has the longest limit of all jobs, as jobs in
  Slurm have the limit of their partition. If no job has one, it is a year.
- No job is stopped. One that has reached its limit is expected to end a tick from now.
- A job that would exceed the `most` of its group is passed over, and promised nothing.
- Promises count GPUs, on the servers that the first job may use. If enough are free but the
  placement finds no place, the first job is promised the next estimated end.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from ...instances import RefusedError
from ...instances.reading.vocabulary import Count
from ...simulation.trace.ranks import ARRIVAL, RankFormula
from ...simulation.trace.views import ESTIMATES, EstimatedJobView, Rank, Ranker, TraceSetting
from .serve import ServiceOptions, scheduler


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions(ServiceOptions):
    """The order of the queue."""

    order: Annotated[
        Literal["arrival", "priority", "gpus", "limit"],
        "who goes first: the earliest, the highest priority, the fewest GPUs or the shortest "
        "limit; ties by arrival",
    ] = "arrival"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOptions(OrderOptions):
    """The order of the queue, and who is promised a start in it."""

    promised: Annotated[Count, "waiting jobs that no later job may delay: 1 for EASY"] = 1


class Backfill(Ranker):
    """In order of arrival, priority or size, with a promise to the first job that waits."""

    information = ESTIMATES
    preempts = False

    def __init__(self, options: BackfillOptions) -> None:
        """Choose the order."""
        self._order, self.backfills = options.order, options.promised

    def begin(self, setting: TraceSetting) -> None:
        """Refuse several promises on sets of servers, or if groups may hold few GPUs.

        Raises:
            RefusedError: If some jobs may not run everywhere, or not beside all others.
        """
        if self.backfills > 1 and len(setting.sets) > 1:
            raise RefusedError("promised is more than 1, but jobs are bound to regions. Drop it.")
        if self.backfills > 1 and setting.limited is not None:
            name = setting.limited.name
            raise RefusedError(f"promised is more than 1, but group {name!r} has `most`. Drop it.")

    def rank(self, job: EstimatedJobView) -> Rank:
        """Return the place in the order, then the arrival."""
        levels = {"priority": -job.priority, "gpus": job.gpus, "limit": job.limit}
        return Rank(level=levels.get(self._order, 0), key=job.arrival)

    def formula(self) -> RankFormula:
        """Return the arrival, if that is the order."""
        return RankFormula(ARRIVAL) if self._order == "arrival" else RankFormula()


BACKFILL = scheduler("backfill", Backfill, BackfillOptions)
