"""What the schedule says will be held: for every job and slot, the one entry that counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ....instances.online.instance import OnlineInstance, OnlineSchedule, SlotPlan, TrainingJob


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineHolding:
    """A job with the entries that count, by slot."""

    job: TrainingJob
    index: int
    slots: Mapping[int, SlotPlan]

    @property
    def last(self) -> int:
        """The last slot with workers, in which the job completes if it completes."""
        return max(self.slots)

    def done(self, instance: OnlineInstance) -> Fraction:
        """Return the samples gone through, in slots that are the job's to use (B1)."""
        workers = {True: 0, False: 0}
        for slot, entry in self.slots.items():
            if self.job.arrival_slot <= slot < instance.horizon_slots:
                machines = {name for name, _ in (*entry.workers, *entry.servers)}
                workers[len(machines) == 1] += sum(count for _, count in entry.workers)
        return sum(
            (n * self.job.rate(inside, instance.slot_s) for inside, n in workers.items() if n),
            Fraction(0),
        )


def holdings_of(instance: OnlineInstance, schedule: OnlineSchedule) -> tuple[OnlineHolding, ...]:
    """Return what counts: the first admission of every known job, its first entry for a slot."""
    jobs = {job.name: job for job in instance.jobs}
    found: dict[str, OnlineHolding] = {}
    for index, admission in enumerate(schedule.admissions):
        job = jobs.get(admission.job)
        if job is not None and job.name not in found and admission.plan:
            slots: dict[int, SlotPlan] = {}
            for entry in admission.plan:
                slots.setdefault(entry.slot, entry)
            found[job.name] = OnlineHolding(job=job, index=index, slots=slots)
    return tuple(found.values())


def overuse(
    instance: OnlineInstance, holdings: tuple[OnlineHolding, ...]
) -> Iterator[tuple[str, str, int, Fraction]]:
    """Yield machine, resource, slot and amount wherever more is held than there is (B3)."""
    scale = _denominators(instance)
    room = {
        (machine.name, resource): int(Fraction(amount) * scale[resource])
        for machine in instance.machines
        for resource, amount in machine.capacity
    }
    used: dict[tuple[str, str, int], int] = {}
    for holding in holdings:
        job = holding.job
        for demand, part in ((job.worker, "workers"), (job.server, "servers")):
            needs = [(r, int(Fraction(amount) * scale[r])) for r, amount in demand]
            for slot, entry in holding.slots.items():
                for machine, count in getattr(entry, part):
                    for resource, amount in needs:
                        key = machine, resource, slot
                        used[key] = used.get(key, 0) + count * amount
    known = {machine.name for machine in instance.machines}
    for (machine, resource, slot), amount in sorted(used.items()):
        excess = amount - room.get((machine, resource), 0)
        if excess > 0 and machine in known:
            yield machine, resource, slot, Fraction(excess, scale[resource])


def _denominators(instance: OnlineInstance) -> dict[str, int]:
    """Return for every resource a number that makes all its amounts whole."""
    scale: dict[str, int] = {}
    lists = [m.capacity for m in instance.machines]
    lists += [demand for job in instance.jobs for demand in (job.worker, job.server)]
    for resource, amount in {pair for pairs in lists for pair in pairs}:
        scale[resource] = lcm(scale.get(resource, 1), Fraction(amount).denominator)
    return scale
