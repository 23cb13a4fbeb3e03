"""Schedules from linear relaxations that are rounded: orders of jobs, or servers for jobs.

Orders: alpha-points of a time-indexed relaxation, the best over alpha, or midpoints, the mean busy
time of each job. List scheduling turns an order into a schedule.

Servers: an assignment program, whose machines are the servers. A job goes to one server that holds
it. On a server of O GPUs it takes w p / O of the time, for its w GPUs and its least p slots. A ring
larger than every server goes to several, GPU by GPU, p / O each. The jobs are then list-scheduled
on the chosen servers, in three orders (`gang_lpt`), among them the widest first. Shares are rounded
by two methods. Docs/theory/lp-rounding.md has the proofs:

- Raghavan and Thompson: servers are sampled by the shares, several times. Loads keep their bound
  with the wanted probability (`rounding/assignment.py`). If no ring is larger than every server,
  the makespan is at most twice the largest load, or the longest job.
- Lenstra, Shmoys and Tardos: no server gets more than the least limit and one additional job. If
  every job fits into every server, the makespan is at most 4 O / (O + 1) times the least, for
  servers of at most O GPUs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, Literal, NamedTuple

import numpy as np

from ...formulations.makespan.fractional import assignment_program, pooled_starts, shares_of
from ...formulations.program import Floats, Solution, too_many
from ...instances import Limits, MakespanInstance, Outcome, SolutionStatus, TerminationReason
from ...instances.makespan import unlike
from ...instances.reading.vocabulary import Count, Fraction01
from ...policies.makespan.gang_lpt import priorities
from ...policies.makespan.incumbent import NEVER, BestPlan
from ...policies.request import NoOptions, Request, Scheduler
from ...rounding.assignment import (
    alpha_points,
    alphas,
    midpoints,
    round_by_chance,
    round_by_slots,
    worked,
)
from ...simulation import Model, PlacedStarts, build_model
from ...simulation.makespan.evaluate import begun, gather, unsupported
from ...simulation.model import Ints, open_to
from ..built import solve_relaxed
from .annealing.list_schedule import list_schedule, new_scratch, with_given
from .annealing.placement_rules import EAGER, rule_of, spreading
from .bounds.counting import best_bound, tasks_of

EVERYWHERE = rule_of(3, eager=EAGER)
"""The rule by which a job starts wherever enough GPUs are idle."""

MOST_COLUMNS = 1_000_000
"""Programs with more starts take minutes."""

Of = Literal["starts", "work"]
Listing = Callable[[Floats], Iterable[Floats]]
"""Maps shares to lists of moments of the jobs. The earliest job comes first."""


def best_listed(
    instance: MakespanInstance,
    limits: Limits,
    method: str,
    slots: int,
    of: Of,
    listing: Listing,
) -> Outcome:
    """Return the best schedule of all lists that shares give."""
    found = shares(instance, limits, slots, of)
    if isinstance(found, Solution):
        return _unsolved(found)
    return best_of_lists(instance, limits, method, listing(found))


def best_of_lists(
    instance: MakespanInstance, limits: Limits, method: str, lists: Iterable[Floats]
) -> Outcome:
    """Return the best schedule of some lists of moments, under all rules for rings."""
    gpus = np.array([job.gpus for job in instance.jobs])
    least = np.array([float(task.slots) for task in tasks_of(instance)])
    best, model = BestPlan(instance, limits, method), build_model(instance)
    scratch, rules = new_scratch(model, least), _rules(instance)
    scratch = with_given(scratch, begun(instance), 0.0)
    for points in lists:
        order = np.lexsort((-least, -gpus, points))
        for rule in rules:
            makespan = list_schedule(model, scratch, order, rule, 0.0, np.inf)
            if makespan < best.makespan:
                best.offer(gather(scratch.state, scratch.lists.holds), makespan)
            if limits.over():
                return best.outcome(TerminationReason.TIME_LIMIT, NEVER)
    return best.outcome(TerminationReason.DONE, NEVER)


def _unsolved(program: Solution) -> Outcome:
    """Return the outcome where a relaxation has no point."""
    return Outcome(
        schedule=None,
        termination=program.termination,
        status=SolutionStatus.NOTHING,
        note=program.note,
    )


def _rules(instance: MakespanInstance) -> list[Ints]:
    """Return every rule, the same for all jobs. `EVERYWHERE` comes first."""
    rules = [rule + eager for rule in spreading(instance) for eager in (EAGER, 0)]
    rules.sort(key=lambda rule: rule != EVERYWHERE)
    return [np.full(len(instance.jobs), rule) for rule in rules]


def shares(
    instance: MakespanInstance, limits: Limits, slots: int, of: Of = "starts"
) -> Floats | Solution:
    """Return the fraction of each job started, or worked, in each slot, or the failure."""
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


MOST = 100
"""Values of alpha that are tried at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaOptions:
    """Options of the relaxation and of its alpha-points."""

    alpha: Annotated[
        Fraction01 | None,
        "fraction of a job; null: each fraction that a job reaches at a slot's end, at most 100",
    ] = None
    of: Annotated[Of, "fraction started, or fraction worked"] = "starts"
    slots: Annotated[Count, "most slots that the time up to the bound is divided into"] = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class MidpointOptions:
    """Options of the relaxation and of its midpoints."""

    of: Annotated[Of, "mean start, or mean time of work"] = "work"
    slots: Annotated[Count, "most slots that the time up to the bound is divided into"] = 150


def refuses_starts(
    instance: MakespanInstance, options: AlphaOptions | MidpointOptions
) -> str | None:
    """Return why the time-indexed relaxation would be too large, or None if it is not."""
    if unlike(instance):
        return unsupported(instance)
    size = len(instance.jobs) * options.slots
    return too_many(size, MOST_COLUMNS, "starts", "give fewer slots")


def run_alpha_points(instance: MakespanInstance, request: Request[AlphaOptions]) -> Outcome:
    """Return the best schedule over alpha and the rules for rings (deterministic)."""
    options = request.options

    def listing(shares: Floats) -> Iterator[Floats]:
        tried = alphas(shares, MOST) if options.alpha is None else [float(options.alpha)]
        return (alpha_points(shares, alpha) for alpha in tried)

    return best_listed(instance, request.limits, "alpha-points", options.slots, options.of, listing)


def run_midpoints(instance: MakespanInstance, request: Request[MidpointOptions]) -> Outcome:
    """Return the best schedule over the rules for rings (deterministic)."""
    return best_listed(
        instance,
        request.limits,
        "midpoints",
        request.options.slots,
        request.options.of,
        lambda shares: [midpoints(shares)],
    )


ALPHA_POINTS = Scheduler(run=run_alpha_points, Options=AlphaOptions, refuses=refuses_starts)
MIDPOINTS = Scheduler(run=run_midpoints, Options=MidpointOptions, refuses=refuses_starts)


def dispatch_assigned(model: Model, order: Ints, gpus: Ints) -> tuple[PlacedStarts, float]:
    """Return the plan and its makespan. `gpus` has a row for each job, a column for each server.

    At every end or release, jobs are examined in their order. A job starts once its servers have
    the GPUs assigned to it there.
    """
    jobs, servers = np.nonzero(gpus)
    first = np.searchsorted(jobs, np.arange(len(gpus) + 1))
    pieces = np.ascontiguousarray(gpus[jobs, servers])
    scratch = new_scratch(model, np.zeros(len(gpus)))
    given = PlacedStarts(scratch.release, first, servers, pieces)
    rules = np.zeros(len(gpus), np.int64)
    makespan = list_schedule(model, with_given(scratch, given, 0.0), order, rules, 0.0, np.inf)
    start = scratch.state.runs["start"].copy()
    return PlacedStarts(start, first, servers, pieces), float(makespan)


MOST_PAIRS = 1_000_000
"""Programs with more pairs of job and server take minutes."""


class Machines(NamedTuple):
    """Units of each job, and for each machine the most units of a job and the load per unit."""

    units: Ints
    most: Ints
    work: Floats


class Shares(NamedTuple):
    """A point of the assignment program, and the limit that its loads and works keep."""

    shares: Floats
    limit: float


Rounding = Callable[[Floats, Floats], Iterable[Ints]]
"""Given shares and work, whole units once or more often."""


def refuses_pairs(instance: MakespanInstance, _: "NoOptions | RaghavanOptions") -> str | None:
    """Return why the assignment program would be too large, or None if it is not."""
    if unlike(instance):
        return unsupported(instance)
    pairs = len(instance.jobs) * len(instance.cluster.servers)
    return too_many(pairs, MOST_PAIRS, "pairs of job and server")


def best_rounded(
    instance: MakespanInstance, limits: Limits, method: str, rounding: Rounding
) -> Outcome:
    """Return the best schedule of all roundings of the point with the least limit."""
    machines = servers_as_machines(instance)
    found = least_shares(machines, limits)
    if isinstance(found, Solution):
        return _unsolved(found)
    best, model = BestPlan(instance, limits, method), build_model(instance)
    waits = _held_pieces(instance).sum(axis=1) == 0
    # Jobs that hold GPUs at slot 0 come first.
    orders = [order[np.argsort(waits[order], kind="stable")] for order in priorities(instance)]
    a_unit = np.array([job.gpus for job in instance.jobs]) // machines.units
    for rounded in rounding(found.shares, machines.work):
        for order in orders:
            best.offer(*dispatch_assigned(model, order, rounded * a_unit[:, None]))
        if limits.over():
            return best.outcome(TerminationReason.TIME_LIMIT, NEVER)
    return best.outcome(TerminationReason.DONE, NEVER)


def servers_as_machines(instance: MakespanInstance) -> Machines:
    """Return the servers as machines. A job that fits into one is one unit, else each GPU is.

    Of a job that holds GPUs at slot 0, every server takes exactly what it holds there.
    """
    sizes = np.array([server.gpus for server in instance.cluster.servers])
    gpus = np.array([job.gpus for job in instance.jobs])
    slots = np.array([float(task.slots) for task in tasks_of(instance)])
    model = build_model(instance)
    room = np.where(open_to(model)[model.jobs["group"]], sizes, 0)
    held = _held_pieces(instance)
    waits = held.sum(axis=1) == 0
    inside = waits & (gpus <= room.max(axis=1))
    units = np.where(inside, 1, gpus)
    most = np.where(inside[:, None], gpus[:, None] <= room, np.where(waits[:, None], room, held))
    return Machines(units, most, (slots * gpus / units)[:, None] / sizes)


def _held_pieces(instance: MakespanInstance) -> Ints:
    """Return the GPUs that each job, a row, holds on each server at slot 0."""
    held = begun(instance)
    found = np.zeros((len(instance.jobs), len(instance.cluster.servers)), np.int64)
    found[np.repeat(np.arange(len(found)), np.diff(held.first)), held.servers] = held.pieces
    return found


def least_shares(machines: Machines, limits: Limits) -> Shares | Solution:
    """Return shares with the least limit on both loads and works, or the failed solution.

    The more work per unit is admitted, the smaller the largest load. The limit is least about where
    the two meet.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RaghavanOptions:
    """Options of the sampling."""

    samples: Annotated[Count, "assignments sampled; each is scheduled in three orders"] = 100


def run_raghavan_thompson(instance: MakespanInstance, request: Request[RaghavanOptions]) -> Outcome:
    """Return the best schedule of all sampled assignments."""
    return best_rounded(
        instance,
        request.limits,
        "raghavan-thompson",
        lambda shares, _: (
            round_by_chance(shares, request.rng) for _ in range(request.options.samples)
        ),
    )


def run_lenstra_shmoys_tardos(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best of three schedules (deterministic)."""
    return best_rounded(
        instance,
        request.limits,
        "lenstra-shmoys-tardos",
        lambda shares, work: [round_by_slots(shares, work)],
    )


RAGHAVAN_THOMPSON = Scheduler(
    run=run_raghavan_thompson, Options=RaghavanOptions, refuses=refuses_pairs
)
LENSTRA_SHMOYS_TARDOS = Scheduler(run=run_lenstra_shmoys_tardos, refuses=refuses_pairs)
