"""What a schedule holds slot by slot, for `write`; and numbers as a schedule again, for `read`."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...instances import OnlineInstance, OnlineSchedule, digest
from ...instances.errors import Problem, Words, raise_any
from ...instances.online.instance import Admission, SlotPlan
from ...instances.regions import may_run

Counts = Mapping[str, float]


class PlanEntry(NamedTuple):
    """An entry of a plan, with the machine that holds all of it, or None."""

    job: str
    slot: int
    workers: dict[str, int]
    servers: dict[str, int]
    inside: str | None


def entries(instance: OnlineInstance, schedule: OnlineSchedule) -> list[PlanEntry]:
    """Return all entries of a schedule.

    Raises:
        InputError: If the schedule says what no program with slots has variables for.
    """
    raise_any("schedule", _unsayable(instance, schedule))
    found = []
    for admission in schedule.admissions:
        for entry in admission.plan:
            workers, servers = dict(entry.workers), dict(entry.servers)
            places = list(workers | servers)
            inside = places[0] if len(places) == 1 else None
            found.append(PlanEntry(admission.job, entry.slot, workers, servers, inside))
    return found


def ends(schedule: OnlineSchedule) -> list[tuple[str, int]]:
    """Return every admitted job with the slot in which it completes, as it claims or works."""
    return [
        (
            admission.job,
            max(entry.slot for entry in admission.plan)
            if admission.completion_slot is None
            else admission.completion_slot,
        )
        for admission in schedule.admissions
    ]


def _unsayable(instance: OnlineInstance, schedule: OnlineSchedule) -> Iterator[Problem]:
    jobs = {job.name: job for job in instance.jobs}
    machines = {machine.name: machine for machine in instance.machines}
    for i, admission in enumerate(schedule.admissions):
        job = jobs.get(admission.job)
        if job is None:
            expected = "the name of a job"
            yield Problem(f"admissions[{i}].job", admission.job, expected, "correct or remove it")
            continue
        slots = [entry.slot for entry in admission.plan]
        if admission.completion_slot is not None:
            slots.append(admission.completion_slot)
        for slot in slots:
            if not job.arrival_slot <= slot < instance.horizon_slots:
                expected = f"a slot from {job.arrival_slot} to {instance.horizon_slots - 1}"
                yield Problem(f"admissions[{i}].plan", slot, expected, "move or remove it")
        for entry in admission.plan:
            for part, held in (("workers", entry.workers), ("servers", entry.servers)):
                for name, _ in held:
                    if name not in machines or not machines[name].may_hold(part):  # type: ignore[arg-type]
                        expected = f"a machine that may hold {part}"
                        path = f"admissions[{i}].plan"
                        yield Problem(path, Words(name), expected, "correct or remove it")
                    elif not may_run(job, machines[name]):
                        expected = "a machine in a region that the job may run in"
                        path = f"admissions[{i}].plan"
                        yield Problem(path, Words(name), expected, "correct or remove it")


def schedule_of(
    instance: OnlineInstance, method: str, held: Mapping[tuple[str, int], tuple[Counts, Counts]]
) -> OnlineSchedule:
    """Return the schedule of workers and servers by job and slot, rounded to whole ones.

    A slot without workers is left out, and so is a job without slots.
    """
    plans: dict[str, list[SlotPlan]] = {}
    for (job, slot), (workers, servers) in sorted(held.items(), key=lambda item: item[0][1]):
        if whole := _pieces(workers):
            entry = SlotPlan(slot=slot, workers=whole, servers=_pieces(servers))
            plans.setdefault(job, []).append(entry)
    return OnlineSchedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        admissions=tuple(
            Admission(job=job.name, plan=tuple(plans[job.name]))
            for job in instance.jobs
            if job.name in plans
        ),
    )


def _pieces(counts: Counts) -> tuple[tuple[str, int], ...]:
    rounded = {machine: round(count) for machine, count in counts.items()}
    return tuple(sorted((machine, count) for machine, count in rounded.items() if count))
