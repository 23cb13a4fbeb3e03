"""The rules of a `reserved` schedule: one function each, its docstring the rule.

A rule yields (where, amount) for every breach. Numbers such as (2) are those of GADGET, as
`docs/reserved/gadget.md` writes them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.reserved.instance import (
    ReservedInstance,
    ReservedRing,
    ReservedSchedule,
    RingPlan,
    RingSlot,
)
from ..judge import ONE, Breaches, Rule, instance_digest, misclaimed
from .holdings import (
    RingHolding,
    beyond,
    capacity_room,
    capacity_takes,
    rack_room,
    rack_takes,
    uplink_room,
    uplink_takes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedCase:
    """All that the rules look at: instance, schedule, what counts of it, what it is worth."""

    instance: ReservedInstance
    schedule: ReservedSchedule
    holdings: tuple[RingHolding, ...]
    gains: Mapping[str, Fraction]

    def plans(self) -> Iterator[tuple[str, RingPlan, ReservedRing]]:
        """Yield every plan of a known ring: where it stands, the plan, the ring."""
        jobs = {job.name: job for job in self.instance.jobs}
        for i, plan in enumerate(self.schedule.plans):
            if plan.job in jobs:
                yield f"plans[{i}], job {plan.job}", plan, jobs[plan.job]

    def entries(self) -> Iterator[tuple[str, RingSlot, ReservedRing]]:
        """Yield every entry of a known ring: where it stands, the entry, the ring."""
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
    yield from beyond(uplink_takes(case.holdings), uplink_room(case.instance))


def rack_uplinks(case: ReservedCase) -> Breaches:
    """Rings across racks take no more of a rack's uplink than it carries (7)-(9)."""
    yield from beyond(rack_takes(case.instance, case.holdings), rack_room(case.instance))


def gain(case: ReservedCase) -> Breaches:
    """A claimed gain is that of the progress made; a claimed sum is their sum."""
    for holding in case.holdings:
        claimed = case.schedule.plans[holding.index].gain
        where = f"plans[{holding.index}], job {holding.job.name}"
        yield from misclaimed(where, claimed, case.gains[holding.job.name])
    yield from misclaimed("gain", case.schedule.gain, sum(case.gains.values(), Fraction(0)))


ALL: tuple[Rule, ...] = (
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
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
