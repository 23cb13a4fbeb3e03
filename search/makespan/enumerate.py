"""Enumeration: try every schedule of a tiny instance in slotted time, idling included.

An oracle for other exact methods: it trusts no theory beyond three facts. A start changes
nothing before its slot; it can only delay what runs, or, under fair sharing, nothing can go
faster than at full rate; swapping equal jobs or twin servers changes no makespan.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np

from ...instances import (
    Bound,
    BoundKind,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ...instances.certificate import searched_steps
from ...policies.makespan import gang_lpt
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...simulation import build_model, evaluate, make_plan, to_plan, to_schedule
from ...simulation.makespan.alone import stuck
from ...simulation.makespan.extremes import extremes, never_ends
from ...simulation.model import Ints
from .bounds import best_bound
from .symmetry import equal_before
from .tree import SearchTree, explore, new_tree

METHOD = "enumeration"

MOST_JOBS, MOST_GPUS = 8, 32
"""Larger instances are refused: the tree would have no end in sight."""

STRIDE = 20_000
"""Nodes visited between two looks at the clock."""


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Say why `instance` cannot be enumerated, or None if it can."""
    if instance.progress == "continuous":
        return "enumeration needs slots: in continuous time the starts are not countable"
    if len(instance.jobs) > MOST_JOBS:
        return f"enumeration takes at most {MOST_JOBS} jobs; this instance has {len(instance.jobs)}"
    gpus = sum(server.gpus for server in instance.cluster.servers)
    if gpus > MOST_GPUS:
        return f"enumeration takes at most {MOST_GPUS} GPUs; this cluster has {gpus}"
    return never_ends(instance)


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return a schedule of the least makespan; nothing in it is random."""
    return enumerate_best(instance, request.limits, start=request.start)


def enumerate_best(
    instance: MakespanInstance,
    limits: Limits,
    upper: int | None = None,
    no_idling: bool = False,
    nodes: int | None = None,
    start: Schedule | None = None,
) -> Outcome:
    """Search all schedules for one of the least makespan.

    With `upper` only schedules that end before that slot count; finding none proves `upper`
    a lower bound. With `no_idling` only non-delay schedules count: in no slot does a
    released job wait although as many GPUs as it needs, on whatever servers, are idle. The
    bound is that of the instance then; and under `floor` progress it can happen that there
    is no schedule, because all of them stand still forever. With `nodes` it stops after about
    that many. `start` is a valid schedule to beat.
    """
    reason = refuses(instance)
    if reason is not None:
        raise RefusedError(reason)
    goal = best_bound(instance)
    model = build_model(instance)
    below = safe_horizon(instance) + 1 if upper is None else upper
    known = None if no_idling else _first_guess(instance, limits, upper, start)
    if known is not None:
        below = int(evaluate(model, to_plan(instance, known)).makespan)
    equal = np.array(equal_before(instance), dtype=np.int64)
    tree = new_tree(model, _shortest(instance), equal, below, int(goal.value))
    tree.tally[0]["dense"] = no_idling
    termination: TerminationReason | None = None
    while termination is None:
        termination = TerminationReason.DONE if explore(model, tree, STRIDE) else None
        if tree.tally[0]["best"] < below:
            below = int(tree.tally[0]["best"])
            limits.report(Incumbent(schedule=_schedule(instance, tree), value=float(below)))
        if termination is None and limits.over():
            termination = TerminationReason.TIME_LIMIT
        elif termination is None and nodes is not None and tree.tally[0]["nodes"] >= nodes:
            termination = TerminationReason.WORK_LIMIT
    schedule = _schedule(instance, tree) if tree.best_start[0] >= 0 else known
    return _outcome(instance, tree, schedule, termination, goal, no_idling, complete=upper is None)


def _first_guess(
    instance: MakespanInstance, limits: Limits, upper: int | None, start: Schedule | None
) -> Schedule | None:
    """Return a schedule by gang LPT, or the start if it is better, if it ends before `upper`."""
    found: Schedule | None = gang_lpt.run(instance, Request(limits=limits)).schedule
    model, known = build_model(instance), [one for one in (found, start) if one is not None]
    ends = [float(evaluate(model, to_plan(instance, one)).makespan) for one in known]
    least = min(ends, default=np.inf)
    if least == np.inf or (upper is not None and least >= upper):
        return None
    return replace(known[ends.index(least)], method=METHOD)


def safe_horizon(instance: MakespanInstance) -> int:
    """Return a slot by which every non-delay schedule has ended, if it ever does.

    From the last release on, while jobs are left, one of them gets on: at least as fast as
    in its slowest place or, where that is not at all, by one iteration per slot.
    """
    last = max(int(job.release_slot) for job in instance.jobs)
    slots = [extreme.most_slots for extreme in extremes(instance)]
    return last + sum(
        ceil(job.iterations if need is None else need)
        for job, need in zip(instance.jobs, slots, strict=True)
    )


def _shortest(instance: MakespanInstance) -> Ints:
    """Return the least slots of every job."""
    needs = [extreme.least_slots for extreme in extremes(instance)]
    return np.array([int(need or 0) for need in needs], dtype=np.int64)


def _schedule(instance: MakespanInstance, tree: SearchTree) -> Schedule:
    placements = [
        [(s, int(count)) for s, count in enumerate(row) if count] for row in tree.best_pieces
    ]
    plan = make_plan([float(start) for start in tree.best_start], placements)
    return to_schedule(instance, plan, METHOD)


def searched_bound(value: Fraction, name: str, argument: str) -> Bound:
    """Return the bound of a search that found no schedule that ends before `value`."""
    kind, proof = BoundKind.SEARCHED, searched_steps("every schedule", value)
    return Bound(value=value, kind=kind, name=name, argument=argument, proof=proof)


def _outcome(
    instance: MakespanInstance,
    tree: SearchTree,
    schedule: Schedule | None,
    termination: TerminationReason,
    goal: Bound,
    no_idling: bool,
    *,
    complete: bool,
) -> Outcome:
    """Say what was found; if all was searched and nothing found, there is no schedule."""
    best = int(tree.tally[0]["best"])
    proved = termination is TerminationReason.DONE and not no_idling
    bound = goal
    if proved and best > goal.value:
        argument = f"enumeration found no schedule that ends before slot {best}"
        bound = searched_bound(Fraction(best), METHOD, argument)
    status, reason = SolutionStatus.NOTHING, ""
    if schedule is None and proved and complete:
        status, reason = SolutionStatus.INFEASIBLE, stuck(instance) or ""
    if schedule is not None:
        status = SolutionStatus.OPTIMAL if proved else SolutionStatus.FEASIBLE
    return Outcome(
        schedule=schedule,
        termination=termination,
        status=status,
        value=None if schedule is None else Fraction(best),
        bound=bound,
        nodes=int(tree.tally[0]["nodes"]),
        note=reason,
    )
