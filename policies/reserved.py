"""Simple schedulers of preemptible rings on reserved bandwidth: FIFO, LAS and DRF.

All three are baselines of GADGET and plan slot by slot, each slot from scratch.

- FIFO: in every slot the first rings to arrive take all workers they may have. A ring behind one
  that takes all is served once that one has spent its budget, which may be never.
- LAS (least attained service, after Tiresias): the rings with the least service take all workers
  they may have. Service is the fraction of its dominant resource that a ring has held, summed over
  slots. Ties go to the first arrival.
- DRF (dominant resource fairness): the ring with the least dominant share gets the next worker. A
  ring that cannot grow keeps its workers. To grow, a ring is placed from scratch.

Amounts are whole numbers in floating point, so there is no rounding.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np

from ..instances import (
    Incumbent,
    Limits,
    Outcome,
    ReservedInstance,
    ReservedSchedule,
    RingPlan,
    RingSlot,
    TerminationReason,
    digest,
)
from ..simulation.reserved import Floats, Ints, ReservedModel, fits, most_at_once, reserved_model
from .request import NoOptions, Request, Scheduler, outcome_of

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
        """Let a ring hold a placement if all of it fits, and return True if it does."""
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
        """Return a placement of up to `most` workers: as many as fit, on the fewest links.

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
        """Return the machines of a placement, its uplinks, and its rack uplinks."""
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
    """Return the machine that fits `count` with the least room to spare."""
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
    """Collects the placements of every ring, and counts its remaining workers."""

    def __init__(self, instance: ReservedInstance, limits: Limits, method: str) -> None:
        """Start with an empty plan."""
        self.instance, self._limits = instance, limits
        self._empty = ReservedSchedule(
            instance=instance.name, digest=digest(instance), method=method, plans=()
        )
        self._plans: list[list[RingSlot]] = [[] for _ in instance.jobs]
        self._names = [machine.name for machine in instance.machines]
        self.worker_slots = [0] * len(instance.jobs)
        """Workers that each ring has had, each for a slot (z_i)."""
        self._at_once = most_at_once(instance)
        self._filled = self._reported = 0
        self._termination = TerminationReason.DONE

    def slots(self) -> Iterator[int]:
        """Yield the slots from the first arrival to the horizon, until the time is up."""
        first = min(job.arrival_slot for job in self.instance.jobs)
        for slot in range(first, self.instance.horizon_slots):
            yield slot
            if self._limits.over():
                self._termination = TerminationReason.TIME_LIMIT
                return

    def useful(self, job: int) -> int:
        """Return the most workers that a ring can use in a slot, by N_i, room and its budget."""
        cap = self.instance.jobs[job].most_worker_slots
        most = self._at_once[job]
        return most if cap is None else min(most, cap - self.worker_slots[job])

    def active(self, slot: int) -> list[int]:
        """Return the rings that have arrived by a slot and may still work, in order of arrival."""
        jobs = self.instance.jobs
        here = [i for i, job in enumerate(jobs) if job.arrival_slot <= slot and self.useful(i) > 0]
        return sorted(here, key=lambda i: jobs[i].arrival_slot)

    def gain(self, job: int, workers: int) -> Fraction:
        """Return the gain of the given workers in the next slot."""
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
        # Not after every slot: copying long schedules is expensive.
        if self._filled >= 1.1 * self._reported:
            self._reported = self._filled
            self._limits.report(Incumbent(schedule=self._schedule(), value=self._worth()))

    def outcome(self) -> Outcome:
        """Return the schedule of all placements."""
        return outcome_of(self._schedule(), self._termination)

    def _worth(self) -> float:
        pairs = zip(self.instance.jobs, self.worker_slots, strict=True)
        return float(sum(job.worth(count) for job, count in pairs))

    def _schedule(self) -> ReservedSchedule:
        named = zip(self.instance.jobs, self._plans, strict=True)
        plans = tuple(RingPlan(job=job.name, plan=tuple(plan)) for job, plan in named if plan)
        return replace(self._empty, plans=plans)


def run_fifo(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule (deterministic)."""
    return run_slots(instance, request.limits, "ring-fifo", serve)


FIFO = Scheduler(run=run_fifo)


def run_las(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule (deterministic)."""
    shares = dominant_shares(reserved_model(instance))

    def least_first(
        plans: RingPlans, capacity: SlotCapacity, jobs: list[int]
    ) -> dict[int, Placement]:
        return serve(plans, capacity, sorted(jobs, key=lambda i: plans.worker_slots[i] * shares[i]))

    return run_slots(instance, request.limits, "ring-las", least_first)


LAS = Scheduler(run=run_las)


def run_drf(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule (deterministic)."""
    shares = dominant_shares(reserved_model(instance))

    def fill(plans: RingPlans, capacity: SlotCapacity, jobs: list[int]) -> dict[int, Placement]:
        held: dict[int, Placement] = {job: {} for job in jobs}
        line = [(shares[job], place, job) for place, job in enumerate(jobs)]
        heapify(line)
        while line:
            _, place, job = heappop(line)
            workers = _grow(capacity, job, held)
            if workers and workers < plans.useful(job):
                heappush(line, ((workers + 1) * shares[job], place, job))
        return held

    return run_slots(instance, request.limits, "ring-drf", fill)


DRF = Scheduler(run=run_drf)


def _grow(capacity: SlotCapacity, job: int, held: dict[int, Placement]) -> int:
    """Give a ring one more worker, and return its new number, or 0 if it cannot grow."""
    before = held[job]
    size = sum(before.values()) + 1
    if before:
        capacity.give(job, before)
    after = capacity.place(job, size)
    grown = sum(after.values()) == size
    held[job] = after if grown else before
    if held[job]:
        capacity.take(job, held[job])
    return size if grown else 0


def dominant_shares(model: ReservedModel) -> Floats:
    """Return for each ring the largest part of a resource that a worker takes of all there is."""
    total = model.capacity.sum(axis=0)
    held: Floats = (model.worker[:, total > 0] / total[total > 0]).max(axis=1)
    return np.asarray(held)


Share = Callable[[RingPlans, SlotCapacity, list[int]], dict[int, Placement]]
"""Shares one slot among the rings that may work in it, in order of arrival."""


def run_slots(instance: ReservedInstance, limits: Limits, name: str, share: Share) -> Outcome:
    """Return the schedule of a policy that looks at one slot at a time."""
    plans, model = RingPlans(instance, limits, name), reserved_model(instance)
    for slot in plans.slots():
        plans.add(slot, share(plans, SlotCapacity(model), plans.active(slot)))
    return plans.outcome()


def serve(plans: RingPlans, capacity: SlotCapacity, jobs: list[int]) -> dict[int, Placement]:
    """Give each ring in turn as many workers as it may use and as fit."""
    held: dict[int, Placement] = {}
    for job in jobs:
        held[job] = capacity.place(job, plans.useful(job))
        if held[job]:
            capacity.take(job, held[job])
    return held
