"""SJF-BCO as published (arXiv 2207.07817), and a variant with a proof.

As published: smallest job first, contention and overhead balanced. Jobs are sorted by ascending
number of GPUs. Jobs of at most kappa GPUs are placed by FA-FFP, larger jobs by LBSGF, each under a
limit on the load of every GPU. The load limit is searched by bisection. For every limit all
thresholds kappa are tried, one for each partition of the jobs, because all values between two gang
sizes are equivalent. A schedule that ends by its load limit has never met it: a GPU's load is at
most the real time of its jobs. Any higher limit gives the same schedule and is skipped.

With a proof: jobs in the same order each get the least loaded GPUs of the whole cluster, busy or
not, without a load limit. Afterwards the clock runs (`ahead.py`). The printed proof needs the
overtaking that this allows and the printed loop forbids.
"""

from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, inf
from typing import Annotated, Literal, NamedTuple

import numpy as np

from ...instances import Limits, MakespanInstance, Outcome, TerminationReason
from ...instances.reading.vocabulary import Count, Range
from ...simulation import Model, PlacedStarts, build_model
from ...simulation.jit import entry
from ...simulation.makespan.evaluate import begun, gather
from ...simulation.model import Ints
from ..request import Request, Scheduler, termination_of
from .ahead import run_ahead
from .baselines import (
    GRID,
    Assign,
    Estimate,
    Ties,
    bisect_alone,
    estimates,
    highest_limit,
    lowest_limit,
    no_limit,
    order_by_gpus,
)
from .dispatch import BY_FIT, BY_LOAD, JobList, ServerPools, serve, serve_from_pools
from .gpus import begin, drop_heap, finish, new_gpus
from .incumbent import NEVER, BestPlan

PREFERENCES = {"least_exec": BY_LOAD, "pack": BY_FIT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The two parameters of the paper, and choices that it leaves open."""

    kappa: Annotated[Count | None, "most GPUs of a small job; null: every threshold is tried"] = (
        None
    )
    lam: Annotated[
        Decimal, Range(1, 10**9), "GPUs in the pool of a large job per GPU it needs (lambda)"
    ] = Decimal(1)
    mode: Annotated[
        Literal["least_exec", "pack"],
        "small jobs take the least loaded GPUs, or pack occupied servers first",
    ] = "least_exec"
    theta: Annotated[
        Literal["grid", "bisection", "none"],
        "load limits: the horizon, a grid and the bisection; the bisection alone; no limit",
    ] = "grid"
    infeasible: Annotated[
        Literal["infinite", "partial"],
        "a run that the load limit ends has an infinite value, or that of the jobs it placed",
    ] = "infinite"
    estimate: Annotated[Estimate, "slowest or fastest execution time"] = "slowest"
    ties: Annotated[Ties, "order of jobs with equally many GPUs"] = "longest"
    assign: Annotated[
        Assign, "a job gets GPUs that are idle when it starts, or all jobs get theirs first"
    ] = "idle"


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule over all load limits and thresholds (deterministic)."""
    options = request.options
    trials = _Trials(instance, request.limits, options)
    if options.theta == "none":
        trials.attempt(inf)
    if options.theta == "grid":
        trials.attempt_grid()
    if options.theta != "none":
        bisect_alone(trials.attempt, trials.top, request.limits)
    return trials.best.outcome(termination_of(request.limits), no_limit(instance, trials.top))


class _Trials:
    """The runs of the schedule for load limits and thresholds, and the best of them."""

    def __init__(self, instance: MakespanInstance, limits: Limits, options: Options) -> None:
        self._model, self._limits, self._options = build_model(instance), limits, options
        self._work = estimates(instance, options.estimate)
        self._order = order_by_gpus(instance, self._work, options.ties)
        self._wanted = np.array([ceil(options.lam * job.gpus) for job in instance.jobs])
        self._lowest = lowest_limit(instance, self._work)
        self._splits, self._held = splits(instance, options.kappa), begun(instance)
        self._makespans: dict[int, float] = {}
        self.best = BestPlan(instance, limits, "sjf-bco")
        self.top = highest_limit(instance, self._work)

    def attempt_grid(self) -> None:
        """Try the highest limit, and others evenly spaced over the relevant range."""
        self.attempt(self.top)
        highest = max(self._makespans.values(), default=float(self.top))
        for step in range(1, GRID):
            if not self._limits.over():
                self.attempt(self._lowest + (highest - self._lowest) * step / GRID)

    def attempt(self, limit: float) -> float:
        """Run all thresholds under a load limit, and return the value for the bisection."""
        least = inf
        for split in self._splits:
            least = min(least, self._one(limit, split))
            if self._limits.over():
                break
        return least

    def _one(self, limit: float, split: int) -> float:
        if split in self._makespans and self._makespans[split] <= limit:
            return self._makespans[split]
        prefer = PREFERENCES[self._options.mode]
        jobs = JobList(self._order, self._work, float(limit), prefer, np.empty(0), self._held)
        if self._options.assign == "ahead":
            given = run_ahead(self._model, jobs, split, self._wanted)
            self.best.offer(given.plan, given.makespan)
            return given.makespan
        found = place(self._model, jobs, split, self._wanted)
        self.best.offer(found.plan, found.makespan)
        if found.makespan <= limit:
            self._makespans[split] = found.makespan
        return found.last_end if self._options.infeasible == "partial" else found.makespan


def splits(instance: MakespanInstance, kappa: int | None) -> list[int]:
    """Return how many waiting jobs are small, for one threshold or for each that matters."""
    sizes = sorted(job.gpus for job in instance.jobs if job.held is None)
    thresholds = (1, *sizes) if kappa is None else (kappa,)
    return sorted({bisect_right(sizes, threshold) for threshold in thresholds})


class TriedPlan(NamedTuple):
    """A run: the plan, its makespan (infinite if broken off), and the last end until then.

    The GPUs of the jobs are in `chosen` in turn, numbered through all servers, unless the run was
    broken off.
    """

    plan: PlacedStarts
    makespan: float
    last_end: float
    chosen: Ints


@entry
def place(model: Model, jobs: JobList, split: int, wanted: Ints) -> TriedPlan:
    """Place the first `split` jobs by FA-FFP and the remaining jobs by LBSGF under a load limit."""
    order, _, limit, prefer, _, held = jobs
    cluster = new_gpus(model, prefer == BY_LOAD)
    begin(model, cluster, held, jobs.work)
    small = JobList(order[:split], jobs.work, limit, prefer, jobs.chance, held)
    now = serve(model, cluster, small)
    if now < np.inf:
        average, servers = np.empty(model.servers), np.empty(model.servers, np.int64)
        pools = ServerPools(wanted, average, servers, np.empty(model.servers, np.int64))
        drop_heap(cluster)
        large = JobList(order[split:], jobs.work, limit, prefer, jobs.chance, held)
        now = serve_from_pools(model, cluster, pools, large, now)
    makespan = finish(model, cluster) if now < np.inf else np.inf
    last_end = 0.0
    for j in range(model.jobs.size):
        if cluster.state.runs[j].end < np.inf:
            last_end = max(last_end, cluster.state.runs[j].end)
    return TriedPlan(gather(cluster.state, cluster.holds), makespan, last_end, cluster.chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedOptions:
    """The estimate and the ties of the assignment."""

    estimate: Annotated[Estimate, "slowest or fastest execution time"] = "slowest"
    ties: Annotated[Ties, "order of jobs with equally many GPUs"] = "longest"


def run_proved(instance: MakespanInstance, request: Request[ProvedOptions]) -> Outcome:
    """Return the one schedule there is (deterministic)."""
    model, work = build_model(instance), estimates(instance, request.options.estimate)
    order = order_by_gpus(instance, work, request.options.ties)
    best = BestPlan(instance, request.limits, "sjf-bco-proved")
    jobs = JobList(order, work, inf, BY_LOAD, np.empty(0), begun(instance))
    found = run_ahead(model, jobs, order.size, np.zeros(0, np.int64))
    best.offer(found.plan, found.makespan)
    return best.outcome(TerminationReason.DONE, NEVER)


SJF_BCO_PROVED = Scheduler(run=run_proved, Options=ProvedOptions)
