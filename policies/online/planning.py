"""Exact plans of jobs under construction, and the free capacity of every machine.

Amounts are whole numbers in floating point, so there is no rounding.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from math import lcm
from typing import NamedTuple

import numpy as np

from ...instances import (
    Admission,
    Incumbent,
    Limits,
    OnlineInstance,
    OnlineSchedule,
    Outcome,
    SlotPlan,
    TrainingJob,
    digest,
)
from ...simulation.online import Floats, Ints, OnlineModel
from ..request import outcome_of, termination_of

ENDLESS = 2**53
"""More than fits anywhere: a server takes a unit or more, and fewer units are in the cluster."""


class SlotPlacement(NamedTuple):
    """The numbers of workers and of parameter servers of a job in a slot, by machine."""

    workers: dict[int, int]
    servers: dict[int, int]

    @property
    def inside(self) -> bool:
        """True if all of it is on one machine, so that the job runs at its internal rate."""
        return len(self.workers.keys() | self.servers.keys()) == 1

    @property
    def size(self) -> int:
        """The number of workers."""
        return sum(self.workers.values())


def placement_of(workers: Ints, servers: Ints) -> SlotPlacement:
    """Return a placement from numbers on every machine."""
    return SlotPlacement(
        *({int(h): int(part[h]) for h in np.flatnonzero(part)} for part in (workers, servers))
    )


def placements_of(
    instance: OnlineInstance, schedule: OnlineSchedule
) -> dict[int, dict[int, SlotPlacement]]:
    """Return the placements of a schedule, by the number of the job and by slot."""
    jobs = {job.name: i for i, job in enumerate(instance.jobs)}
    machines = {machine.name: h for h, machine in enumerate(instance.machines)}
    return {
        jobs[one.job]: {
            at.slot: SlotPlacement(
                *({machines[name]: n for name, n in part} for part in (at.workers, at.servers))
            )
            for at in one.plan
        }
        for one in schedule.admissions
    }


def all_free(model: OnlineModel) -> Floats:
    """Return the free capacity of an empty cluster, by slot, machine and resource."""
    return np.repeat(model.capacity[None], model.slots, axis=0)


def take(model: OnlineModel, free: Floats, job: int, placement: SlotPlacement) -> None:
    """Let a job hold a placement in all slots of `free`, or in the one it is about."""
    give(model, free, job, placement, -1)


def give(
    model: OnlineModel, free: Floats, job: int, placement: SlotPlacement, times: int = 1
) -> None:
    """Take the same back, or add it some times."""
    for demand, part in zip((model.worker[job], model.server[job]), placement, strict=True):
        for machine, count in part.items():
            free[..., machine, :] += times * count * demand


def servers_due(job: TrainingJob, workers: int) -> int:
    """Return the exact number of parameter servers for the given workers, at most `ENDLESS`."""
    top, bottom = job.workers_per_server.as_integer_ratio()
    return min(ENDLESS, -(-workers * bottom // top))


class _Pace(NamedTuple):
    """Work and rates of a job as whole numbers of a small unit, with rates by whether inside."""

    work: int
    rate: dict[bool, int]


class OnlinePlans:
    """Collects the placements of all jobs. Only completed jobs enter the schedule.

    Capacity held by the other jobs meanwhile is lost, as in a real cluster.
    """

    def __init__(self, instance: OnlineInstance, limits: Limits, method: str) -> None:
        """Start with an empty plan."""
        self._instance, self._limits = instance, limits
        self._empty = OnlineSchedule(
            instance=instance.name, digest=digest(instance), method=method, admissions=()
        )
        jobs = instance.jobs
        self._order = sorted(range(len(jobs)), key=lambda i: (jobs[i].arrival_slot, i))
        self._arrivals = [jobs[i].arrival_slot for i in self._order]
        self._held: dict[int, dict[int, SlotPlacement]] = {}
        self._left: dict[int, int] = {}
        self._admissions: dict[int, Admission] = {}
        self._worth = 0.0
        self._pace = cache(self._paced)
        self._names = [machine.name for machine in instance.machines]

    def add(self, job: int, slot: int, placement: SlotPlacement) -> None:
        """Let a job that is not done hold a placement in a slot."""
        self._held.setdefault(job, {})[slot] = placement
        gone = placement.size * self._pace(job).rate[placement.inside]
        self._left[job] = self._samples_left(job) - gone
        if self._left[job] <= 0:
            self._complete(job)

    def done(self, job: int) -> bool:
        """Return True if a job has gone through all its samples."""
        return job in self._admissions

    def worker_slots(self, job: int, inside: bool) -> int:
        """Return how many slots one worker would still need, on one machine or across."""
        return -(-self._samples_left(job) // self._pace(job).rate[inside])

    def add_all(self, job: int, plan: Mapping[int, SlotPlacement]) -> None:
        """Let a job hold placements, by slot."""
        for slot, placement in plan.items():
            self.add(job, slot, placement)

    def slots(self) -> Iterator[int]:
        """Yield the slots from the first arrival to the horizon, until the time is up."""
        return self._in_time(range(self._arrivals[0], self._instance.horizon_slots))

    def jobs(self) -> Iterator[int]:
        """Yield the jobs in the order of their arrival, until the time is up."""
        return self._in_time(self._order)

    def _in_time(self, numbers: Iterable[int]) -> Iterator[int]:
        for number in numbers:
            yield number
            if self._limits.over():
                return

    def arriving(self, slot: int) -> list[int]:
        """Return the jobs that arrive in a slot."""
        return self._order[bisect_left(self._arrivals, slot) : bisect_right(self._arrivals, slot)]

    def active(self, slot: int) -> list[int]:
        """Return the jobs that have arrived by a slot and are not done, in order of arrival."""
        arrived = self._order[: bisect_right(self._arrivals, slot)]
        return [job for job in arrived if job not in self._admissions]

    def outcome(self) -> Outcome:
        """Return the schedule as an outcome."""
        return outcome_of(self.schedule(), termination_of(self._limits))

    def schedule(self) -> OnlineSchedule:
        """Return the plans of the jobs that are done."""
        admissions = tuple(self._admissions[job] for job in sorted(self._admissions))
        return replace(self._empty, admissions=admissions)

    def _paced(self, job: int) -> _Pace:
        data = self._instance.jobs[job]
        rates = {inside: data.rate(inside, self._instance.slot_s) for inside in (True, False)}
        unit = lcm(*(rate.denominator for rate in rates.values()))
        whole = {inside: int(rate * unit) for inside, rate in rates.items()}
        return _Pace(data.work * unit, whole)

    def _samples_left(self, job: int) -> int:
        return self._left.get(job, self._pace(job).work)

    def _complete(self, job: int) -> None:
        data, held = self._instance.jobs[job], self._held[job]
        self._admissions[job] = Admission(
            job=data.name, plan=tuple(self._entry(slot, held[slot]) for slot in sorted(held))
        )
        self._worth += float(data.worth(max(held)))
        self._limits.report(Incumbent(schedule=self.schedule(), value=self._worth))

    def _entry(self, slot: int, placement: SlotPlacement) -> SlotPlan:
        workers, servers = (
            tuple((self._names[h], count) for h, count in sorted(part.items()))
            for part in placement
        )
        return SlotPlan(slot=slot, workers=workers, servers=servers)
