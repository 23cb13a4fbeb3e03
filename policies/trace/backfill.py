"""EASY backfill by the limits of users, the rule of Slurm, Maui and EASY (Lifka 1995).

Jobs start in order. The first that finds no GPUs is promised the earliest tick by which enough are
free by the estimates of running jobs. A later job may start now if it ends by then, or if it leaves
the first job enough GPUs at that tick. Promises are made anew whenever the queue is served.

- A job's estimate is its `limit_s`. A job without one has the longest limit of all jobs, as jobs in
  Slurm have the limit of their partition. If no job has one, it is a year.
- No job is stopped. One that has reached its limit is expected to end a tick from now.
- Promises count GPUs, on the servers that the first job may use. If enough are free but the
  placement finds no place, the first job is promised the next estimated end.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from ...simulation.trace.ranks import ARRIVAL, RankFormula
from ...simulation.trace.views import ESTIMATES, EstimatedJobView, Rank, Ranker
from .serve import ServiceOptions, scheduler


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOptions(ServiceOptions):
    """The order of the queue."""

    order: Annotated[
        Literal["arrival", "priority", "gpus", "limit"],
        "who goes first: the earliest, the highest priority, the fewest GPUs or the shortest "
        "limit; ties by arrival",
    ] = "arrival"


class Backfill(Ranker):
    """In order of arrival, priority or size, with a promise to the first job that waits."""

    information = ESTIMATES
    preempts = False
    backfills = True

    def __init__(self, options: BackfillOptions) -> None:
        """Choose the order."""
        self._order = options.order

    def rank(self, job: EstimatedJobView) -> Rank:
        """Return the place in the order, then the arrival."""
        levels = {"priority": -job.priority, "gpus": job.gpus, "limit": job.limit}
        return Rank(level=levels.get(self._order, 0), key=job.arrival)

    def formula(self) -> RankFormula:
        """Return the arrival, if that is the order."""
        return RankFormula(ARRIVAL) if self._order == "arrival" else RankFormula()


BACKFILL = scheduler("backfill", Backfill, BackfillOptions)
