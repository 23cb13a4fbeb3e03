"""The loop that SJF-BCO and its baselines First-Fit, List-Scheduling and Random share.

Jobs are served in a fixed order. The next job takes as many idle GPUs as it needs from
those whose load stays within the limit; until there are enough, every job behind it waits
and the clock moves to the next end. The policies differ in *which* GPUs they prefer.
"""

from typing import NamedTuple

import numpy as np

from ...simulation import Model, PlacedStarts
from ...simulation.jit import entry, kernel
from ...simulation.makespan.evaluate import gather
from ...simulation.model import Floats, Ints
from ...simulation.queue import next_end
from .fa_ffp import lightest, tightest
from .gpus import GpuState, advance, finish, is_offered, new_gpus, start_on_chosen, wait_for

BY_RANK, BY_LOAD, BY_CHANCE, BY_FIT = 0, 1, 2, 3
"""Preferred GPUs: the first in cluster order, the least loaded, any, the tightest server."""


class JobList(NamedTuple):
    """Jobs as they are served, with their estimated work, under a load limit."""

    order: Ints
    work: Floats
    limit: float
    prefer: int
    """Which GPUs are preferred."""
    chance: Floats
    """A number in [0, 1) per GPU asked for, where any are."""


class Dispatched(NamedTuple):
    """A run of the loop: the plan, and its makespan (infinite if the limit was too low)."""

    plan: PlacedStarts
    makespan: float


@entry
def dispatch(
    model: Model, order: Ints, work: Floats, limit: float, prefer: int, chance: Floats
) -> Dispatched:
    """Run the loop once."""
    cluster = new_gpus(model, prefer == BY_LOAD)
    makespan = serve(model, cluster, JobList(order, work, limit, prefer, chance))
    if makespan < np.inf:
        makespan = finish(model, cluster)
    return Dispatched(gather(cluster.state, cluster.holds), makespan)


@kernel
def serve(model: Model, cluster: GpuState, jobs: JobList) -> float:
    """Start the jobs; return the last start, infinity if the limit is too low."""
    now, work = 0.0, jobs.work
    for job in jobs.order:
        now = wait_for(model, cluster, job, now)
        while not choose(model, cluster, job, jobs):
            if next_end(cluster.state) == np.inf:
                return np.inf
            now = advance(model, cluster)
        start_on_chosen(model, cluster, job, work[job], now)
    return now


@kernel
def choose(model: Model, cluster: GpuState, job: int, jobs: JobList) -> bool:
    """Choose idle GPUs within the limit for `job`; say whether there were enough."""
    load, prefer = jobs.limit - jobs.work[job], jobs.prefer
    if prefer == BY_LOAD:
        return lightest(model, cluster, job, load)
    if prefer == BY_FIT:
        return tightest(model, cluster, job, load)
    if prefer == BY_RANK:
        return _foremost(model, cluster, job, load)
    return _any(model, cluster, job, load, jobs.chance)


@kernel
def _foremost(model: Model, cluster: GpuState, job: int, load: float) -> bool:
    i, b = cluster.first[job], cluster.first[job + 1]
    for gpu in range(cluster.load.size):
        if is_offered(model, cluster, job, gpu, load):
            cluster.chosen[i] = gpu
            i += 1
            if i == b:
                return True
    return False


@kernel
def _any(model: Model, cluster: GpuState, job: int, load: float, chance: Floats) -> bool:
    """Draw without replacement from the GPUs that qualify, collected in `idle`."""
    count = 0
    for gpu in range(cluster.load.size):
        if is_offered(model, cluster, job, gpu, load):
            cluster.idle[count] = gpu
            count += 1
    if count < cluster.first[job + 1] - cluster.first[job]:
        return False
    for i in range(cluster.first[job], cluster.first[job + 1]):
        drawn = int(chance[i] * count)
        count -= 1
        cluster.chosen[i] = cluster.idle[drawn]
        cluster.idle[drawn] = cluster.idle[count]
    return True
