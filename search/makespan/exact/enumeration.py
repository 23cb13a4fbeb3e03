"""Enumeration: try every schedule of a tiny instance in slotted time, idling included.

An oracle for other exact methods. It relies on three facts only. A start changes nothing before its
slot. It can only delay running jobs, or, under fair sharing, no job exceeds its full rate. Swapping
equal jobs or twin servers changes no makespan.

Kernels walk the tree of all schedules depth first. A node is a slot and the jobs started until
then, in order of start. Its children start one more job there, on each choice of GPUs, or wait for
the next slot. Later starts cannot change ends up to the node's slot, and only delay running jobs.
That gives a lower bound for all schedules below the node.

Two servers are twins, at a node, if they have equally many GPUs, are under the same leaf, are open
to the same jobs and hold the same pieces of running jobs. Of two choices that differ by swapping
twins one is left out, as is one of two schedules that differ by swapping equal jobs.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from ....instances import (
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
from ....instances.certificate import searched_steps
from ....policies.makespan import gang_lpt
from ....policies.request import NO_OPTIONS, NoOptions, Request
from ....simulation import build_model, evaluate, make_plan, to_plan, to_schedule
from ....simulation.events import end_job, start_job
from ....simulation.heaps import next_end, pop
from ....simulation.jit import entry, kernel, record
from ....simulation.makespan.alone import stuck
from ....simulation.makespan.evaluate import PlacedStarts, begun, extremes, unsupported
from ....simulation.model import FLUID, Ints, Model, Records, may_use
from ....simulation.progress import earliest_end
from ....simulation.state import State, new_state
from ..bounds.counting import best_bound
from .symmetry import equal_before, place_first, place_next

TREE_TALLY = record("depth nodes best goal dense root")
"""Jobs started, nodes visited, the least makespan known, one that cannot be beaten, whether no job
may wait if enough GPUs are idle, and the jobs that hold GPUs at slot 0: the depth of the root."""


class SearchTree(NamedTuple):
    """The path to the current node, and the best schedule found.

    At depth d the path starts `job[d]` (-1 before the first choice) at slot `now[d]` with
    ``pieces[d, s]`` GPUs on server s. Of the ``free[d, s]`` idle GPUs there, ``room[d, s]`` are
    open to the job. ``twin[d, s]`` is the next twin before s, or -1. ``servers[d, :width[d]]`` and
    `counts` list the pieces for the engine, flattened. `shortest` and `equal` belong to the jobs:
    least slots, and an equal job that must start before, or -1.
    """

    shortest: Ints
    equal: Ints
    taken: Ints
    job: Ints
    now: Ints
    pieces: Ints
    free: Ints
    room: Ints
    twin: Ints
    servers: Ints
    counts: Ints
    width: Ints
    best_start: Ints
    best_pieces: Ints
    tally: Records


def new_tree(
    model: Model, shortest: Ints, equal: Ints, below: int, goal: int, held: PlacedStarts
) -> SearchTree:
    """Return the tree before its root. Makespans must be under `below`, `goal` is enough.

    Every path begins with the jobs that have pieces in `held`, at slot 0.
    """
    jobs, servers = model.jobs.size, model.servers
    now = np.zeros(jobs + 1, np.int64)
    tree = SearchTree(
        shortest=shortest,
        equal=equal,
        taken=np.zeros(jobs, np.int64),
        job=np.full(jobs + 1, -1),
        now=now,
        pieces=np.zeros((jobs + 1, servers), np.int64),
        free=np.zeros((jobs + 1, servers), np.int64),
        room=np.zeros((jobs + 1, servers), np.int64),
        twin=np.full((jobs + 1, servers), -1),
        servers=np.zeros(jobs * servers, np.int64),
        counts=np.zeros(jobs * servers, np.int64),
        width=np.zeros(jobs, np.int64),
        best_start=np.full(jobs, -1),
        best_pieces=np.zeros((jobs, servers), np.int64),
        tally=np.array([(0, 0, below, goal, 0, 0)], TREE_TALLY),
    )
    for job in np.flatnonzero(np.diff(held.first)):
        root = int(tree.tally[0]["depth"])
        own = slice(held.first[job], held.first[job + 1])
        tree.job[root], tree.pieces[root, held.servers[own]] = job, held.pieces[own]
        _go_down(model, tree, root)
    tree.tally["root"] = tree.tally["depth"]
    tree.now[tree.tally["root"]] = -1
    return tree


@entry
def explore(model: Model, tree: SearchTree, nodes: int) -> bool:
    """Visit up to `nodes` more nodes, and return True if the search is over."""
    tally, jobs = tree.tally[0], model.jobs.size
    last = tally.nodes + nodes
    while tally.nodes < last and tally.best > tally.goal:
        if not _start_next(model, tree):
            if not _may_wait(model, tree):
                if not _back(tree):
                    return True
                continue
            tree.now[tally.depth] += 1
            tree.job[tally.depth] = -1
        tally.nodes += 1
        least = _look(model, new_state(model, tree.servers.size), tree)
        complete = tally.depth == jobs
        if complete and least < tally.best:
            _record(model, tree, int(least))
        if (complete or least >= tally.best) and not _back(tree):
            return True
    return bool(tally.best <= tally.goal)


@kernel
def _start_next(model: Model, tree: SearchTree) -> bool:
    """Start one more job in this slot, in the next placement, and return False if none is left."""
    d = tree.tally[0].depth
    if tree.job[d] >= 0 and place_next(tree.pieces[d], tree.room[d], tree.twin[d]):
        _go_down(model, tree, d)
        return True
    first = tree.job[d] + 1
    if d > tree.tally[0].root and tree.now[d] == tree.now[d - 1]:
        first = max(first, tree.job[d - 1] + 1)
    for j in range(first, model.jobs.size):
        if tree.taken[j] or model.jobs[j].release > tree.now[d]:
            continue
        if tree.equal[j] >= 0 and not tree.taken[tree.equal[j]]:
            continue
        tree.job[d] = j
        for s in range(model.servers):
            tree.room[d, s] = tree.free[d, s] if may_use(model, j, s) else 0
        if place_first(tree.pieces[d], tree.room[d], tree.twin[d], 0, model.jobs[j].gpus):
            _go_down(model, tree, d)
            return True
    return False


@kernel
def _go_down(model: Model, tree: SearchTree, d: int) -> None:
    tree.taken[tree.job[d]] = 1
    at = d * model.servers
    tree.width[d] = 0
    for s in range(model.servers):
        if tree.pieces[d, s] > 0:
            tree.servers[at + tree.width[d]] = s
            tree.counts[at + tree.width[d]] = tree.pieces[d, s]
            tree.width[d] += 1
    tree.tally[0].depth = d + 1
    tree.now[d + 1] = tree.now[d]
    tree.job[d + 1] = -1


@kernel
def _back(tree: SearchTree) -> bool:
    """Go up and undo the job started there, and return False at the root."""
    d = tree.tally[0].depth
    if d == tree.tally[0].root:
        return False
    tree.tally[0].depth = d - 1
    tree.taken[tree.job[d - 1]] = 0
    return True


@kernel
def _may_wait(model: Model, tree: SearchTree) -> bool:
    """Return True if the next slot may come before another start."""
    if not tree.tally[0].dense:
        return True
    d = tree.tally[0].depth
    for j in range(model.jobs.size):
        released, idle = model.jobs[j].release <= tree.now[d], 0
        for s in range(model.servers):
            idle += tree.free[d, s] if may_use(model, j, s) else 0
        if not tree.taken[j] and released and model.jobs[j].gpus <= idle:
            return False
    return True


@kernel
def _look(model: Model, state: State, tree: SearchTree) -> float:
    """Record the idle GPUs at the node, and return a lower bound on every makespan behind it."""
    d = tree.tally[0].depth
    now = tree.now[d]
    for k in range(d):
        _end_until(model, state, tree, tree.now[k])
        a = k * model.servers
        b = a + tree.width[k]
        start_job(model, state, tree.job[k], tree.servers, tree.counts, a, b, tree.now[k])
    _end_until(model, state, tree, now)
    for s in range(model.servers):
        tree.free[d, s] = state.loads[s].free
    _find_twins(model, state, tree)
    if model.contention == FLUID and d < model.jobs.size:
        _hurry(model, state, tree, now)
    else:
        _end_until(model, state, tree, np.inf)
    return _least(model, state, tree, now)


@kernel
def _end_until(model: Model, state: State, tree: SearchTree, now: float) -> None:
    while next_end(state) <= now and next_end(state) < np.inf:
        job = pop(state)
        for k in range(tree.tally[0].depth):
            if tree.job[k] == job:
                a = k * model.servers
                end_job(model, state, job, tree.servers, tree.counts, a, a + tree.width[k])


@kernel
def _find_twins(model: Model, state: State, tree: SearchTree) -> None:
    d = tree.tally[0].depth
    for s in range(model.servers):
        tree.twin[d, s] = -1
        for r in range(s):
            here, there = model.links[s], model.links[r]
            alike = here.gpus == there.gpus and here.leaf == there.leaf and here.open == there.open
            for k in range(d):
                running = state.runs[tree.job[k]].end == np.inf
                if running and tree.pieces[k, s] != tree.pieces[k, r]:
                    alike = False
            if alike:
                tree.twin[d, s] = r


@kernel
def _hurry(model: Model, state: State, tree: SearchTree, now: float) -> None:
    """Let all rings run at full rate from now on.

    Under fair sharing a further ring can speed up another one, by holding back a third. Hence the
    started jobs alone give no bound.
    """
    for k in range(tree.tally[0].depth):
        run = state.runs[tree.job[k]]
        if run.end == np.inf:
            ring = run.crossings > 0
            run.end = earliest_end(model, state, tree.job[k], now) if ring else run.due


@kernel
def _least(model: Model, state: State, tree: SearchTree, now: float) -> float:
    """Return the latest end that is certain, or the end of the work if no GPU idles."""
    least, work, total = 0.0, 0.0, 0
    for j in range(model.jobs.size):
        if tree.taken[j]:
            end = state.runs[j].end
            work += model.jobs[j].gpus * max(0.0, end - now)
        else:
            end = max(now, model.jobs[j].release) + tree.shortest[j]
            work += model.jobs[j].gpus * tree.shortest[j]
        least = max(least, end)
    for s in range(model.servers):
        total += model.links[s].gpus
    return float(max(least, now + np.ceil(work / total)))


@kernel
def _record(model: Model, tree: SearchTree, makespan: int) -> None:
    tree.tally[0].best = makespan
    for k in range(model.jobs.size):
        tree.best_start[tree.job[k]] = tree.now[k]
        for s in range(model.servers):
            tree.best_pieces[tree.job[k], s] = tree.pieces[k, s]


METHOD = "enumeration"

MOST_JOBS, MOST_GPUS = 8, 32
"""Larger instances are refused: the tree would have no end in sight."""

STRIDE = 20_000
"""Nodes visited between two looks at the clock."""


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why `instance` cannot be enumerated, or None if it can."""
    if reason := unsupported(instance):
        return reason
    if instance.progress == "continuous":
        return "enumeration needs slots: continuous starts cannot be enumerated"
    if len(instance.jobs) > MOST_JOBS:
        return (
            f"enumeration supports at most {MOST_JOBS} jobs; this instance has {len(instance.jobs)}"
        )
    gpus = sum(server.gpus for server in instance.cluster.servers)
    if gpus > MOST_GPUS:
        return f"enumeration supports at most {MOST_GPUS} GPUs; this cluster has {gpus}"
    return None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return a schedule of the least makespan (deterministic)."""
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

    With `upper` only schedules that end before that slot are considered. Finding none proves
    `upper` a lower bound. With `no_idling` only non-delay schedules are considered: in no slot does
    a released job wait although enough GPUs, on whatever servers, are idle. The bound is that of
    the restricted problem then. Under `floor` progress there may be no schedule, because all of
    them stall forever. With `nodes` it stops after about that many. `start` is a valid schedule to
    beat.
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
    shortest = np.array([int(one.least_slots or 0) for one in extremes(instance)], dtype=np.int64)
    tree = new_tree(model, shortest, equal, below, int(goal.value), begun(instance))
    tree.tally[0]["dense"] = no_idling
    done = False
    while not done:
        done, termination = explore(model, tree, STRIDE), TerminationReason.DONE
        if tree.tally[0]["best"] < below:
            below = int(tree.tally[0]["best"])
            limits.report(Incumbent(schedule=_schedule(instance, tree), value=float(below)))
        if not done and limits.over():
            termination = TerminationReason.TIME_LIMIT
            break
        if not done and nodes is not None and tree.tally[0]["nodes"] >= nodes:
            termination = TerminationReason.WORK_LIMIT
            break
    schedule = _schedule(instance, tree) if tree.best_start[0] >= 0 else known
    best, proved = int(tree.tally[0]["best"]), not no_idling and done
    status, note, bound = SolutionStatus.NOTHING, "", goal
    if proved and best > goal.value:
        argument = f"enumeration found no schedule that ends before slot {best}"
        bound = searched_bound(Fraction(best), METHOD, argument)
    if schedule is not None:
        status = SolutionStatus.OPTIMAL if proved else SolutionStatus.FEASIBLE
    elif proved and upper is None:
        status, note = SolutionStatus.INFEASIBLE, stuck(instance) or ""
    return Outcome(
        schedule=schedule,
        termination=termination,
        status=status,
        value=None if schedule is None else Fraction(best),
        bound=bound,
        nodes=int(tree.tally[0]["nodes"]),
        note=note,
    )


def _first_guess(
    instance: MakespanInstance, limits: Limits, upper: int | None, start: Schedule | None
) -> Schedule | None:
    """Return a schedule by gang LPT, or the start if that is better, or None if it is too late."""
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
