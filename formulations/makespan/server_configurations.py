"""A relaxation over single servers: the pieces of rings on each, and the number of rings.

Source: Ringyard, after Gilmore and Gomory's cutting stock. `docs/theory/makespan-bounds-lp.md`
proves it, and `server_bound` solves its linear relaxation by column generation, in exact fractions.

A spread ring is cut into pieces, one for each of its servers. A server is *calm* while its
pieces do not slow one another down, that is, while there are at most q = floor(1/xi_1) of them
(7), else *crowded*. A ring is calm in a slot if all its servers are. A crowded one is given the
rate it would have among q + 1 rings, which is no less than its own.

Data: w_j GPUs and d_j least slots of job j, N_k servers of k GPUs. A configuration c of a server is
a multiset of jobs inside it and of pieces, of k GPUs at most. A mode m of a job is how it is cut:
pieces that sum to w_j, with its units u of overhead. A run r of a job is either d_j slots inside
one server, or units u with as many slots in calm modes as in crowded ones, l = 0, 1, as are just
enough for all iterations.

Variables
    run[j, r] in {0, 1}: job j has run r
    cut[j, m, l] in {0, 1, ...}: slots in which j is cut so, calm or crowded
    slots[k, c] in {0, 1, ...}: slots that servers of k GPUs spend in configuration c
    makespan_slots in [0, H]: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_r run[j, r] = 1
    completes[j, u, l] (9): sum_(m of u) cut[j, m, l] >= sum_(r of u) (slots of l in r) run[j, r]
    jobs_inside[w]: sum_(k,c) (jobs of w in c) slots[k, c] >= sum_(w_j = w) d_j run[j, inside]
    all_pieces[g]: sum_(k,c) (pieces of g in c) slots[k, c]
        >= sum_(j,m,l) (pieces of g in m) cut[j, m, l]
    calm_pieces[g]: the same over calm configurations and l = 0 only
    makespan[k]: N_k makespan_slots >= sum_c slots[k, c]

By construction
    gang: the pieces of a mode sum to w_j (1)
    capacity: and the pieces of a configuration to k at most (2)

Left out
    held: a job that holds GPUs at slot 0 may start later, or elsewhere
    release: any slot may be used
    one_kind: instances with kinds of GPUs are refused
    regions: instances whose jobs are bound to some are refused
    no_preemption: slots have no order
    no_migration: servers of one size have no names, and a job may be cut differently in every slot

Size: configurations and modes are listed for tiny instances only. |J| (1 + 2 units) rows, two for
each size of a piece, and one for each size of a job and of a server.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice
from math import ceil
from typing import Any, NamedTuple

import pyomo.environ as pyo

from ...instances import MakespanInstance, RingJob, Schedule
from .data import ProgramData, data_of, refuses_slots
from .rates import calm_rings, two_rates, units_of
from .server_bound import server_bound
from .timetable import JobSlots, courses, roomy_data, schedule_of, starts_in_turn

__all__ = ["build", "read", "refuses", "server_bound", "write"]


Sizes = tuple[int, ...]
"""GPUs of pieces, or of jobs, in descending order."""

INSIDE = 0
"""Stands for units of overhead in a run inside one server."""


class Contents(NamedTuple):
    """The contents of a server in a configuration: jobs inside it, and pieces of rings."""

    inside: Sizes
    pieces: Sizes


class UnitSlots(NamedTuple):
    """Calm and crowded slots of a job with `units` units. Inside one server all are calm."""

    units: int
    slots: tuple[int, int]


def cuts(data: ProgramData, gpus: int) -> Iterator[Sizes]:
    """Yield the cuts of a job into two pieces or more that servers can hold."""
    return _cuts(gpus, min(gpus - 1, max(data.sizes.values())), len(data.sizes))


def contents(data: ProgramData, size: int) -> Iterator[Contents]:
    """Yield the configurations of a server."""
    jobs = sorted({task.gpus for task in data.tasks.values()}, reverse=True)
    pieces = range(min(size, jobs[0] - 1), 0, -1)
    for held in _within(pieces, size, data.most_rings):
        for alone in _within(jobs, size - sum(held), size):
            if held or alone:
                yield Contents(alone, held)


def runs(data: ProgramData, job: RingJob) -> Iterator[UnitSlots]:
    """Yield the shortest runs of a job: with no slot less is all its work done."""
    task = data.tasks[job.name]
    if data.fits(job.name):
        yield UnitSlots(INSIDE, (task.least, 0))
    rates = two_rates(data.instance, job, units_of(data, job.name))
    for units, (calm, crowded) in rates.items():
        for first in range(ceil(task.iterations / calm) + 1 if calm else 0):
            left = max(Fraction(0), task.iterations - first * calm)
            if crowded or not left:
                yield UnitSlots(units, (first, ceil(left / crowded) if left else 0))


def _cuts(gpus: int, largest: int, most: int) -> Iterator[Sizes]:
    if not gpus:
        yield ()
    elif most:
        for first in range(min(gpus, largest), 0, -1):
            yield from ((first, *rest) for rest in _cuts(gpus - first, first, most - 1))


def _within(sizes: Sequence[int], room: int, most: int) -> Iterator[Sizes]:
    """Yield the multisets of at most the given number of sizes that fit into a room."""
    yield ()
    for i, gpus in enumerate(sizes if most else ()):
        if gpus <= room:
            yield from ((gpus, *rest) for rest in _within(sizes[i:], room - gpus, most - 1))


NAME = "server-configurations"

CALM, CROWDED = LEVELS = 0, 1


def units_of_cut(data: ProgramData, cut: Sizes) -> int:
    """Return the units of overhead of a job that is cut so."""
    return data.units(len(cut), max(cut))


def write(model: Any, schedule: Schedule) -> None:
    """Put a schedule into the variables: pieces of jobs and configurations of servers, by slots."""
    data, followed = model.data, courses(model.data, schedule)
    for variable in (model.run, model.cut, model.slots):
        variable.set_values(dict.fromkeys(variable, 0))
    for job, course in followed.items():
        _write_job(model, job, course)
    ends = [course.end for course in followed.values()]
    for slot in range(max(ends)):
        working = {job: course for job, course in followed.items() if slot in course.rings}
        for server, size in data.sizes.items():
            held = _held(data, working, server)
            if held in model.contents[size]:
                model.slots[size, model.contents[size].index(held)].value += 1
    model.makespan_slots = max(ends)


def _write_job(model: Any, job: str, course: JobSlots) -> None:
    cut = tuple(sorted(course.gpus.values(), reverse=True))
    calm = sum(rings <= model.calm for rings in course.rings.values())
    had, units = (calm, len(course.rings) - calm), INSIDE
    if len(cut) > 1:
        units, number = units_of_cut(model.data, cut), model.cuts[job].index(cut)
        for level in LEVELS:
            model.cut[job, number, level].value = had[level]
    enough = [
        r
        for r, one in enumerate(model.runs[job])
        if one.units == units
        and one.slots[CALM] <= had[CALM]
        and one.slots[CROWDED] <= had[CROWDED]
    ]
    for number in enough[:1]:
        model.run[job, number].value = 1


def _held(data: ProgramData, working: Mapping[str, JobSlots], server: str) -> Contents:
    held = [(job, course.gpus.get(server, 0)) for job, course in working.items()]
    held = sorted(((job, n) for job, n in held if n), key=lambda pair: -pair[1])
    return Contents(
        tuple(n for job, n in held if n == data.tasks[job].gpus),
        tuple(n for job, n in held if n < data.tasks[job].gpus),
    )


def read(model: Any) -> Schedule:
    """Return a schedule in which each job is cut as in most slots of a point.

    Pieces go to the servers with the least work so far. Jobs start as soon as their GPUs are free,
    so the schedule may end later than the point.
    """
    data, work = model.data, Counter(dict.fromkeys(model.data.sizes, 0))
    gpus: dict[str, dict[str, int]] = {}
    for job, task in data.tasks.items():
        gpus[job] = {}
        for piece in _likeliest(model, job):
            room = [s for s, size in data.sizes.items() if size >= piece and s not in gpus[job]]
            server = min(room, key=work.__getitem__)
            gpus[job][server] = piece
            work[server] += piece * task.least
    return schedule_of(data, NAME, starts_in_turn(data, gpus), gpus)


def _likeliest(model: Any, job: str) -> Sizes:
    task, first = model.data.tasks[job], model.runs[job][0]
    votes: Counter[Sizes] = Counter()
    if first.units == INSIDE:
        votes[task.gpus,] += first.slots[CALM] * (model.run[job, 0].value or 0)
    for m, cut in enumerate(model.cuts[job]):
        votes[cut] += sum(model.cut[job, m, level].value or 0 for level in LEVELS)
    return max(votes, key=votes.__getitem__)


MOST_COLUMNS = 20_000
"""Instances that have more are refused by `build`. `server_bound` needs no list."""


def refuses(instance: MakespanInstance) -> str | None:
    """Return why `instance` has no such program, or None if it has."""
    reason = refuses_slots(instance)
    if reason:
        return reason
    if any(job.allowed_regions for job in instance.jobs):
        return (
            "it does not distinguish servers of one size, and jobs are bound to regions, "
            "so use 'columns' or 'occupancy'"
        )
    if sum(1 for _ in islice(_columns(data_of(instance)), MOST_COLUMNS + 1)) > MOST_COLUMNS:
        return (
            f"it has more than {MOST_COLUMNS:,} configurations of servers, and runs and cuts of "
            "jobs, `server_bound` generates the relevant ones"
        )
    return None


def _columns(data: ProgramData) -> Iterator[object]:
    for job in data.instance.jobs:
        yield from chain(runs(data, job), cuts(data, job.gpus))
    for size in set(data.sizes.values()):
        yield from contents(data, size)


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the relaxation of an instance with all its columns listed."""
    model = pyo.ConcreteModel()
    model.data, last = roomy_data(instance, horizon)
    data, sizes = model.data, sorted(set(model.data.sizes.values()))
    model.runs = {job.name: list(runs(data, job)) for job in instance.jobs}
    model.cuts = {job.name: list(cuts(data, job.gpus)) for job in instance.jobs}
    model.contents = {size: list(contents(data, size)) for size in sizes}
    model.calm = calm_rings(instance)
    model.run = pyo.Var(_numbered(model.runs), domain=pyo.Binary)
    modes = [(*mode, level) for mode in _numbered(model.cuts) for level in LEVELS]
    model.cut = pyo.Var(modes, domain=pyo.NonNegativeIntegers)
    model.slots = pyo.Var(_numbered(model.contents), domain=pyo.NonNegativeIntegers)
    model.makespan_slots = pyo.Var(bounds=(0, last))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)
    _add_jobs(model)
    _add_servers(model)
    return model


def _numbered(lists: Mapping[Any, list[Any]]) -> list[tuple[Any, int]]:
    return [(key, number) for key, them in lists.items() for number in range(len(them))]


def _add_jobs(model: Any) -> None:
    data, run, cut = model.data, model.run, model.cut
    used = [(job, u) for job, them in model.runs.items() for u in sorted({r.units for r in them})]
    spread = [(*pair, level) for pair in used if pair[1] != INSIDE for level in LEVELS]

    @model.Constraint(list(model.runs))
    def every_job_once(model: Any, job: str) -> Any:
        return sum(run[job, r] for r in range(len(model.runs[job]))) == 1

    @model.Constraint(spread)
    def completes(model: Any, job: str, units: int, level: int) -> Any:
        asked = sum(
            one.slots[level] * run[job, r]
            for r, one in enumerate(model.runs[job])
            if one.units == units
        )
        modes = (m for m, one in enumerate(model.cuts[job]) if units_of_cut(data, one) == units)
        return sum(cut[job, m, level] for m in modes) >= asked


def _add_servers(model: Any) -> None:
    data, slots = model.data, model.slots
    wanted = sorted({task.gpus for job, task in data.tasks.items() if data.fits(job)})
    sizes = sorted({piece for them in model.cuts.values() for one in them for piece in one})

    @model.Constraint(wanted)
    def jobs_inside(model: Any, gpus: int) -> Any:
        alike = [job for job, task in data.tasks.items() if task.gpus == gpus]
        asked = sum(data.tasks[job].least * model.run[job, 0] for job in alike)
        return sum(one.inside.count(gpus) * slots[at] for at, one in _all(model)) >= asked

    @model.Constraint(sizes)
    def all_pieces(model: Any, gpus: int) -> Any:
        held = sum(one.pieces.count(gpus) * slots[at] for at, one in _all(model))
        return held >= _asked(model, gpus, LEVELS)

    @model.Constraint(sizes)
    def calm_pieces(model: Any, gpus: int) -> Any:
        calm = (pair for pair in _all(model) if len(pair[1].pieces) <= model.calm)
        held = sum(one.pieces.count(gpus) * slots[at] for at, one in calm)
        return held >= _asked(model, gpus, (CALM,))

    @model.Constraint(list(model.contents))
    def makespan(model: Any, size: int) -> Any:
        count = list(data.sizes.values()).count(size)
        worked = sum(slots[size, c] for c in range(len(model.contents[size])))
        return count * model.makespan_slots >= worked


def _asked(model: Any, gpus: int, levels: Iterable[int]) -> Any:
    return sum(
        one.count(gpus) * model.cut[job, m, level]
        for job, them in model.cuts.items()
        for m, one in enumerate(them)
        for level in levels
        if gpus in one
    )


def _all(model: Any) -> Iterator[tuple[tuple[int, int], Contents]]:
    for size, them in model.contents.items():
        yield from (((size, c), one) for c, one in enumerate(them))
