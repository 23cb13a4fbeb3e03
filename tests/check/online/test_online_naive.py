"""The judge against a second one written the plain way, on random good and bad schedules."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from numpy.random import Generator, default_rng

import ringyard
from ringyard.analysis.check import check
from ringyard.instances import Admission, OnlineInstance, OnlineSchedule, SlotPlan


def draw(instance: OnlineInstance, rng: Generator) -> OnlineSchedule:
    """Return plans at random: some fit, some do not, some name what is not there."""
    machines = [machine.name for machine in instance.machines] + ["nowhere"]
    weights = np.array([1.0] * len(instance.machines) + [0.05])

    def part(most: int) -> tuple[tuple[str, int], ...]:
        count = int(rng.integers(1, 3))
        names = rng.choice(machines, count, replace=False, p=weights / weights.sum())
        return tuple(sorted((str(name), int(rng.integers(1, most + 1))) for name in names))

    admissions = []
    for job in instance.jobs:
        for _ in range(int(rng.choice([0, 1, 1, 1, 2], p=[0.2, 0.3, 0.2, 0.2, 0.1]))):
            slots = rng.integers(max(0, job.arrival_slot - 1), instance.horizon_slots + 1, 4)
            plan = []
            for slot in slots:
                workers = part(job.batch_samples)
                servers = workers if rng.random() < 0.5 else part(3)
                plan.append(SlotPlan(slot=int(slot), workers=workers, servers=servers))
            admissions.append(Admission(job=job.name, plan=tuple(plan)))
    rng.shuffle(admissions)  # type: ignore[arg-type]
    return OnlineSchedule(instance=instance.name, admissions=tuple(admissions))


def naive(instance: OnlineInstance, schedule: OnlineSchedule) -> dict[str, object]:
    """Describe what is wrong and what it is worth, by loops over everything."""
    jobs = {job.name: job for job in instance.jobs}
    known = {machine.name: machine for machine in instance.machines}
    first: dict[str, dict[int, SlotPlan]] = {}
    for admission in schedule.admissions:
        if admission.job not in first:
            slots: dict[int, SlotPlan] = {}
            for entry in admission.plan:
                if entry.slot not in slots:
                    slots[entry.slot] = entry
            first[admission.job] = slots
    over: dict[tuple[str, str, int], Fraction] = {}
    for name, machine in known.items():
        for resource in instance.resources:
            for slot in range(instance.horizon_slots + 2):
                used = Fraction(0)
                for job_name, slots in first.items():
                    if slot in slots:
                        job, entry = jobs[job_name], slots[slot]
                        used += dict(entry.workers).get(name, 0) * Fraction(
                            dict(job.worker).get(resource, 0)
                        )
                        used += dict(entry.servers).get(name, 0) * Fraction(
                            dict(job.server).get(resource, 0)
                        )
                excess = used - Fraction(dict(machine.capacity).get(resource, 0))
                if excess > 0:
                    over[name, resource, slot] = excess
    worth, short = Fraction(0), {}
    for name, slots in first.items():
        job, done = jobs[name], Fraction(0)
        for slot, entry in slots.items():
            if job.arrival_slot <= slot < instance.horizon_slots:
                places = {m for m, _ in entry.workers} | {m for m, _ in entry.servers}
                rate = job.rate(len(places) == 1, instance.slot_s)
                done += rate * sum(count for _, count in entry.workers)
        if done >= job.epochs * job.samples:
            worth += Fraction(job.utility.at(max(0, max(slots) - job.arrival_slot)))
        else:
            short[name] = job.epochs * job.samples - done
    lacking = 0
    for admission in schedule.admissions:
        for entry in admission.plan:
            need = ceil(
                Fraction(sum(c for _, c in entry.workers))
                / Fraction(jobs[admission.job].workers_per_server)
            )
            lacking += max(0, need - sum(c for _, c in entry.servers))
    return {"over": over, "worth": worth, "short": short, "lacking": lacking}


@pytest.mark.parametrize("seed", range(120))
def test_both_judges_agree(seed: int) -> None:
    rng = default_rng(seed)
    size = {"jobs": 2 + seed % 4, "machines": 1 + seed % 3, "slots": 3 + seed % 3}
    instance = ringyard.generate("pdors-small", seed=seed, **size)
    schedule = draw(instance, rng)
    verdict, plain = check(instance, schedule), naive(instance, schedule)
    by_rule: dict[str, dict[str, Fraction]] = {}
    for violation in verdict.violations:
        by_rule.setdefault(violation.rule, {})[violation.where] = violation.amount
    over = {f"machine {m}, {r}, slot {t}": amount for (m, r, t), amount in plain["over"].items()}
    assert by_rule.get("capacity", {}) == over
    short = {where.rpartition(" ")[2]: a for where, a in by_rule.get("workload", {}).items()}
    assert short == plain["short"]
    found = sum(v.amount for v in verdict.violations if v.rule == "servers")
    assert found == plain["lacking"]
    assert verdict.objective == plain["worth"]
