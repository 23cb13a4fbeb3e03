"""The judge of `reserved` schedules: holdings and link use of rings, the rules, and the verdict.

A ring is one directed cycle over its machines, each entered and left once. It therefore uses its
bandwidth once in each direction of the uplink of each of its machines, for every order. If it is in
two racks or more, it must enter and leave each of them at least once. Visiting its machines rack by
rack does so exactly once. No order of the machines needs less on any link, so these rules are
complete for links.

Numbers such as (2) are from GADGET, as in `docs/families/reserved.md`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...instances.reserved import (
    LinkedMachine,
    Rack,
    ReservedInstance,
    ReservedRing,
    ReservedSchedule,
    RingPlan,
    RingSlot,
)
from .judge import ONE, AnyVerdict, Breaches, Rules, instance_digest, misclaimed


@dataclass(frozen=True, slots=True, kw_only=True)
class RingHolding:
    """A ring with its used workers, by slot and machine."""

    job: ReservedRing
    index: int
    slots: Mapping[int, Mapping[str, int]]

    def worker_slots(self, instance: ReservedInstance) -> int:
        """Return the workers of all slots that are the ring's to use."""
        own = range(self.job.arrival_slot, instance.horizon_slots)
        return sum(sum(workers.values()) for slot, workers in self.slots.items() if slot in own)


def holdings_of(instance: ReservedInstance, schedule: ReservedSchedule) -> tuple[RingHolding, ...]:
    """Return the first plan of every known ring, with its first entry for each slot."""
    jobs = {job.name: job for job in instance.jobs}
    found: dict[str, RingHolding] = {}
    for index, plan in enumerate(schedule.plans):
        if plan.job in jobs and plan.job not in found:
            slots: dict[int, Mapping[str, int]] = {}
            for entry in plan.plan:
                slots.setdefault(entry.slot, dict(entry.workers))
            found[plan.job] = RingHolding(job=jobs[plan.job], index=index, slots=slots)
    return tuple(found.values())


Take = tuple[str, int, Fraction]
"""The resource or uplink, the slot, and the amount taken."""


def capacity_takes(holdings: Iterable[RingHolding]) -> Iterator[Take]:
    """Yield the use of machine resources by workers."""
    for holding in holdings:
        needs = [(resource, Fraction(amount)) for resource, amount in holding.job.worker]
        for slot, workers in holding.slots.items():
            for machine, count in workers.items():
                for resource, amount in needs:
                    yield f"machine {machine}, {resource}", slot, count * amount


def uplink_takes(holdings: Iterable[RingHolding], racks: Mapping[str, str]) -> Iterator[Take]:
    """Yield the use of uplinks by rings: of racks, and of machines outside all `racks`."""
    for holding in holdings:
        for slot, workers in holding.slots.items():
            touched = {racks.get(machine, f"machine {machine}") for machine in workers}
            if len(touched) > 1:
                for place in touched:
                    yield place, slot, Fraction(holding.job.reserved_gb_s)


def racks_of(instance: ReservedInstance) -> dict[str, str]:
    """Return the rack of each machine that is in one."""
    return {m.name: f"rack {m.rack}" for m in instance.machines if m.rack is not None}


def capacity_room(instance: ReservedInstance) -> dict[str, Fraction]:
    """Return the amount of each resource on each machine."""
    return {
        f"machine {machine.name}, {resource}": Fraction(dict(machine.capacity).get(resource, 0))
        for machine in instance.machines
        for resource in instance.resources
    }


def uplink_room(kind: str, nodes: Iterable[LinkedMachine | Rack]) -> dict[str, Fraction]:
    """Return the capacities of the uplinks of machines or racks, if limited."""
    links = {f"{kind} {node.name}": node.uplink_gb_s for node in nodes}
    return {place: Fraction(limit) for place, limit in links.items() if limit is not None}


def beyond(takes: Iterable[Take], room: Mapping[str, Fraction]) -> Iterator[tuple[str, Fraction]]:
    """Yield place and slot, and by how much, wherever more is taken than there is."""
    used: dict[tuple[str, int], Fraction] = {}
    for place, slot, amount in takes:
        if place in room:
            used[place, slot] = used.get((place, slot), Fraction(0)) + amount
    for (place, slot), amount in sorted(used.items()):
        if amount > room[place]:
            yield f"{place}, slot {slot}", amount - room[place]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedCase:
    """The data of all rules: instance, schedule, its used entries, and its value."""

    instance: ReservedInstance
    schedule: ReservedSchedule
    holdings: tuple[RingHolding, ...]
    gains: Mapping[str, Fraction]

    def plans(self) -> Iterator[tuple[str, RingPlan, ReservedRing]]:
        """Yield every plan of a known ring: its place, the plan, the ring."""
        jobs = {job.name: job for job in self.instance.jobs}
        for i, plan in enumerate(self.schedule.plans):
            if plan.job in jobs:
                yield f"plans[{i}], job {plan.job}", plan, jobs[plan.job]

    def entries(self) -> Iterator[tuple[str, RingSlot, ReservedRing]]:
        """Yield every entry of a known ring: its place, the entry, the ring."""
        for where, plan, job in self.plans():
            for entry in plan.plan:
                yield f"{where}, slot {entry.slot}", entry, job


def known_names(case: ReservedCase) -> Breaches:
    """Every ring and machine that the schedule names is in the instance."""
    jobs = {job.name for job in case.instance.jobs}
    machines = {machine.name for machine in case.instance.machines}
    for i, plan in enumerate(case.schedule.plans):
        if plan.job not in jobs:
            yield f"plans[{i}], job {plan.job}", ONE
        for entry in plan.plan:
            for machine, _ in entry.workers:
                if machine not in machines:
                    yield f"plans[{i}], job {plan.job}, slot {entry.slot}, machine {machine}", ONE


def planned_once(case: ReservedCase) -> Breaches:
    """A ring has one plan at most, and each of its slots one entry."""
    seen: set[str] = set()
    for where, plan, _ in case.plans():
        if plan.job in seen:
            yield where, ONE
        seen.add(plan.job)
        entries = Counter(entry.slot for entry in plan.plan)
        for slot in sorted(entries):
            if entries[slot] > 1:
                yield f"{where}, slot {slot}", Fraction(entries[slot] - 1)


def arrival(case: ReservedCase) -> Breaches:
    """No ring works before it arrives (6)."""
    for where, entry, job in case.entries():
        if entry.slot < job.arrival_slot:
            yield where, Fraction(job.arrival_slot - entry.slot)


def horizon(case: ReservedCase) -> Breaches:
    """No ring works after the last slot."""
    for where, entry, _ in case.entries():
        late = entry.slot - case.instance.horizon_slots + 1
        if late > 0:
            yield where, Fraction(late)


def pieces(case: ReservedCase) -> Breaches:
    """A number of workers is one or more."""
    for where, entry, _ in case.entries():
        for machine, count in entry.workers:
            if count < 1:
                yield f"{where}, machine {machine}", Fraction(1 - count)


def most_workers(case: ReservedCase) -> Breaches:
    """A ring has no more workers in a slot than its most (2)."""
    for where, entry, job in case.entries():
        excess = sum(count for _, count in entry.workers) - job.most_workers
        if excess > 0:
            yield where, Fraction(excess)


def budget(case: ReservedCase) -> Breaches:
    """A ring takes no more of a resource over its life than its budget (3)."""
    for holding in case.holdings:
        total = sum(sum(workers.values()) for workers in holding.slots.values())
        needs = dict(holding.job.worker)
        for resource, limit in holding.job.budget or ():
            excess = total * Fraction(needs[resource]) - Fraction(limit)
            if excess > 0:
                yield f"plans[{holding.index}], job {holding.job.name}, {resource}", excess


def capacity(case: ReservedCase) -> Breaches:
    """No machine holds more of a resource than it has, in any slot (4)."""
    yield from beyond(capacity_takes(case.holdings), capacity_room(case.instance))


def uplinks(case: ReservedCase) -> Breaches:
    """Rings across machines take no more of a machine's uplink than it carries (7)-(9)."""
    room = uplink_room("machine", case.instance.machines)
    yield from beyond(uplink_takes(case.holdings, {}), room)


def rack_uplinks(case: ReservedCase) -> Breaches:
    """Rings across racks take no more of a rack's uplink than it carries (7)-(9)."""
    room = uplink_room("rack", case.instance.racks)
    yield from beyond(uplink_takes(case.holdings, racks_of(case.instance)), room)


def gain(case: ReservedCase) -> Breaches:
    """A claimed gain is the gain of the progress made. A claimed sum is their sum."""
    for holding in case.holdings:
        claimed = case.schedule.plans[holding.index].gain
        where = f"plans[{holding.index}], job {holding.job.name}"
        yield from misclaimed(where, claimed, case.gains[holding.job.name])
    yield from misclaimed("gain", case.schedule.gain, sum(case.gains.values(), Fraction(0)))


RULES = Rules(
    instance_digest,
    known_names,
    planned_once,
    arrival,
    horizon,
    pieces,
    most_workers,
    budget,
    capacity,
    uplinks,
    rack_uplinks,
    gain,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedVerdict(AnyVerdict):
    """Every violation, and the value of the schedule.

    `gains` holds the value of the progress of each ring with a plan, from workers between the
    ring's arrival and the horizon only.
    """

    gains: Mapping[str, Fraction]

    @property
    def objective(self) -> Fraction:
        """The sum of the gains."""
        return sum(self.gains.values(), Fraction(0))


def check_reserved(instance: ReservedInstance, schedule: ReservedSchedule) -> ReservedVerdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge continues after a violation. It uses the first plan of every ring and its first entry
    for a slot, whatever errors exist elsewhere.
    """
    holdings = holdings_of(instance, schedule)
    gains = {h.job.name: Fraction(h.job.worth(max(0, h.worker_slots(instance)))) for h in holdings}
    case = ReservedCase(instance=instance, schedule=schedule, holdings=holdings, gains=gains)
    return ReservedVerdict(violations=RULES.violations(case), gains=gains)
