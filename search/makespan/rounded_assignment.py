"""Jobs on servers by rounding: what the assignment program says, and schedules from roundings.

Servers are the machines. A job goes to a server that holds it and that it may use; on one of O
GPUs it takes w p / O of the time, for its w GPUs and its least p slots. A ring larger than all of
these goes to several, GPU by GPU, p / O each. Then the clock runs: jobs start where they belong,
in three orders (`gang_lpt`), the widest first among them.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ...formulations.makespan.parts.assignment import assignment_program, shares_of
from ...formulations.program import Floats, Solution, too_many
from ...instances import Limits, MakespanInstance, Outcome, SolutionStatus, TerminationReason
from ...policies.makespan.gang_lpt import priorities
from ...policies.makespan.incumbent import NEVER, BestPlan
from ...simulation import build_model
from ...simulation.makespan.admission import open_to
from ...simulation.model import Ints
from .assigned import dispatch_assigned
from .relaxed import solve_relaxed
from .tasks import tasks_of

MOST_PAIRS = 1_000_000
"""Programs with more pairs of job and server take minutes."""


class Machines(NamedTuple):
    """Units of each job, and for each machine the most of them and what one loads it by."""

    units: Ints
    most: Ints
    work: Floats


class Shares(NamedTuple):
    """A point of the assignment program, and the limit that its loads and works keep."""

    shares: Floats
    limit: float


Rounding = Callable[[Floats, Floats], Iterable[Ints]]
"""Given shares and work, whole units once or more often."""


def too_large(instance: MakespanInstance) -> str | None:
    """Say why the program of `instance` would be too large, or None if it is not."""
    pairs = len(instance.jobs) * len(instance.cluster.servers)
    return too_many(pairs, MOST_PAIRS, "pairs of job and server")


def best_rounded(
    instance: MakespanInstance, limits: Limits, method: str, rounding: Rounding
) -> Outcome:
    """Return the best schedule of all roundings of the point with the least limit."""
    machines = servers_as_machines(instance)
    found = least_shares(machines, limits)
    if isinstance(found, Solution):
        return Outcome(
            schedule=None,
            termination=found.termination,
            status=SolutionStatus.NOTHING,
            note=found.note,
        )
    best, model = BestPlan(instance, limits, method), build_model(instance)
    orders = priorities(instance)
    a_unit = np.array([job.gpus for job in instance.jobs]) // machines.units
    for rounded in rounding(found.shares, machines.work):
        for order in orders:
            best.offer(*dispatch_assigned(model, order, rounded * a_unit[:, None]))
        if limits.over():
            return best.outcome(TerminationReason.TIME_LIMIT, NEVER)
    return best.outcome(TerminationReason.DONE, NEVER)


def servers_as_machines(instance: MakespanInstance) -> Machines:
    """Return the servers as machines; a job that fits into one is one unit, else a GPU is."""
    sizes = np.array([server.gpus for server in instance.cluster.servers])
    gpus = np.array([job.gpus for job in instance.jobs])
    slots = np.array([float(task.slots) for task in tasks_of(instance)])
    model = build_model(instance)
    room = np.where(open_to(model)[model.jobs["group"]], sizes, 0)
    inside = gpus <= room.max(axis=1)
    units = np.where(inside, 1, gpus)
    most = np.where(inside[:, None], gpus[:, None] <= room, room)
    return Machines(units, most, (slots * gpus / units)[:, None] / sizes)


def least_shares(machines: Machines, limits: Limits) -> Shares | Solution:
    """Return shares with the least limit on both loads and works; if there are none, why.

    The more work per unit is admitted, the smaller the largest load; the limit is least about
    where the two meet.
    """
    works = np.unique(machines.work[machines.most > 0])
    best: Shares | None = None
    low, high = 0, works.size - 1
    middle = high
    while low <= high:
        most = np.where(machines.work <= works[middle], machines.most, 0)
        program = assignment_program(machines.units, most, machines.work)
        found = solve_relaxed(program, limits)
        if found.point is not None:
            load = float(found.point[-1])
            limit = max(load, float(works[middle]))
            if best is None or limit < best.limit:
                best = Shares(shares_of(most, found.point), limit)
        elif found.status is SolutionStatus.INFEASIBLE:
            load = np.inf
        else:
            return best or found
        if limits.over() and best is not None:
            break
        low, high = (low, middle - 1) if load <= works[middle] else (middle + 1, high)
        middle = (low + high) // 2
    return best or found
