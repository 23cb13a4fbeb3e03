"""Durations of jobs: the least and greatest of each, and the durations in a plan.

The extremes also show which instances no engine here can run. A plan is flat arrays. A schedule has
names and exact numbers. Schedulers in plain Python run the same engine step by step.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from ...instances import Assignment, FluidLinks, MakespanInstance, RingJob, Schedule, digest
from ...instances.makespan import underway, unlike
from ...instances.regions import Regions
from ..events import end_job, start_job
from ..heaps import next_end, pop
from ..jit import entry, kernel
from ..model import (
    MOST_GROUPS,
    TICK,
    Floats,
    Ints,
    Model,
    groups,
    iteration_s,
    open_servers,
    parts,
    slots_needed,
    slowdown,
    speeds_of,
)
from ..progress import next_free, next_tick
from ..state import State, new_state


class Extremes(NamedTuple):
    """Seconds per iteration and slots for the whole job. Slots are None if it never ends.

    `fastest_s` is at most every attainable time, and attained unless oversubscribed links slow
    every placement. `slowest_s` is at least every attainable time.
    """

    fastest_s: Fraction
    slowest_s: Fraction
    least_slots: Fraction | None
    most_slots: Fraction | None


def best_extremes(instance: MakespanInstance) -> tuple[Extremes, ...]:
    """Return the extremes on servers with the widest uplink and GPUs of each job's best kind."""
    return extremes(instance) if unlike(instance) is None else extremes(instance, alike=True)


@lru_cache(maxsize=8)
def extremes(instance: MakespanInstance, *, alike: bool = False) -> tuple[Extremes, ...]:
    """Return the extremes of every job, in the order of the instance.

    `alike` is for `best_extremes`.
    """
    worst = worst_slowdown(instance)

    @cache
    def sizes_of(regions: Regions | None, gpu: str | None) -> tuple[int, ...]:
        own = open_servers(instance, regions, gpu)
        return tuple(sorted((one.gpus for one in own), reverse=True))

    @cache
    def tightest(
        gpus: int, regions: Regions | None, gpu: str | None
    ) -> list[tuple[int, int, Fraction]]:
        """Return where `gpus` may run fastest: servers, most GPUs on one, slowdown alone."""
        if gpus <= sizes_of(regions, gpu)[0]:
            return [(1, gpus, Fraction(1))]
        servers, found = open_servers(instance, regions, gpu), []
        for width in {Decimal(1)} if alike else {one.uplink for one in servers}:
            own = (one.gpus for one in servers if alike or one.uplink >= width)
            sizes = sorted(own, reverse=True)
            if sum(sizes) >= gpus:
                found.append((*spread_least(instance, tuple(sizes), gpus), 1 / Fraction(width)))
        return found

    def on(job: RingJob, gpu: str | None, speed: Decimal) -> tuple[Fraction, Fraction]:
        """Return the least and most seconds per iteration on a kind with enough GPUs."""
        terms, sizes = parts(instance, job, speed), sizes_of(job.allowed_regions, gpu)
        shapes = tightest(job.gpus, job.allowed_regions, gpu)
        fast = min(iteration_s(instance, terms, *shape) for shape in shapes)
        alone = iteration_s(instance, terms, 1, min(job.gpus, sizes[0]), Fraction(1))
        servers = min(job.gpus, len(sizes))
        most = min(job.gpus - 1, sizes[0])
        spread = iteration_s(instance, terms, servers, most, worst) if servers > 1 else alone
        return fast, max(alone, spread)

    def speeds(job: RingJob) -> dict[str | None, Decimal]:
        return {None: job.best_speed} if alike else speeds_of(kinds, job)

    found, kinds = [], instance.kinds
    for job in instance.jobs:
        ranges = [
            on(job, gpu, speed)
            for gpu, speed in speeds(job).items()
            if sum(sizes_of(job.allowed_regions, gpu)) >= job.gpus
        ]
        fast, slow = min(fast for fast, _ in ranges), max(slow for _, slow in ranges)
        needs = (slots_needed(instance, job, fast), slots_needed(instance, job, slow))
        found.append(Extremes(fast, slow, *needs))
    return tuple(found)


def spread_least(instance: MakespanInstance, sizes: tuple[int, ...], gpus: int) -> tuple[int, int]:
    """Return servers and most GPUs on one for a ring larger than every server."""
    if instance.overhead == "max_workers_per_server":
        level = next(c for c in range(1, sizes[0] + 1) if sum(min(z, c) for z in sizes) >= gpus)
        return 2, level
    servers, held = 0, 0
    while held < gpus:
        held += sizes[servers]
        servers += 1
    return servers, sizes[0]


def worst_slowdown(instance: MakespanInstance) -> Fraction:
    """Return the transfer slowdown when every GPU behind a link belongs to another ring."""
    model = instance.contention
    sizes = {server.name: server.gpus for server in instance.cluster.servers}
    uplinks = {server.name: Fraction(server.uplink) for server in instance.cluster.servers}
    if not isinstance(model, FluidLinks):
        share, degradation = Fraction(model.share), Fraction(model.degradation)
        most = {(sizes[name], width) for name, width in uplinks.items()}
        return max(slowdown(share, degradation, gpus) / width for gpus, width in most)
    rack = Fraction(model.leaf_oversubscription)
    found = max(sizes[name] / width for name, width in uplinks.items())
    spines: dict[str, tuple[int, Fraction]] = {}
    for leaf in model.leaves:
        gpus = sum(sizes[name] for name in leaf.servers)
        width = sum((uplinks[name] for name in leaf.servers), Fraction(0)) / rack
        found = max(found, gpus / width)
        below = spines.get(leaf.spine, (0, Fraction(0)))
        spines[leaf.spine] = (below[0] + gpus, below[1] + width)
    for gpus, width in spines.values():
        found = max(found, gpus * Fraction(model.spine_oversubscription) / width)
    return found


LONGEST, LONGEST_CONTINUOUS = 10**12, 10**7
"""Longer schedules, in slots, are refused: floats could not distinguish slots or ticks."""

MOST_GPUS = 4_000_000
"""Policies keep a record for each GPU, and each GPU that a job requests."""


def refusal(instance: MakespanInstance) -> str | None:
    """Return why `instance` cannot be scheduled or simulated, or None if it can."""
    return never_ends(instance) or next(_exceeded(instance), None)


def never_ends(instance: MakespanInstance) -> str | None:
    """Name a job that cannot finish even alone on its fastest servers, with the reason."""
    for job, extreme in zip(instance.jobs, extremes(instance), strict=True):
        if extreme.least_slots is None:
            seconds = float(extreme.fastest_s)
            return (
                f"job {job.name!r} does no iteration: its fastest takes {seconds:.6g} s, "
                f"a slot {instance.slot_s} s, and progress is 'floor'; "
                "lengthen slot_s or set progress to 'fractional'"
            )
    return None


def unsupported(instance: MakespanInstance) -> str | None:
    """Return why methods for servers that differ in size only refuse `instance`, or None."""
    if reason := unlike(instance):
        return f"{reason}, so use portfolio, local-search or a list scheduler"
    return never_ends(instance)


def unbegun(instance: MakespanInstance) -> str | None:
    """Return why methods for jobs that have not begun refuse `instance`, or None."""
    reason = underway(instance)
    return reason and f"{reason}, so use portfolio, local-search or a list scheduler"


def _exceeded(instance: MakespanInstance) -> Iterator[str]:
    """Yield the limits of the engine that an instance exceeds. Every job of it can end."""
    held = sum(server.gpus for server in instance.cluster.servers)
    asked = sum(job.gpus for job in instance.jobs)
    if max(held, asked) > MOST_GPUS:
        yield f"{held} GPUs or {asked} requested are more than {MOST_GPUS}, so split the instance"
    lists = len(groups(instance)) - 1
    if lists > MOST_GROUPS:
        kinds = " and kinds of GPUs" if len(instance.kinds) > 1 else ""
        yield (
            f"jobs have {lists} different lists of regions{kinds}, more than {MOST_GROUPS}, "
            "so join some"
        )
    continuous, bounds = instance.progress == "continuous", extremes(instance)
    total = float(max(job.release_slot for job in instance.jobs)) + sum(
        float(extreme.most_slots or job.iterations)
        for job, extreme in zip(instance.jobs, bounds, strict=True)
    )
    longest = LONGEST_CONTINUOUS if continuous else LONGEST
    if total > longest:
        yield f"its jobs may take {total:.3g} slots, more than {longest:.0e}, so lengthen slot_s"
    least = min(float(extreme.least_slots or 1) for extreme in bounds)
    if continuous and least < 1000 * TICK:
        yield (
            f"a job takes only {least:.3g} slots, and in continuous time jobs start at multiples "
            f"of {TICK:g} slots, so shorten slot_s"
        )


class PlacedStarts(NamedTuple):
    """Starts and pieces: job j has ``pieces[first[j]:first[j+1]]`` on the same `servers`."""

    start: Floats
    first: Ints
    servers: Ints
    pieces: Ints


class HeldPieces(NamedTuple):
    """The GPUs of started jobs: job j holds the pieces ``begin[j] .. stop[j] - 1``."""

    begin: Ints
    stop: Ints
    servers: Ints
    pieces: Ints


class Result(NamedTuple):
    """Ends of all jobs (infinite if never), the makespan, and the deepest overbooking."""

    end: Floats
    makespan: float
    excess: int


@entry
def evaluate(model: Model, plan: PlacedStarts) -> Result:
    """Run `plan` through contention and progress.

    An infeasible plan is allowed, and `excess` reports it.
    """
    state = new_state(model, plan.servers.size)
    end = np.empty(plan.start.size)
    excess = _run(model, state, plan, np.argsort(plan.start), end)
    return Result(end, end.max(), excess)


@kernel
def _run(model: Model, state: State, plan: PlacedStarts, order: Ints, end: Floats) -> int:
    excess = 0
    for job in order:
        now = plan.start[job]
        while next_end(state) <= now:
            _end_first(model, state, plan)
        a, b = plan.first[job], plan.first[job + 1]
        start_job(model, state, job, plan.servers, plan.pieces, a, b, now)
        for i in range(a, b):
            excess = max(excess, -state.loads[plan.servers[i]].free)
    while next_end(state) < np.inf:
        _end_first(model, state, plan)
    for j in range(end.size):
        end[j] = state.runs[j].end
    return excess


@kernel
def _end_first(model: Model, state: State, plan: PlacedStarts) -> None:
    job = pop(state)
    a, b = plan.first[job], plan.first[job + 1]
    end_job(model, state, job, plan.servers, plan.pieces, a, b)


@entry
def new_holds(model: Model, room: int) -> HeldPieces:
    """Return room for so many pieces of all jobs."""
    begin, stop = np.zeros(model.jobs.size, np.int64), np.zeros(model.jobs.size, np.int64)
    return HeldPieces(begin, stop, np.empty(room, np.int64), np.empty(room, np.int64))


@entry
def gather(state: State, holds: HeldPieces) -> PlacedStarts:
    """Return the started jobs as a plan."""
    begin, stop, jobs = holds.begin, holds.stop, holds.begin.size
    start, first = np.empty(jobs), np.zeros(jobs + 1, np.int64)
    for j in range(jobs):
        start[j] = state.runs[j].start
        first[j + 1] = first[j] + stop[j] - begin[j]
    own_servers, own_pieces = np.empty(first[jobs], np.int64), np.empty(first[jobs], np.int64)
    for j in range(jobs):
        for i in range(stop[j] - begin[j]):
            own_servers[first[j] + i] = holds.servers[begin[j] + i]
            own_pieces[first[j] + i] = holds.pieces[begin[j] + i]
    return PlacedStarts(start, first, own_servers, own_pieces)


EXACT_TICK = Decimal("1e-6")
"""`TICK` as an exact number."""


def to_plan(instance: MakespanInstance, schedule: Schedule) -> PlacedStarts:
    """Turn a schedule with one assignment for each job into arrays."""
    server_index = {server.name: s for s, server in enumerate(instance.cluster.servers)}
    given = {item.job: item for item in schedule.assignments}
    ordered = [given[job.name] for job in instance.jobs]
    placements = [[(server_index[name], count) for name, count in item.gpus] for item in ordered]
    return make_plan([float(item.start_slot) for item in ordered], placements)


def make_plan(
    starts: Sequence[float], placements: Sequence[Iterable[tuple[int, int]]]
) -> PlacedStarts:
    """Pack starts and (server, GPUs) pairs into arrays."""
    lists = [list(pairs) for pairs in placements]
    first = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(pairs) for pairs in lists], out=first[1:])
    flat = np.array([pair for pairs in lists for pair in pairs], dtype=np.int64).reshape(-1, 2)
    return PlacedStarts(
        np.asarray(starts, dtype=np.float64), first, flat[:, 0].copy(), flat[:, 1].copy()
    )


def begun(instance: MakespanInstance) -> PlacedStarts:
    """Return where jobs are that hold GPUs at slot 0. Others have no pieces."""
    numbers = {server.name: s for s, server in enumerate(instance.cluster.servers)}
    pieces = [[(numbers[name], n) for name, n in job.held or ()] for job in instance.jobs]
    return make_plan([0.0] * len(pieces), pieces)


def to_schedule(instance: MakespanInstance, plan: PlacedStarts, method: str) -> Schedule:
    """Turn arrays into a schedule. The judge adds the exact ends."""
    names = [server.name for server in instance.cluster.servers]
    bounds = plan.first.tolist()
    servers, pieces = plan.servers.tolist(), plan.pieces.tolist()
    assignments = []
    for j, job in enumerate(instance.jobs):
        own = range(bounds[j], bounds[j + 1])
        gpus = tuple(sorted((names[servers[k]], pieces[k]) for k in own))
        start = exact_start(instance, float(plan.start[j]))
        assignments.append(Assignment(job=job.name, start_slot=start, gpus=gpus))
    return Schedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        assignments=tuple(assignments),
    )


def exact_start(instance: MakespanInstance, start: float) -> Decimal:
    """Return a start as the decimal that a schedule file holds."""
    if instance.progress != "continuous":
        return Decimal(round(start))
    return Decimal(round(start / TICK)) * EXACT_TICK


_NEXT_FREE = entry(next_free)


class MakespanSteps:
    """Jobs that start on request, and end when their work is done."""

    def __init__(self, model: Model) -> None:
        """Begin with an idle cluster."""
        room = int(np.minimum(model.jobs["gpus"], model.servers).sum())
        self._model, self._state = model, new_state(model, room)
        self._holds, self._used = new_holds(model, room), 0
        self._ended: Ints = np.empty(model.jobs.size, np.int64)
        self.alone: list[float] = model.jobs["alone"].tolist()
        """Slots that each job takes inside one server."""
        self.release: list[float] = _releases(model).tolist()
        """When each job may start."""

    def next_end(self) -> float:
        """Return when GPUs are given back next, or infinity without a running job."""
        return float(_NEXT_FREE(self._model, self._state))

    def go_to(self, now: float) -> list[int]:
        """Let all jobs end that are due by `now`, and return them."""
        count = _end_until(self._model, self._state, self._holds, now, self._ended)
        return [int(job) for job in self._ended[:count]]

    def start(self, job: int, pieces: Iterable[tuple[int, int]], now: float) -> None:
        """Start a job on (server, GPUs) that are idle."""
        holds, a = self._holds, self._used
        for server, count in pieces:
            holds.servers[self._used], holds.pieces[self._used] = server, count
            self._used += 1
        holds.begin[job], holds.stop[job] = a, self._used
        _start(self._model, self._state, holds, job, now)


@entry
def _releases(model: Model) -> np.ndarray:
    found = np.empty(model.jobs.size)
    for j in range(found.size):
        found[j] = next_tick(model, model.jobs[j].release)
    return found


@entry
def _start(model: Model, state: State, holds: HeldPieces, job: int, now: float) -> None:
    a, b = holds.begin[job], holds.stop[job]
    start_job(model, state, job, holds.servers, holds.pieces, a, b, now)


@entry
def _end_until(model: Model, state: State, holds: HeldPieces, now: float, ended: Ints) -> int:
    count = 0
    while next_free(model, state) <= now:
        job = pop(state)
        end_job(model, state, job, holds.servers, holds.pieces, holds.begin[job], holds.stop[job])
        ended[count] = job
        count += 1
    return count
