"""Plans of rings as they come about, slot by slot, and what is free for a ring.

Amounts are whole numbers in floating point, so nothing is ever rounded.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...instances import (
    Incumbent,
    Limits,
    Outcome,
    ReservedInstance,
    ReservedSchedule,
    RingPlan,
    RingSlot,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ...simulation.reserved import Floats, Ints, ReservedModel, fits, most_at_once

Placement = dict[int, int]
"""Workers by machine."""


class SlotCapacity:
    """Machines and links in one slot."""

    def __init__(self, model: ReservedModel) -> None:
        """Start with everything free."""
        self._model = model
        self._free = model.capacity.copy()
        self._uplink = model.uplink.copy()
        self._rack_uplink = model.rack_uplink.copy()

    def take(self, job: int, placement: Placement) -> bool:
        """Let a ring hold a placement if all of it fits; say whether it does."""
        machines, uplinks, racks = self._touched(placement)
        needs = np.outer(list(placement.values()), self._model.worker[job])
        band = self._model.reserved[job]
        if (
            (needs > self._free[machines]).any()
            or (self._uplink[uplinks] < band).any()
            or (self._rack_uplink[racks] < band).any()
        ):
            return False
        self._add(machines, uplinks, racks, -needs, -band)
        return True

    def give(self, job: int, placement: Placement) -> None:
        """Take a placement back that a ring holds."""
        needs = np.outer(list(placement.values()), self._model.worker[job])
        self._add(*self._touched(placement), needs, self._model.reserved[job])

    def room(self, job: int) -> Ints:
        """Return how many workers of a ring fit on each machine, by its resources."""
        return fits(self._free, self._model.worker[job])

    def place(self, job: int, most: int) -> Placement:
        """Return where up to `most` workers fit: as many as can be, on as few links as can be.

        Inside the machine with the least room to spare; else on few machines of one rack, the one
        with the least room to spare; else on few machines of the cluster.
        """
        model, band = self._model, self._model.reserved[job]
        room = self.room(job)
        linked = np.where(self._uplink >= band, room, 0)
        by_rack = np.bincount(model.rack_of, linked, len(self._rack_uplink)).astype(np.int64)
        beyond = np.where(self._rack_uplink[model.rack_of] >= band, linked, 0)
        best = min(most, max(room.max(), by_rack.max(), beyond.sum()))
        if best <= room.max():
            machine = _tightest(room, best)
            return {machine: int(best)} if best else {}
        if best <= by_rack.max():
            return _few(np.where(model.rack_of == _tightest(by_rack, best), linked, 0), best)
        return _few(beyond, best)

    def _touched(self, placement: Placement) -> tuple[Ints, Ints, Ints]:
        """Return the machines of a placement, the uplinks it crosses, and those of racks."""
        machines = np.array(list(placement), dtype=np.int64)
        racks = np.unique(self._model.rack_of[machines])
        none = machines[:0]
        return (
            machines,
            machines if len(machines) > 1 else none,
            racks if len(racks) > 1 else none,
        )

    def _add(
        self, machines: Ints, uplinks: Ints, racks: Ints, amounts: Floats, band: float
    ) -> None:
        self._free[machines] += amounts
        self._uplink[uplinks] += band
        self._rack_uplink[racks] += band


def _tightest(room: Ints, count: int) -> int:
    """Return where `count` fits with the least room to spare."""
    return int(np.where(room >= count, room, np.iinfo(np.int64).max).argmin())


def _few(room: Ints, count: int) -> Placement:
    """Return `count` workers on few machines, those with most room first."""
    placement: Placement = {}
    for machine in np.argsort(-room, kind="stable"):
        if count:
            placement[int(machine)] = int(min(count, room[machine]))
            count -= placement[int(machine)]
    return placement


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
            self._limits.report(Incumbent(schedule=self._schedule(), value=self._worth()))

    def outcome(self, termination: TerminationReason) -> Outcome:
        """Return the schedule of what was planned."""
        return Outcome(
            schedule=self._schedule(), termination=termination, status=SolutionStatus.FEASIBLE
        )

    def _worth(self) -> float:
        pairs = zip(self.instance.jobs, self.worker_slots, strict=True)
        return float(sum(job.worth(count) for job, count in pairs))

    def _schedule(self) -> ReservedSchedule:
        named = zip(self.instance.jobs, self._plans, strict=True)
        plans = tuple(RingPlan(job=job.name, plan=tuple(plan)) for job, plan in named if plan)
        return replace(self._empty, plans=plans)
