"""All that a job may hold in a slot, and all schedules of a job, without those that others beat."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ...instances import OnlineInstance, TrainingJob
from ...instances.online.instance import Machine
from ...instances.regions import may_run
from .rooms import servers_needed

Use = dict[tuple[str, str], Fraction]
"""What is taken of a machine's resource."""


class WorkerChoice(NamedTuple):
    """Workers and parameter servers by machine, with what they achieve and take."""

    workers: dict[str, int]
    servers: dict[str, int]
    samples: Fraction
    use: Use


Course = tuple[tuple[int, WorkerChoice], ...]
"""A schedule of one job: slots in which it works, with its choices."""


def choices(instance: OnlineInstance, job: TrainingJob) -> list[WorkerChoice]:
    """Return what a job may hold on empty machines; no other choice does more and takes no more."""
    found = sorted(_all(instance, job), key=lambda c: (-c.samples, sum(c.use.values())))
    kept: list[WorkerChoice] = []
    for choice in found:
        if not any(within(other.use, choice.use) for other in kept):
            kept.append(choice)
    return kept


def courses(instance: OnlineInstance, job: TrainingJob) -> Iterator[Course]:
    """Yield every schedule of a job in which no slot could be left out."""
    options, last = choices(instance, job), instance.horizon_slots
    most = max((choice.samples for choice in options), default=Fraction(0))

    def extend(course: Course, slot: int, left: Fraction) -> Iterator[Course]:
        if left <= 0:
            if all(choice.samples > -left for _, choice in course):
                yield course
        elif left <= most * (last - slot):
            yield from extend(course, slot + 1, left)
            for choice in options:
                yield from extend((*course, (slot, choice)), slot + 1, left - choice.samples)

    yield from extend((), job.arrival_slot, Fraction(job.work))


def within(small: Use, large: Use) -> bool:
    """Say whether one takes no more than the other of anything."""
    return all(amount <= large.get(key, 0) for key, amount in small.items())


def _all(instance: OnlineInstance, job: TrainingJob) -> Iterator[WorkerChoice]:
    gamma = Fraction(job.workers_per_server)
    for workers in _spreads(instance, "worker", job, job.batch_samples):
        count = sum(workers.values())
        need = servers_needed(count, gamma)
        for servers in _spreads(instance, "server", job, need) if count else ():
            use = taken(job, workers, servers)
            if sum(servers.values()) == need and _fits(instance, use):
                rate = job.rate(len(workers | servers) == 1, instance.slot_s)
                yield WorkerChoice(workers, servers, count * rate, use)


def _spreads(
    instance: OnlineInstance, part: str, job: TrainingJob, most: int
) -> Iterator[dict[str, int]]:
    """Yield all ways to put up to `most` parts on machines that hold them while empty."""
    demand = dict(getattr(job, part))
    limits = [
        _most(machine, part, demand, most) if may_run(job, machine) else 0
        for machine in instance.machines
    ]
    for counts in product(*(range(limit + 1) for limit in limits)):
        if sum(counts) <= most:
            pairs = zip(instance.machines, counts, strict=True)
            yield {machine.name: count for machine, count in pairs if count}


def _most(machine: Machine, part: str, demand: dict[str, Decimal], most: int) -> int:
    if machine.hosts not in ("both", f"{part}s"):
        return 0
    room = dict(machine.capacity)
    fits = [int(room.get(resource, 0) // amount) for resource, amount in demand.items()]
    return min([most, *fits])


def taken(job: TrainingJob, workers: dict[str, int], servers: dict[str, int]) -> Use:
    """Return what workers and parameter servers take."""
    use: Use = {}
    for demand, counts in ((job.worker, workers), (job.server, servers)):
        for machine, count in counts.items():
            for resource, amount in demand:
                key = machine, resource
                use[key] = use.get(key, Fraction(0)) + count * Fraction(amount)
    return use


def _fits(instance: OnlineInstance, use: Use) -> bool:
    room = {
        (m.name, resource): amount for m in instance.machines for resource, amount in m.capacity
    }
    return all(amount <= room.get(key, 0) for key, amount in use.items())
