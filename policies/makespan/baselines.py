"""Baselines of SJF-BCO, with their work estimates and the search for the load limit theta.

First-Fit uses the first idle GPUs, server by server, whose load stays within the limit.
List-Scheduling uses the least loaded idle GPUs of the cluster. Both search the load limit by
bisection and on a grid. Random uses any idle GPUs, with the horizon as load limit. Jobs with fewer
GPUs come first, unless the option `order` says otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, fsum
from typing import Annotated, Literal

import numpy as np

from ...instances import Limits, MakespanInstance, Outcome, TerminationReason
from ...simulation import build_model
from ...simulation.makespan.evaluate import begun, extremes
from ...simulation.model import Floats, Ints
from ..request import Request, Scheduler
from .ahead import run_ahead
from .dispatch import BY_CHANCE, BY_LOAD, BY_RANK, Dispatched, JobList, dispatch
from .incumbent import NEVER, BestPlan

GRID = 16
"""Load limits tried in addition to the bisection: makespan need not be monotone in the limit."""


Estimate = Literal["slowest", "fastest"]
Ties = Literal["longest", "shortest", "listed"]
Assign = Literal["idle", "ahead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineOptions:
    """Choices that the paper leaves open for its baselines."""

    assign: Annotated[
        Assign, "a job gets GPUs that are idle when it starts, or all jobs get theirs first"
    ] = "idle"
    order: Annotated[Literal["gpus", "listed"], "fewest GPUs first, or jobs as listed"] = "gpus"


def estimates(instance: MakespanInstance, estimate: Estimate = "slowest") -> Floats:
    """Return rho-hat / u in slots for every job, with rho-hat = F tau_max or F tau_min.

    With the slowest, l = 1, and u is the largest ratio of longest to shortest execution
    time. With the fastest, u = 1, and l is the least ratio of shortest to longest.
    """
    found = extremes(instance)
    if estimate == "fastest":
        return np.array([float(e.least_slots or 0) for e in found])
    u = max(
        (e.most_slots / e.least_slots for e in found if e.most_slots and e.least_slots),
        default=Fraction(1),
    )
    longest = [e.most_slots or e.least_slots or Fraction(0) for e in found]
    return np.array([float(slow / u) for slow in longest])


def highest_limit(instance: MakespanInstance, work: Floats) -> int:
    """Return the largest load limit worth trying: T if the file gives it, else all work."""
    everything = ceil(float(work.sum()) * (1 + 1e-9)) + 1
    return min(instance.horizon_slots or everything, everything)


def lowest_limit(instance: MakespanInstance, work: Floats) -> float:
    """Return the least load limit that can admit all jobs: the longest, or the average load."""
    area = fsum(job.gpus * slots for job, slots in zip(instance.jobs, work, strict=True))
    gpus = sum(server.gpus for server in instance.cluster.servers)
    return max(area / gpus, float(work.max()))


def order_by_gpus(instance: MakespanInstance, work: Floats, ties: Ties = "longest") -> Ints:
    """Return jobs by GPUs ascending, ties by estimated work or not at all, then as listed.

    Jobs that hold GPUs at slot 0 are left out.
    """
    sign = {"longest": -1, "shortest": 1, "listed": 0}[ties]
    keys = [
        (job.gpus, sign * work[j], j) for j, job in enumerate(instance.jobs) if job.held is None
    ]
    return np.array([j for *_, j in sorted(keys)], dtype=np.int64)


def by_limit(method: str, prefer: int) -> Scheduler:
    """Return the baseline that searches the load limit by bisection and on a grid."""

    def run(instance: MakespanInstance, request: Request[BaselineOptions]) -> Outcome:
        attempt, top = attempts(instance, request, prefer, np.empty(0))
        best = BestPlan(instance, request.limits, method)

        def tried(limit: float) -> float:
            found = attempt(float(limit))
            best.offer(*found)
            return float(found.makespan)

        stop = bisect(tried, top, request.limits)
        return best.outcome(stop, no_limit(instance, top))

    return Scheduler(run=run, Options=BaselineOptions)


def attempts(
    instance: MakespanInstance, request: Request[BaselineOptions], prefer: int, chance: Floats
) -> tuple[Callable[[float], Dispatched], int]:
    """Return the run of a baseline under a load limit, and the largest limit worth trying."""
    options, model, work = request.options, build_model(instance), estimates(instance)
    order, held = order_by_gpus(instance, work), begun(instance)
    if options.order == "listed":
        order = np.sort(order)

    def attempt(limit: float) -> Dispatched:
        jobs = JobList(order, work, limit, prefer, chance, held)
        if options.assign == "idle":
            return dispatch(model, jobs)
        found = run_ahead(model, jobs, order.size, np.zeros(0, np.int64))
        return Dispatched(found.plan, found.makespan)

    return attempt, highest_limit(instance, work)


def no_limit(instance: MakespanInstance, top: int) -> str:
    """Return the note that even the highest load limit admits no schedule that ends."""
    if instance.horizon_slots and top == instance.horizon_slots:
        return f"no load limit up to {top} slots admits all jobs; raise horizon_slots"
    return NEVER


def bisect(attempt: Callable[[float], float], top: int, limits: Limits) -> TerminationReason:
    """Try load limits: the top, a grid below it, and the paper's bisection."""
    attempt(top)
    for step in range(1, GRID):
        if limits.over():
            return TerminationReason.TIME_LIMIT
        attempt(top * step / GRID)
    return bisect_alone(attempt, top, limits)


def bisect_alone(attempt: Callable[[float], float], top: int, limits: Limits) -> TerminationReason:
    """Try the load limits of the paper's bisection: down if the makespan improves, else up."""
    low, high, best = 1, top, np.inf
    while low <= high:
        if limits.over():
            return TerminationReason.TIME_LIMIT
        middle = (low + high) // 2
        makespan = attempt(middle)
        if makespan < best:
            best, high = makespan, middle - 1
        else:
            low = middle + 1
    return TerminationReason.DONE


FIRST_FIT = by_limit("first-fit", BY_RANK)
LIST_SCHEDULING = by_limit("list-scheduling", BY_LOAD)


def random_fit(instance: MakespanInstance, request: Request[BaselineOptions]) -> Outcome:
    """Return one random schedule."""
    chance = request.rng.random(sum(job.gpus for job in instance.jobs))
    attempt, limit = attempts(instance, request, BY_CHANCE, chance)
    best = BestPlan(instance, request.limits, "random")
    best.offer(*attempt(float(limit)))
    return best.outcome(TerminationReason.DONE, no_limit(instance, limit))


RANDOM = Scheduler(run=random_fit, Options=BaselineOptions)
