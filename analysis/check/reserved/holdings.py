"""What the schedule says will be held: for every ring and slot, the one entry that counts."""

from collections.abc import Mapping
from dataclasses import dataclass

from ....instances.reserved.instance import ReservedInstance, ReservedRing
from ....instances.reserved.schedule import ReservedSchedule


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
