"""What the schedule says will be held: for every ring and slot, the one entry that counts.

And what rings take of machines and of links, and where it is more than there is:
A ring is one directed cycle over its machines, each entered and left once. So it takes its
bandwidth once each way of the uplink of each of its machines, wherever it goes. If it is in two
racks or more it must enter and leave each of them at least once; going through its machines rack by
rack it does so exactly once. No order of the machines needs less on any link, so what follows
is all that can be asked of the links.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.reserved.instance import ReservedInstance, ReservedRing, ReservedSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class RingHolding:
    """A ring with the workers that count, by slot and machine."""

    job: ReservedRing
    index: int
    slots: Mapping[int, Mapping[str, int]]

    def worker_slots(self, instance: ReservedInstance) -> int:
        """Return the workers of all slots that are the ring's to use."""
        own = range(self.job.arrival_slot, instance.horizon_slots)
        return sum(sum(workers.values()) for slot, workers in self.slots.items() if slot in own)


def holdings_of(instance: ReservedInstance, schedule: ReservedSchedule) -> tuple[RingHolding, ...]:
    """Return what counts: the first plan of every known ring, its first entry for a slot."""
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
"""What is taken, in which slot, how much."""


def capacity_takes(holdings: Iterable[RingHolding]) -> Iterator[Take]:
    """Yield what workers take of the resources of machines."""
    for holding in holdings:
        needs = [(resource, Fraction(amount)) for resource, amount in holding.job.worker]
        for slot, workers in holding.slots.items():
            for machine, count in workers.items():
                for resource, amount in needs:
                    yield f"machine {machine}, {resource}", slot, count * amount


def uplink_takes(holdings: Iterable[RingHolding]) -> Iterator[Take]:
    """Yield what rings across machines take of the uplinks of machines."""
    for holding in holdings:
        for slot, workers in holding.slots.items():
            if len(workers) > 1:
                for machine in workers:
                    yield f"machine {machine}", slot, Fraction(holding.job.reserved_gb_s)


def rack_takes(instance: ReservedInstance, holdings: Iterable[RingHolding]) -> Iterator[Take]:
    """Yield what rings across racks take of their uplinks; a machine without one stands alone."""
    racks = {m.name: f"rack {m.rack}" for m in instance.machines if m.rack is not None}
    for holding in holdings:
        for slot, workers in holding.slots.items():
            touched = {racks.get(machine, f"machine {machine}") for machine in workers}
            if len(touched) > 1:
                for place in touched:
                    yield place, slot, Fraction(holding.job.reserved_gb_s)


def capacity_room(instance: ReservedInstance) -> dict[str, Fraction]:
    """Return how much of each resource there is on each machine."""
    return {
        f"machine {machine.name}, {resource}": Fraction(dict(machine.capacity).get(resource, 0))
        for machine in instance.machines
        for resource in instance.resources
    }


def uplink_room(instance: ReservedInstance) -> dict[str, Fraction]:
    """Return what the uplinks of machines carry, where there is a limit."""
    links = {f"machine {machine.name}": machine.uplink_gb_s for machine in instance.machines}
    return {place: Fraction(limit) for place, limit in links.items() if limit is not None}


def rack_room(instance: ReservedInstance) -> dict[str, Fraction]:
    """Return what the uplinks of racks carry, where there is a limit."""
    links = {f"rack {rack.name}": rack.uplink_gb_s for rack in instance.racks}
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
