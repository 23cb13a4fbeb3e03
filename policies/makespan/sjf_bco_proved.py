"""SJF-BCO with a proof: every job is assigned its GPUs first, then jobs start as these get free.

Jobs come by number of GPUs, ascending. Each is assigned the least loaded GPUs of the whole
cluster, busy or not, without a limit on loads. Afterwards the clock runs: a job starts once
all its GPUs are free, whichever others still wait; where two could start, the one assigned
first does. Overtaking is what the printed proof needs and the printed loop does not allow.
"""

from dataclasses import dataclass
from math import inf
from typing import Annotated

import numpy as np

from ...instances import MakespanInstance, Outcome, TerminationReason
from ...simulation import build_model
from ..request import Request
from .ahead import run_ahead
from .dispatch import BY_LOAD, JobList
from .incumbent import NEVER, BestPlan
from .load_limit import Estimate, Ties, estimates, order_by_gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the assignment goes by."""

    estimate: Annotated[Estimate, "execution time at the slowest, or at the fastest"] = "slowest"
    ties: Annotated[Ties, "who is first among jobs of as many GPUs"] = "longest"


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the one schedule there is; nothing in it is random."""
    model, work = build_model(instance), estimates(instance, request.options.estimate)
    order = order_by_gpus(instance, work, request.options.ties)
    best = BestPlan(instance, request.limits, "sjf-bco-proved")
    jobs = JobList(order, work, inf, BY_LOAD, np.empty(0))
    found = run_ahead(model, jobs, order.size, np.zeros(0, np.int64))
    best.offer(found.plan, found.makespan)
    return best.outcome(TerminationReason.DONE, NEVER)
