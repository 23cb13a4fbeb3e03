"""Schedules as points of `server_configurations.py`, and back; its columns if tiny."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

from ....instances import RingJob, Schedule
from ..parts.crowding import two_rates
from ..parts.data import ProgramData
from ..parts.in_turn import starts_in_turn
from ..parts.paces import units_of
from ..parts.timetable import JobSlots, courses, schedule_of

Sizes = tuple[int, ...]
"""GPUs of pieces, or of jobs, in descending order."""

INSIDE = 0
"""Stands for units of overhead in a run inside one server."""


class Contents(NamedTuple):
    """What a server has in a configuration: jobs inside it, and pieces of rings."""

    inside: Sizes
    pieces: Sizes


class UnitSlots(NamedTuple):
    """Calm and crowded slots of a job with `units` units; inside one server all are calm."""

    units: int
    slots: tuple[int, int]


def cuts(data: ProgramData, gpus: int) -> Iterator[Sizes]:
    """Yield the ways to cut a job into two pieces or more that servers can hold."""
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
    """Put a schedule into the variables: how jobs are cut, and what servers have, by slots."""
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

    Pieces go to the servers with the least work so far; jobs start as soon as their GPUs are
    free, so it may end later than the point says.
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
