"""The offline optimum of tiny instances by trying everything that is not plainly worse.

In every slot each job takes one of all its choices of workers and servers; only samples matter,
so of the joint choices of a slot those stay that no other one beats for every job, and the same
of what several slots add up to. The judge has the last word on the schedule found.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil

from ringyard.analysis.check import check
from ringyard.instances import OnlineInstance, OnlineSchedule, TrainingJob
from ringyard.instances.online import Admission, SlotPlan

Choice = tuple[tuple[int, ...], tuple[int, ...]]
"""Workers and servers on each machine."""
Gains = tuple[Fraction, ...]
Path = tuple[tuple[Choice | None, ...], ...]
"""For every slot, the choice of each job."""


def optimum(instance: OnlineInstance) -> tuple[Fraction, OnlineSchedule]:
    """Return the largest sum of utilities, with a schedule that the judge agrees with."""
    jobs, last = instance.jobs, instance.horizon_slots
    ends = [[None, *range(job.arrival_slot, last)] for job in jobs]
    ranked = sorted(product(*ends), key=lambda some: worth(instance, some), reverse=True)
    slots: dict[tuple[bool, ...], dict[Gains, tuple[Choice | None, ...]]] = {}
    for some in ranked:
        path = reached(instance, some, slots)
        if path is not None:
            schedule = schedule_of(instance, some, path)
            verdict = check(instance, schedule)
            assert verdict.valid, verdict.violations
            assert verdict.objective >= worth(instance, some)
            return verdict.objective, schedule
    raise AssertionError("to turn all jobs away is always possible")


def worth(instance: OnlineInstance, ends: tuple[int | None, ...]) -> Fraction:
    """Return the sum of utilities if jobs complete in these slots."""
    pairs = [(job, end) for job, end in zip(instance.jobs, ends, strict=True) if end is not None]
    return sum((Fraction(job.utility.at(end - job.arrival_slot)) for job, end in pairs), Fraction())


def reached(instance: OnlineInstance, ends: tuple[int | None, ...], slots: dict) -> Path | None:
    """Return choices slot by slot that do all the work of the jobs by their ends, or None."""
    found: dict[Gains, Path] = {tuple(Fraction() for _ in ends): ()}
    for slot in range(instance.horizon_slots):
        active = tuple(
            end is not None and job.arrival_slot <= slot <= end
            for job, end in zip(instance.jobs, ends, strict=True)
        )
        if active not in slots:
            slots[active] = best_choices(instance, active)
        sums: dict[Gains, Path] = {}
        for (done, path), (gains, choice) in product(found.items(), slots[active].items()):
            together = zip(instance.jobs, done, gains, strict=True)
            capped = tuple(min(a + b, Fraction(job.work)) for job, a, b in together)
            sums.setdefault(capped, (*path, choice))
        found = unbeaten(sums)
    for done, path in found.items():
        if all(
            end is None or n >= job.work
            for job, n, end in zip(instance.jobs, done, ends, strict=True)
        ):
            return path
    return None


def best_choices(instance: OnlineInstance, active: tuple[bool, ...]) -> dict:
    """Return the joint choices of a slot by what they gain."""
    options = [
        list(choices(instance, job)) if on else [None]
        for job, on in zip(instance.jobs, active, strict=True)
    ]
    found = {}
    for joint in product(*options):
        if fit(instance, joint):
            pairs = zip(instance.jobs, joint, strict=True)
            found.setdefault(tuple(samples(instance, job, choice) for job, choice in pairs), joint)
    return unbeaten(found)


def choices(instance: OnlineInstance, job: TrainingJob) -> Iterator[Choice | None]:
    """Yield all ways to hold workers with no more servers than they need."""
    yield None
    many = len(instance.machines)
    for workers in product(range(job.batch_samples + 1), repeat=many):
        need = ceil(Fraction(sum(workers)) / Fraction(job.workers_per_server))
        if not 0 < sum(workers) <= job.batch_samples:
            continue
        for servers in product(range(need + 1), repeat=many):
            held = zip(instance.machines, workers, servers, strict=True)
            allowed = all(
                (not w or m.hosts != "servers")
                and (not s or m.hosts != "workers")
                and (not w + s or job.allowed_regions is None or m.region in job.allowed_regions)
                for m, w, s in held
            )
            if sum(servers) == need and allowed:
                yield workers, servers


def fit(instance: OnlineInstance, joint: tuple[Choice | None, ...]) -> bool:
    """Return True if the machines hold these choices together."""
    for h, machine in enumerate(instance.machines):
        used: dict[str, Fraction] = {}
        for job, choice in zip(instance.jobs, joint, strict=True):
            if choice is not None:
                for demand, counts in ((job.worker, choice[0]), (job.server, choice[1])):
                    for resource, amount in demand:
                        more = Fraction(amount) * counts[h]
                        used[resource] = used.get(resource, Fraction()) + more
        room = dict(machine.capacity)
        if any(amount > room.get(resource, 0) for resource, amount in used.items()):
            return False
    return True


def samples(instance: OnlineInstance, job: TrainingJob, choice: Choice | None) -> Fraction:
    """Return the samples that a choice goes through in a slot."""
    if choice is None:
        return Fraction()
    machines = sum(w + s > 0 for w, s in zip(*choice, strict=True))
    return sum(choice[0]) * job.rate(machines == 1, instance.slot_s)


def unbeaten(found: dict) -> dict:
    """Return the entries whose gains no other entry reaches for every job."""
    kept: dict = {}
    for gains in sorted(found, reverse=True):
        if not any(all(a >= b for a, b in zip(other, gains, strict=True)) for other in kept):
            kept[gains] = found[gains]
    return kept


def schedule_of(
    instance: OnlineInstance, ends: tuple[int | None, ...], path: Path
) -> OnlineSchedule:
    """Return the choices of a path as a schedule."""
    names = [machine.name for machine in instance.machines]
    admissions = []
    for i, (job, end) in enumerate(zip(instance.jobs, ends, strict=True)):
        plan = [
            SlotPlan(slot=slot, workers=pieces(names, held[0]), servers=pieces(names, held[1]))
            for slot, joint in enumerate(path)
            if (held := joint[i]) is not None
        ]
        if end is not None:
            admissions.append(Admission(job=job.name, plan=tuple(plan)))
    return OnlineSchedule(instance=instance.name, admissions=tuple(admissions))


def pieces(names: list[str], counts: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((name, count) for name, count in zip(names, counts, strict=True) if count)
