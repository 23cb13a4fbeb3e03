"""User-defined functions and policies for `online`: workers and servers by slot and machine.

A function gives ``{job: {slot: {machine: (workers, servers)}}}``. A policy with the parameter `job`
is called at each arrival and gives the job's plan, or None to reject it. A policy with `jobs` is
called in every slot and gives ``{job: {machine: (workers, servers)}}`` for that slot.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ..instances import (
    Limits,
    OnlineInstance,
    OnlineSchedule,
    Outcome,
    TrainingJob,
)
from ..instances.errors import InputError, Words
from ..instances.online import Admission, SlotPlan
from ..policies.online.planning import OnlinePlans, SlotPlacement, all_free, servers_due, take
from ..policies.request import Request
from ..simulation.online import Floats, OnlineModel, online_model, with_hosts
from .calling import Call
from .makespan import name_of

PLAN = "{job: {slot: {machine: (workers, servers)}}}"
HELD = "{machine: (workers, servers)}"

POLICY = {
    "job": "the job that has arrived. The policy gives its plan by slot",
    "jobs": "unfinished jobs that have arrived. The policy gives their current resources",
    "slot": "the slot, from 0",
    "room": "free resources: `room.fit(slot, job, workers)` is `{machine: (workers, servers)}` "
    "of the first machine with room for them, or None. See `OnlineRoom`",
}
"""Further parameters of a policy."""

TRAITS: dict[str, Any] = {}

SKELETON = '''
@policy("online")
def NAME(jobs, slot, room, workers: int = 8):
    """Jobs by what is left of their worth, each on one machine with as many workers as fit."""
    for job in sorted(jobs, key=lambda job: -job.worth(slot)):
        for count in range(min(workers, job.batch_samples), 0, -1):
            held = room.fit(slot, job, count)  # {machine: (workers, servers)}, or None
            if held:
                yield job, held
                break
'''


class OnlineRoom:
    """The free resources of a cluster in every slot, and the places where a job fits."""

    def __init__(self, instance: OnlineInstance, call: Call) -> None:
        """Begin without allocations."""
        self.model: OnlineModel = with_hosts(online_model(instance))
        self.amounts: Floats = all_free(self.model)
        self._instance, self._call = instance, call
        self._machines = {one.name: h for h, one in enumerate(instance.machines)}
        self.jobs = {job.name: i for i, job in enumerate(instance.jobs)}

    def free(self, slot: int, machine: Any) -> dict[str, float]:
        """Return the free amount of every resource on a machine in a slot."""
        h = self._machines[name_of(machine)]
        row, whole = self.amounts[slot, h], self.model.capacity[h]
        capacity = dict(self._instance.machines[h].capacity)
        return {
            name: float(capacity.get(name, 0)) * (row[r] / whole[r] if whole[r] else 0.0)
            for r, name in enumerate(self._instance.resources)
        }

    def fit(self, slot: int, job: Any, workers: int) -> "dict[str, tuple[int, int]] | None":
        """Return workers and their parameter servers on the first machine that has room.

        None if there is no such machine, or the job's batch is for fewer workers.
        """
        i = self.jobs[name_of(job)]
        if workers > self._instance.jobs[i].batch_samples:
            return None
        servers = servers_due(self._instance.jobs[i], workers)
        need = workers * self.model.worker[i] + servers * self.model.server[i]
        open_to = self.model.open_to(i)
        rooms = np.flatnonzero(open_to & (self.amounts[slot] >= need).all(axis=1))
        names = list(self._machines)
        return {names[rooms[0]]: (workers, servers)} if rooms.size else None

    def fits(self, slot: int, held: Any, job: Any) -> bool:
        """Return True if the resources of a job are free in a slot."""
        i = self.jobs[name_of(job)]
        return self._short(i, slot, self.placement(held)) is None

    def samples(self, job: TrainingJob, held: Any) -> float:
        """Return the samples that a job processes in a slot with its resources."""
        placement = self.placement(held)
        return float(placement.size * job.rate(placement.inside, self._instance.slot_s))

    def placement(self, held: Any) -> SlotPlacement:
        """Return numbers by machine."""
        workers, servers = dict[int, int](), dict[int, int]()
        for machine, counts in self._call.pairs(held, HELD):
            h = self._machines.get(name_of(machine))
            if h is None:
                raise self._call.error(name_of(machine), "a machine of the instance")
            if not isinstance(counts, tuple | list) or len(counts) != 2:
                raise self._call.error(counts, f"(workers, servers) on machine {machine!r}")
            for part, count in zip((workers, servers), counts, strict=True):
                if not hasattr(count, "__index__") or count < 0:
                    raise self._call.error(count, f"a number on machine {name_of(machine)!r}")
                if count:
                    part[h] = int(count)
        return SlotPlacement(workers, servers)

    def hold(self, job: int, slot: int, placement: SlotPlacement) -> None:
        """Allocate free resources to a job. Raise an error if the policy exceeds them."""
        data = self._instance.jobs[job]
        if placement.size > data.batch_samples:
            most = f"at most {data.batch_samples} workers, its batch, for job {data.name!r}"
            raise self._call.error(placement.size, most)
        lacking = self._short(job, slot, placement)
        if lacking is not None:
            name, machine = self._instance.jobs[job].name, self._instance.machines[lacking].name
            what = f"free resources on machine {machine!r} in slot {slot} for job {name!r}"
            raise self._call.error(placement, what)
        take(self.model, self.amounts[slot], job, placement)

    def _short(self, job: int, slot: int, placement: SlotPlacement) -> int | None:
        left = self.amounts[slot].copy()
        take(self.model, left, job, placement)
        short = np.flatnonzero((left < 0).any(axis=1))
        return int(short[0]) if short.size else None


def schedule(instance: OnlineInstance, given: Any, call: Call) -> OnlineSchedule:
    """Return the schedule of a function's plan. The judge checks it."""
    room, admissions = OnlineRoom(instance, call), []
    names = [one.name for one in instance.machines]
    for job, plan in call.pairs(given, PLAN):
        slots = []
        for slot, held in call.pairs(plan, f"{{slot: {HELD}}}"):
            parts = room.placement(held)
            workers, servers = (
                tuple((names[h], count) for h, count in sorted(part.items())) for part in parts
            )
            slots.append(SlotPlan(slot=slot_of(slot, call), workers=workers, servers=servers))
        slots.sort(key=lambda one: one.slot)
        if slots:
            admissions.append(Admission(job=name_of(job), plan=tuple(slots)))
    empty = OnlinePlans(instance, Limits(), call.label).schedule()
    return replace(empty, admissions=tuple(admissions))


def slot_of(slot: Any, call: Call) -> int:
    """Return a slot as an integer."""
    if not hasattr(slot, "__index__") or slot < 0:
        raise call.error(slot, "a slot, from 0")
    return int(slot)


def run_policy(
    instance: OnlineInstance, request: Request[Any], call: Call, seen: dict[str, Any]
) -> Outcome:
    """Run a policy: call it at each arrival, or in every slot."""
    asks = {"job", "jobs"} & set(call.asks.values())
    if len(asks) != 1:
        found = Words(" and ".join(sorted(asks)) or "neither")
        expected = "job (a call at each arrival) or jobs (a call in every slot)"
        raise InputError.of(call.label, "parameters", found, expected, "add one of them")
    plans, room = OnlinePlans(instance, request.limits, call.label), OnlineRoom(instance, call)
    seen = {**seen, "room": room}
    for slot in plans.slots():
        seen["slot"] = slot
        if "job" in asks:
            for job in plans.arriving(slot):
                plan = call({**seen, "job": instance.jobs[job]}, request.options)
                _admit(instance, plans, room, job, plan, call)
        elif active := plans.active(slot):
            jobs = [instance.jobs[job] for job in active]
            given = call({**seen, "jobs": jobs}, request.options)
            for one, held in call.pairs(given, f"{{job: {HELD}}}"):
                job = room.jobs.get(name_of(one), -1)
                if job not in active or plans.done(job):
                    raise call.error(name_of(one), f"a job that may work in slot {slot}")
                placement = room.placement(held)
                if placement.size:
                    room.hold(job, slot, placement)
                    plans.add(job, slot, placement)
    return plans.outcome()


def _admit(
    instance: OnlineInstance, plans: OnlinePlans, room: OnlineRoom, job: int, plan: Any, call: Call
) -> None:
    data = instance.jobs[job]
    slots = {slot_of(slot, call): held for slot, held in call.pairs(plan, f"{{slot: {HELD}}}")}
    for slot, held in sorted(slots.items()):
        if not data.arrival_slot <= slot < instance.horizon_slots:
            late = f"a slot from {data.arrival_slot} to {instance.horizon_slots - 1}"
            raise call.error(slot, f"{late} for job {data.name!r}")
        placement = room.placement(held)
        if placement.size and not plans.done(job):
            room.hold(job, slot, placement)
            plans.add(job, slot, placement)
