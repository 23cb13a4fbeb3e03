"""A schedule slot by slot, for `write`, and a schedule from starts and GPUs, for `read`."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from ...instances import Assignment, MakespanInstance, Schedule, digest
from ...instances.errors import Problem, Words, raise_any
from .data import ProgramData, data_of


def roomy_data(instance: MakespanInstance, horizon: int | None) -> tuple[ProgramData, int]:
    """Return data with slots enough for every job alone, and the horizon itself.

    No row is empty then: where the horizon is shorter, the bound on the makespan refutes it.
    """
    data = data_of(instance, horizon)
    needed = max(task.release + data.fewest(job) for job, task in data.tasks.items())
    return data_of(instance, max(needed, data.horizon)), data.horizon


class JobSlots(NamedTuple):
    """The course of a job in a schedule within the horizon."""

    start: int
    gpus: dict[str, int]
    rings: dict[int, int]
    """For each slot it works in: spread rings on its busiest server (6), 0 inside one server."""

    @property
    def most(self) -> int:
        """The most GPUs that it has on one server."""
        return max(self.gpus.values())

    @property
    def end(self) -> int:
        """The slot after the last in which it works, or 0 without one."""
        return max(self.rings, default=-1) + 1


def courses(data: ProgramData, schedule: Schedule) -> dict[str, JobSlots]:
    """Follow the jobs of a complete schedule slot by slot, exactly, up to the horizon.

    Raises:
        InputError: If no program with slots has variables for the schedule.
    """
    raise_any("schedule", _inexpressible(data, schedule))
    found = {
        entry.job: JobSlots(int(entry.start_slot), dict(entry.gpus), {})
        for entry in schedule.assignments
    }
    left = {job: Fraction(task.iterations) for job, task in data.tasks.items()}
    for slot in range(min(course.start for course in found.values()), data.horizon):
        working = [job for job, course in found.items() if course.start <= slot and left[job] > 0]
        counts = dict.fromkeys(data.sizes, 0)
        for job in working:
            for server in _spread_on(data, job, found[job]):
                counts[server] += 1
        for job in working:
            course = found[job]
            rings = max((counts[s] for s in _spread_on(data, job, course)), default=0)
            course.rings[slot] = rings
            left[job] -= data.rate(job, len(course.gpus), course.most, rings)
    return found


def _inexpressible(data: ProgramData, schedule: Schedule) -> Iterator[Problem]:
    named = [entry.job for entry in schedule.assignments]
    if sorted(named) != sorted(data.tasks):
        jobs = f"one entry for each of {', '.join(data.tasks)}"
        yield Problem("assignments", Words(", ".join(named)), jobs, "add or remove entries")
    for i, entry in enumerate(schedule.assignments):
        if entry.start_slot % 1:
            path = f"assignments[{i}].start_slot"
            yield Problem(path, entry.start_slot, "a whole slot", "start it at one")
        for server in dict(entry.gpus).keys() - data.sizes.keys():
            path = f"assignments[{i}].gpus"
            yield Problem(path, server, "the name of a server", "correct or remove it")


def _spread_on(data: ProgramData, job: str, course: JobSlots) -> list[str]:
    return [server for server, count in course.gpus.items() if count < data.tasks[job].gpus]


def schedule_of(
    data: ProgramData,
    method: str,
    starts: Mapping[str, float],
    gpus: Mapping[str, Mapping[str, float]],
) -> Schedule:
    """Return the schedule with the starts and GPUs of a point, rounded to integers."""
    return Schedule(
        instance=data.instance.name,
        digest=digest(data.instance),
        method=method,
        assignments=tuple(
            Assignment(job=job, start_slot=Decimal(round(starts[job])), gpus=_pieces(gpus[job]))
            for job in data.tasks
        ),
    )


def _pieces(gpus: Mapping[str, float]) -> tuple[tuple[str, int], ...]:
    rounded = {server: round(count) for server, count in gpus.items()}
    return tuple(sorted((server, count) for server, count in rounded.items() if count))


def put(variable: Any, index: Any, value: Any) -> None:
    """Set a variable if there is one, also to a value that its bounds forbid.

    The violated rows then show the error.
    """
    if index in variable:
        variable[index].set_value(float(value), skip_validation=True)


Gpus = Mapping[str, Mapping[str, int]]
"""GPUs of each job on its servers."""


def starts_in_turn(data: ProgramData, gpus: Gpus) -> dict[str, int]:
    """Return a start for each job, in the order of `gpus`. Jobs that fit overtake earlier ones.

    Rings that bring each other to a standstill forever are skipped, and the judge reports them.
    """
    left = {job: Fraction(data.tasks[job].iterations) for job in gpus}
    starts: dict[str, int] = {}
    slot = 0
    while len(starts) < len(gpus):
        running = [job for job in starts if left[job] > 0]
        for job in gpus:
            if (
                job not in starts
                and data.tasks[job].release <= slot
                and _fits(data, [*running, job], gpus)
            ):
                starts[job] = slot
                running.append(job)
        rates = _rates(data, running, gpus)
        for job, rate in rates.items():
            left[job] -= rate if any(rates.values()) else left[job]
        slot += 1
    return starts


def _fits(data: ProgramData, jobs: list[str], gpus: Gpus) -> bool:
    return all(
        sum(gpus[job].get(server, 0) for job in jobs) <= size for server, size in data.sizes.items()
    )


def _rates(data: ProgramData, running: list[str], gpus: Gpus) -> dict[str, Fraction]:
    spread = [job for job in running if len(gpus[job]) > 1]
    rings = {server: sum(server in gpus[job] for job in spread) for server in data.sizes}
    return {
        job: data.rate(
            job,
            len(gpus[job]),
            max(gpus[job].values()),
            max(rings[server] for server in gpus[job]),
        )
        for job in running
    }
