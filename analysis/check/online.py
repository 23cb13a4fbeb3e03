"""The judge of `online` schedules: holdings of jobs in each slot, the rules, and the verdict.

Only the first entry for a job and slot is used. Numbers such as (B3) are from PD-ORS, as in
`docs/families/online.md`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from ...instances.online import Admission, OnlineInstance, OnlineSchedule, SlotPlan, TrainingJob
from ...instances.regions import may_run
from .judge import ONE, AnyVerdict, Breaches, Rules, instance_digest, misclaimed


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineHolding:
    """A job with its used entries, by slot."""

    job: TrainingJob
    index: int
    slots: Mapping[int, SlotPlan]

    @property
    def last(self) -> int:
        """The last slot with workers, the completion slot if the job completes."""
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
    """Return the first admission of every known job, with its first entry for each slot."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineCase:
    """The data of all rules: instance, schedule, its used entries, and its value."""

    instance: OnlineInstance
    schedule: OnlineSchedule
    holdings: tuple[OnlineHolding, ...]
    utilities: Mapping[str, Fraction]
    """The worth of each admitted job that completes."""

    def admissions(self) -> Iterator[tuple[str, Admission, TrainingJob]]:
        """Yield every admission of a known job: its place, the admission, the job."""
        jobs = {job.name: job for job in self.instance.jobs}
        for i, admission in enumerate(self.schedule.admissions):
            if admission.job in jobs:
                yield f"admissions[{i}], job {admission.job}", admission, jobs[admission.job]

    def entries(self) -> Iterator[tuple[str, SlotPlan, TrainingJob]]:
        """Yield every entry of a known job: its place, the entry, the job."""
        for where, admission, job in self.admissions():
            for entry in admission.plan:
                yield f"{where}, slot {entry.slot}", entry, job

    def place(self, holding: OnlineHolding) -> str:
        """Return the place of the used admission of a job."""
        return f"admissions[{holding.index}], job {holding.job.name}"


def known_names(case: OnlineCase) -> Breaches:
    """Every job and machine that the schedule names is in the instance."""
    jobs = {job.name for job in case.instance.jobs}
    machines = {machine.name for machine in case.instance.machines}
    for i, admission in enumerate(case.schedule.admissions):
        if admission.job not in jobs:
            yield f"admissions[{i}], job {admission.job}", ONE
        for entry in admission.plan:
            for machine in dict(entry.workers) | dict(entry.servers):
                if machine not in machines:
                    where = f"admissions[{i}], job {admission.job}, slot {entry.slot}"
                    yield f"{where}, machine {machine}", ONE


def admitted_once(case: OnlineCase) -> Breaches:
    """A job is admitted once at most, and each of its slots has one entry."""
    seen: set[str] = set()
    for where, admission, _ in case.admissions():
        if admission.job in seen:
            yield where, ONE
        seen.add(admission.job)
        entries = Counter(entry.slot for entry in admission.plan)
        for slot in sorted(entries):
            if entries[slot] > 1:
                yield f"{where}, slot {slot}", Fraction(entries[slot] - 1)


def hosts(case: OnlineCase) -> Breaches:
    """Workers and parameter servers are on machines that may hold them."""
    machines = {machine.name: machine for machine in case.instance.machines}
    for where, entry, _ in case.entries():
        for part, counts in (("workers", entry.workers), ("servers", entry.servers)):
            for name, count in counts:
                if name in machines and machines[name].hosts not in ("both", part):
                    yield f"{where}, {part} on {name}", Fraction(count)


def regions(case: OnlineCase) -> Breaches:
    """A job is only on machines in regions that it may run in."""
    machines = {machine.name: machine for machine in case.instance.machines}
    for where, entry, job in case.entries():
        for name in sorted(dict(entry.workers) | dict(entry.servers)):
            if name in machines and not may_run(job, machines[name]):
                yield f"{where}, machine {name}", ONE


def arrival(case: OnlineCase) -> Breaches:
    """No job works before it arrives (B5)."""
    for where, entry, job in case.entries():
        if entry.slot < job.arrival_slot:
            yield where, Fraction(job.arrival_slot - entry.slot)


def horizon(case: OnlineCase) -> Breaches:
    """No job works after the last slot."""
    for where, entry, _ in case.entries():
        late = entry.slot - case.instance.horizon_slots + 1
        if late > 0:
            yield where, Fraction(late)


def pieces(case: OnlineCase) -> Breaches:
    """A number of workers or parameter servers is one or more."""
    for where, entry, _ in case.entries():
        for machine, count in (*entry.workers, *entry.servers):
            if count < 1:
                yield f"{where}, machine {machine}", Fraction(1 - count)


def workload(case: OnlineCase) -> Breaches:
    """An admitted job processes all its samples (B1)."""
    for holding in case.holdings:
        short = holding.job.work - holding.done(case.instance)
        if short > 0:
            yield case.place(holding), short


def batch(case: OnlineCase) -> Breaches:
    """A job has no more workers in a slot than samples in a batch (B2)."""
    for where, entry, job in case.entries():
        excess = sum(count for _, count in entry.workers) - job.batch_samples
        if excess > 0:
            yield where, Fraction(excess)


def capacity(case: OnlineCase) -> Breaches:
    """No machine holds more of a resource than it has, in any slot (B3)."""
    for machine, resource, slot, excess in overuse(case.instance, case.holdings):
        yield f"machine {machine}, {resource}, slot {slot}", excess


def servers(case: OnlineCase) -> Breaches:
    """A job has a parameter server for every `workers_per_server` workers, or part (B4)."""
    for where, entry, job in case.entries():
        workers = sum(count for _, count in entry.workers)
        need = ceil(Fraction(workers) / Fraction(job.workers_per_server))
        short = need - sum(count for _, count in entry.servers)
        if short > 0:
            yield where, Fraction(short)


def completion(case: OnlineCase) -> Breaches:
    """A claimed completion slot is the last slot with workers of the job."""
    for holding in case.holdings:
        claimed = case.schedule.admissions[holding.index].completion_slot
        yield from misclaimed(case.place(holding), claimed, holding.last)


def utility(case: OnlineCase) -> Breaches:
    """A claimed utility is the utility of the completion slot. A claimed sum is their sum."""
    for holding in case.holdings:
        claimed = case.schedule.admissions[holding.index].utility
        worth = case.utilities.get(holding.job.name, Fraction(0))
        yield from misclaimed(case.place(holding), claimed, worth)
    total = sum(case.utilities.values(), Fraction(0))
    yield from misclaimed("utility", case.schedule.utility, total)


RULES = Rules(
    instance_digest,
    known_names,
    admitted_once,
    hosts,
    regions,
    arrival,
    horizon,
    pieces,
    workload,
    batch,
    capacity,
    servers,
    completion,
    utility,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineVerdict(AnyVerdict):
    """Every violation, and the value of the schedule.

    `completions` holds the last working slot of every admitted job that processes all its samples,
    and `utilities` its value. Other jobs have no value.
    """

    completions: Mapping[str, int]
    utilities: Mapping[str, Fraction]

    @property
    def objective(self) -> Fraction:
        """The sum of the utilities."""
        return sum(self.utilities.values(), Fraction(0))


def check_online(instance: OnlineInstance, schedule: OnlineSchedule) -> OnlineVerdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge continues after a violation. It uses the first admission of every job and its first
    entry for a slot, whatever errors exist elsewhere.
    """
    holdings = holdings_of(instance, schedule)
    done = [h for h in holdings if h.done(instance) >= h.job.work]
    completions = {h.job.name: h.last for h in done}
    utilities = {
        h.job.name: Fraction(h.job.utility.at(max(0, h.last - h.job.arrival_slot))) for h in done
    }
    case = OnlineCase(instance=instance, schedule=schedule, holdings=holdings, utilities=utilities)
    return OnlineVerdict(
        violations=RULES.violations(case),
        completions=completions,
        utilities=utilities,
    )
