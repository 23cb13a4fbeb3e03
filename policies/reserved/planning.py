"""Plans of rings as they come about, slot by slot."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from ...instances import (
    Glimpse,
    Left,
    Limits,
    Outcome,
    ReservedInstance,
    ReservedSchedule,
    RingPlan,
    RingSlot,
    Stop,
    digest,
)
from ...simulation.reserved.model import most_at_once
from .capacity import Placement


class RingPlans:
    """Collects what every ring holds, and says what it may still ask for."""

    def __init__(self, instance: ReservedInstance, limits: Limits, method: str) -> None:
        """Start with nothing planned."""
        self.instance, self._limits = instance, limits
        self._empty = ReservedSchedule(
            instance=instance.name, digest=digest(instance), method=method, plans=()
        )
        self._plans: list[list[RingSlot]] = [[] for _ in instance.jobs]
        self._names = [machine.name for machine in instance.machines]
        self.worker_slots = [0] * len(instance.jobs)
        """Workers that each ring has had, each for a slot (z_i)."""
        self._at_once = most_at_once(instance)
        self._filled = self._told = 0

    def slots(self) -> range:
        """Return the slots from the first arrival to the horizon."""
        first = min(job.arrival_slot for job in self.instance.jobs)
        return range(first, self.instance.horizon_slots)

    def wish(self, job: int) -> int:
        """Return the most workers that a ring can use in a slot, by N_i, room and its budget."""
        cap = self.instance.jobs[job].most_worker_slots
        most = self._at_once[job]
        return most if cap is None else min(most, cap - self.worker_slots[job])

    def active(self, slot: int) -> list[int]:
        """Return the rings that have arrived by a slot and may still work, in order of arrival."""
        jobs = self.instance.jobs
        here = [i for i, job in enumerate(jobs) if job.arrival_slot <= slot and self.wish(i) > 0]
        return sorted(here, key=lambda i: jobs[i].arrival_slot)

    def gain(self, job: int, workers: int) -> Fraction:
        """Return what the given workers in the next slot would add."""
        data, before = self.instance.jobs[job], self.worker_slots[job]
        return Fraction(data.worth(before + workers)) - Fraction(data.worth(before))

    def add(self, slot: int, placements: Mapping[int, Placement]) -> None:
        """Let rings hold placements in a slot."""
        for job, placement in placements.items():
            if placement:
                workers = tuple(sorted((self._names[s], n) for s, n in placement.items()))
                self._plans[job].append(RingSlot(slot=slot, workers=workers))
                self.worker_slots[job] += sum(placement.values())
        self._filled += 1
        # Not after every slot, so that long schedules are not copied too often.
        if self._filled >= 1.1 * self._told:
            self._told = self._filled
            self._limits.tell(Glimpse(schedule=self._schedule(), value=self._worth()))

    def outcome(self, stop: Stop) -> Outcome:
        """Return the schedule of what was planned."""
        return Outcome(schedule=self._schedule(), stop=stop, left=Left.FEASIBLE)

    def _worth(self) -> float:
        pairs = zip(self.instance.jobs, self.worker_slots, strict=True)
        return float(sum(job.worth(count) for job, count in pairs))

    def _schedule(self) -> ReservedSchedule:
        named = zip(self.instance.jobs, self._plans, strict=True)
        plans = tuple(RingPlan(job=job.name, plan=tuple(plan)) for job, plan in named if plan)
        return replace(self._empty, plans=plans)
