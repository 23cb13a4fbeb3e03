"""Jobs listed by a time-indexed point, and schedules from such lists.

Time is cut into slots of one width, not too many; jobs take whole ones there. The relaxation of
`pooled_starts` is solved at a horizon that is nearly its least. Each list is decoded by list
scheduling with every rule for placing rings (`local_placing`), first with the one that lets a
job spread over whatever GPUs are idle.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import ceil
from typing import Literal

import numpy as np

from ...formulations.makespan.parts.pooled_starts import pooled_starts
from ...formulations.program import Floats, Solution, too_many
from ...instances import Limits, MakespanInstance, Outcome, SolutionStatus, TerminationReason
from ...policies.makespan.incumbent import NEVER, BestPlan
from ...rounding.list_order import worked
from ...simulation import build_model
from ...simulation.makespan.evaluate import gather
from ...simulation.model import Ints
from .bounds import best_bound
from .listing import list_schedule, new_scratch
from .local_placing import EAGER, rule_of
from .priorities import spreading
from .relaxed import solve_relaxed
from .tasks import tasks_of

EVERYWHERE = rule_of(3, eager=EAGER)
"""The rule by which a job starts wherever enough GPUs are idle."""

MOST_COLUMNS = 1_000_000
"""Programs with more starts take minutes."""

Of = Literal["starts", "work"]
Listing = Callable[[Floats], Iterable[Floats]]
"""Given shares, moments of the jobs once or more often; the earliest job comes first."""


def too_large(instance: MakespanInstance, slots: int) -> str | None:
    """Say why the program of `instance` would be too large, or None if it is not."""
    return too_many(len(instance.jobs) * slots, MOST_COLUMNS, "starts", "give fewer slots")


def best_listed(
    instance: MakespanInstance,
    limits: Limits,
    method: str,
    slots: int,
    of: Of,
    listing: Listing,
) -> Outcome:
    """Return the best schedule of all lists under all rules."""
    found = shares(instance, limits, slots, of)
    if isinstance(found, Solution):
        return Outcome(
            schedule=None,
            termination=found.termination,
            status=SolutionStatus.NOTHING,
            note=found.note,
        )
    gpus = np.array([job.gpus for job in instance.jobs])
    least = np.array([float(task.slots) for task in tasks_of(instance)])
    best, model = BestPlan(instance, limits, method), build_model(instance)
    scratch, rules = new_scratch(model, least), _rules(instance)
    for points in listing(found):
        order = np.lexsort((-least, -gpus, points))
        for rule in rules:
            makespan = list_schedule(model, scratch, order, rule, 0.0, np.inf)
            if makespan < best.makespan:
                best.offer(gather(scratch.state, scratch.lists.holds), makespan)
            if limits.over():
                return best.outcome(TerminationReason.TIME_LIMIT, NEVER)
    return best.outcome(TerminationReason.DONE, NEVER)


def _rules(instance: MakespanInstance) -> list[Ints]:
    """Return every rule, the same for all jobs."""
    ways = [rule + eager for rule in spreading(instance) for eager in (EAGER, 0)]
    ways.sort(key=lambda rule: rule != EVERYWHERE)
    return [np.full(len(instance.jobs), rule) for rule in ways]


def shares(
    instance: MakespanInstance, limits: Limits, slots: int, of: Of = "starts"
) -> Floats | Solution:
    """Return how much of each job starts, or is worked, in each slot; if nothing, why."""
    least = Fraction(best_bound(instance).value)
    width = least / slots if instance.progress == "continuous" else max(1, ceil(least / slots))
    tasks, pool = tasks_of(instance), sum(server.gpus for server in instance.cluster.servers)
    gpus = np.array([task.gpus for task in tasks])
    durations = np.array([ceil(task.slots / width) for task in tasks])
    releases = np.array([ceil(task.release / width) for task in tasks])
    horizon = max(-(-int(gpus @ durations) // pool), int((releases + durations).max()))
    slack = 0
    while True:
        program = pooled_starts(gpus, durations, releases, pool, horizon + slack)
        found = solve_relaxed(program.matrix, limits)
        if found.point is not None:
            starts = program.shares(found.point)
            return starts if of == "starts" else worked(starts, durations)
        if found.status is not SolutionStatus.INFEASIBLE:
            return found
        slack = 2 * slack or 1
