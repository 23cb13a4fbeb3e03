"""Backfill by the limits of users, the rule of EASY (Lifka 1995), Maui and Slurm.

Jobs start in order. The first that finds no GPUs is promised the earliest tick by which enough are
free by the estimates of running jobs. A later job may start now if it ends by then, or if it leaves
the first job enough GPUs at that tick. With `promised=N`, the first N waiting jobs are promised
their earliest start in this order, and a job may overtake if it delays none of them. A large N is
conservative backfill. With `promised=0`, every job that finds GPUs starts.

- A job's estimate is its `limit_s`. A job without one has the longest limit of all jobs, as jobs in
  Slurm have the limit of their partition. If no job has one, it is a year.
- No job is stopped at its limit. One that has reached it is expected to end a tick from now. After
  a stop, the estimate is the rest of the limit, at least a tick, after a restart of `restart_s`.
- A job that would exceed the `most` of its group is passed over, and promised nothing.
- Promises count GPUs, on the servers that the first job may use. If it may run on several kinds of
  GPUs, the promise is for the kind that has enough free GPUs first. If enough are free but the
  placement finds no place, the first job is promised the next estimated end.
- Promises are not remembered. Whenever the queue is served, they are made anew, in the order of
  that moment. Even in conservative backfill, a job may therefore start later than promised once: if
  a job arrives that goes before it, if a job overruns its limit, or if jobs end early and the new
  plan puts them together in another way.

With `order=multifactor`, the job with the highest priority of Slurm's multifactor formula goes
first. It is a whole number of at least 1, rounded down:

``age * min(1, wait / max_age_s) + fair * 2 ** (-U / S) + size * gpus + priority * own``

- `wait` is the time since the job's arrival or its last stop. `gpus` is its part of all GPUs, or 1
  less this part with `favor=small`. `own` is its priority over the highest priority of all jobs,
  and 0 if it is negative.
- U is the group's part of all GPU-time that jobs have held so far, in which the GPU-time of a
  moment loses half its weight in every `half_life_s`. With `half_life_s=0`, none is lost. S is the
  share of its group over the sum of all shares. Jobs without a group are a group with share 1, and
  all groups have share 1 if the instance has no `groups`.
- Priorities are computed when the queue is served, from use up to this tick. Slurm computes them
  every 5 minutes (PriorityCalcPeriod).
- The formula is that of the pages "Multifactor Priority Plugin" and "Classic Fairshare Algorithm"
  (NO_FAIR_TREE) of Slurm's documentation, with one level of accounts. Partitions, associations,
  TRES and nice values are left out. The default weights are those of an example there. Slurm's own
  defaults are 0, which gives the order of arrival, and 7 days for both times, as here.

With `stops=lower`, the queue goes by priority first, then by `order`. A waiting job may stop
running jobs of lower priority (their own, not the multifactor priority), if it starts by that. This
is Slurm's `preempt/partition_prio` with REQUEUE and `youngest_first`, but stopped jobs keep their
work.

- If a job finds no GPUs, running jobs of lower priority give up theirs one by one until the
  placement finds a place: the lowest priority first, then the latest start, then the later job in
  the file. In reverse order, each of them whose GPUs are still free then stays. The other ones are
  stopped. If there is no place even so, no job is stopped.
- Promises follow the same rule: GPUs of running jobs of lower priority are free for a job. A later
  job may overtake, and stop jobs for that, if it ends by the promised tick. If not, it must leave
  enough GPUs for the first job at that tick beside running jobs that it cannot stop itself.
- A stopped job waits until the queue is served next. Then it may start, after a restart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances import RefusedError
from ...instances.errors import Problem
from ...instances.reading.vocabulary import Amount, Positive, Whole
from ...simulation.trace.ranks import ARRIVAL, MULTIFACTOR, TIER, Multifactor, RankFormula
from ...simulation.trace.views import ESTIMATES, EstimatedJobView, Rank, Ranker, TraceSetting
from .serve import ServiceOptions, scheduler

WEEK_S = Decimal(7 * 86_400)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOptions(ServiceOptions):
    """The order of the queue, promises and stops."""

    order: Annotated[
        Literal["arrival", "priority", "gpus", "limit", "multifactor"],
        "who goes first: the earliest, the highest priority, the fewest GPUs, the shortest "
        "limit, or the highest multifactor priority of Slurm; ties by arrival",
    ] = "arrival"
    promised: Annotated[
        Whole, "waiting jobs that no later job may delay: 1 for EASY, 0 for no promises"
    ] = 1
    stops: Annotated[
        Literal["no", "lower"],
        "whether waiting jobs stop running jobs of lower priority; the queue then goes by "
        "priority first",
    ] = "no"
    age: Annotated[Whole, "weight of a job's wait in `multifactor`"] = 1_000
    max_age_s: Annotated[Positive, "wait from which it counts in full"] = WEEK_S
    fair: Annotated[Whole, "weight of the fair share of a job's group in `multifactor`"] = 10_000
    half_life_s: Annotated[
        Amount, "time in which the past use of a group loses half its weight, or 0 for never"
    ] = WEEK_S
    size: Annotated[Whole, "weight of a job's number of GPUs in `multifactor`"] = 1_000
    favor: Annotated[Literal["large", "small"], "jobs for which this factor is large"] = "large"
    priority: Annotated[Whole, "weight of a job's own priority in `multifactor`"] = 1_000

    def problems(self) -> Iterator[Problem]:
        """Yield options that have no effect."""
        usual = BackfillOptions()
        for name in () if self.order == "multifactor" else FACTORS:
            if getattr(self, name) != getattr(usual, name):
                yield Problem(name, getattr(self, name), "order=multifactor with it", "drop it")
        if self.idle != "kept":
            expected = "kept, because backfill offers idle GPUs in its own way"
            yield Problem("idle", self.idle, expected, "drop it")


FACTORS = ("age", "max_age_s", "fair", "half_life_s", "size", "favor", "priority")


class Backfill(Ranker):
    """In order of arrival, priority or size, with a promise to the first job that waits."""

    information = ESTIMATES
    preempts = False

    def __init__(self, options: BackfillOptions) -> None:
        """Choose the order."""
        self._options, self._order, self._tick_s = options, options.order, 1.0
        self.backfills, self.stops_lower = options.promised, options.stops == "lower"

    def begin(self, setting: TraceSetting) -> None:
        """Refuse several promises, and stops, if servers differ or groups may hold few GPUs.

        Raises:
            RefusedError: If some jobs may not run everywhere, or not beside all others.
        """
        self._tick_s = setting.tick_s
        bound = "but jobs are bound to regions or kinds of GPUs. Drop it."
        if self.backfills > 1 and len(setting.sets) > 1:
            raise RefusedError(f"promised is more than 1, {bound}")
        if self.stops_lower and len(setting.sets) > 1:
            raise RefusedError(f"stops is lower, {bound}")
        if setting.limited is not None:
            most = f"but group {setting.limited.name!r} has `most`. Drop it."
            if self.backfills > 1:
                raise RefusedError(f"promised is more than 1, {most}")
            if self.stops_lower:
                raise RefusedError(f"stops is lower, {most}")

    def rank(self, job: EstimatedJobView) -> Rank:
        """Return the place in the order, then the arrival."""
        levels = {"priority": -job.priority, "gpus": job.gpus, "limit": job.limit}
        tier = -TIER * job.priority if self.stops_lower else 0
        return Rank(level=tier + levels.get(self._order, 0), key=job.arrival)

    def formula(self) -> RankFormula:
        """Return the arrival or the multifactor priority, if that is the order."""
        if self._order == "arrival" and not self.stops_lower:
            return RankFormula(ARRIVAL)
        if self._order != "multifactor":
            return RankFormula()
        options = self._options
        weights = Multifactor(
            age=options.age,
            max_age=float(options.max_age_s) / self._tick_s,
            fair=options.fair,
            half_life=float(options.half_life_s) / self._tick_s,
            size=options.size,
            small=options.favor == "small",
            priority=options.priority,
        )
        return RankFormula(MULTIFACTOR, weights=weights)


BACKFILL = scheduler("backfill", Backfill, BackfillOptions)
