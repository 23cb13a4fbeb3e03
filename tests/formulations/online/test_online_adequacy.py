"""A schedule written into an online program is feasible there exactly if the judge accepts it."""

from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from brute import optimum
from programs_breaches import breached
from tiny import tiny

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.instances import InputError, OnlineInstance, OnlineSchedule
from ringyard.instances.online import Admission, SlotPlan


def written(name: str, instance: OnlineInstance, schedule: OnlineSchedule) -> Any:
    program = find_formulation(name)
    model = program.build(instance)
    program.write(model, schedule)
    return model


def shaken(instance: OnlineInstance, best: OnlineSchedule, rng: Random) -> OnlineSchedule:
    """Return a schedule with about a third of its entries drawn anew, right by luck only."""
    works = [m.name for m in instance.machines if m.may_hold("workers")]
    serves = [m.name for m in instance.machines if m.may_hold("servers")]

    def entry(slot: int) -> SlotPlan:
        workers, servers = (rng.choice(names) for names in (works, serves))
        return at(slot, {workers: rng.randint(1, 3)}, {servers: rng.randint(1, 2)})

    admissions = [
        replace(one, plan=tuple(entry(old.slot) if rng.random() < 0.3 else old for old in one.plan))
        for one in best.admissions
    ]
    return replace(best, admissions=tuple(admissions))


def test_program_and_judge_agree_on_random_schedules() -> None:
    rng, counts = Random(0), {True: 0, False: 0}
    for seed in range(150):
        instance = tiny(seed)
        schedule = shaken(instance, optimum(instance)[1], rng)
        verdict, model = check(instance, schedule), written("offline", instance, schedule)
        found = breached(model)
        assert (found == set()) == verdict.valid
        assert {violation.rule for violation in verdict.violations} <= found
        if verdict.valid:
            assert model.total_utility() == pytest.approx(float(verdict.objective), abs=1e-9)
        counts[verdict.valid] += 1
    assert min(counts.values()) > 30


@pytest.mark.parametrize("name", ["offline", "schedules"])
def test_an_optimum_breaks_no_row_and_is_read_again(name: str) -> None:
    for seed in range(30):
        instance = tiny(seed)
        value, best = optimum(instance)
        model = written(name, instance, best)
        assert breached(model) == set()
        assert model.total_utility() == pytest.approx(float(value), abs=1e-9)
        assert check(instance, find_formulation(name).read(model)).objective == value


def test_oasis_accepts_what_is_across_only() -> None:
    seen = 0
    for seed in range(60):
        instance = tiny(seed)
        _, best = optimum(instance)
        plans = [entry for one in best.admissions for entry in one.plan]
        if plans and all({m for m, _ in p.workers} != {m for m, _ in p.servers} for p in plans):
            seen += 1
            assert breached(written("oasis", instance, best)) == set()
    assert seen > 5


def two() -> tuple[OnlineInstance, OnlineSchedule]:
    """Return two machines, one job of 3 workers and 4 worker-slots, and a right plan for it."""
    instance = replace(tiny(0), name="two")
    machine = replace(
        instance.machines[0], capacity=(("cpu", Decimal(3)), ("gpu", Decimal(3))), hosts="both"
    )
    job = replace(
        instance.jobs[0],
        arrival_slot=0,
        epochs=1,
        samples=20,
        batch_samples=3,
        sample_s=Decimal("0.2"),
        gradient_gb=Decimal(0),
        workers_per_server=Decimal(2),
        worker=(("gpu", Decimal(1)),),
        server=(("cpu", Decimal(1)),),
    )
    instance = replace(
        instance,
        machines=(replace(machine, name="m0"), replace(machine, name="m1")),
        jobs=(job,),
        slot_s=Decimal(1),
    )
    plan = (at(0, {"m0": 2}, {"m0": 1}), at(1, {"m0": 1, "m1": 1}, {"m1": 1}))
    return instance, OnlineSchedule(
        instance="two", admissions=(Admission(job=job.name, plan=plan),)
    )


def at(slot: int, workers: dict[str, int], servers: dict[str, int]) -> SlotPlan:
    return SlotPlan(slot=slot, workers=tuple(workers.items()), servers=tuple(servers.items()))


def with_entry(schedule: OnlineSchedule, entry: SlotPlan) -> OnlineSchedule:
    """Return the schedule with another entry for a slot."""
    first = schedule.admissions[0]
    plan = tuple(entry if old.slot == entry.slot else old for old in first.plan)
    return replace(schedule, admissions=(replace(first, plan=plan),))


@pytest.mark.parametrize("name", ["offline", "oasis", "schedules"])
def test_a_right_plan_breaks_nothing(name: str) -> None:
    instance, schedule = two()
    assert check(instance, schedule).valid
    assert breached(written(name, instance, schedule)) == set()


@pytest.mark.parametrize("name", ["offline", "oasis"])
@pytest.mark.parametrize(
    ("rule", "entry"),
    [
        ("workload", at(1, {"m0": 1}, {"m0": 1})),
        ("batch", at(1, {"m0": 2, "m1": 2}, {"m0": 1, "m1": 1})),
        ("servers", at(1, {"m0": 2, "m1": 1}, {"m0": 1})),
        ("servers", at(1, {"m0": 3}, {"m0": 1})),
        ("capacity", at(1, {"m0": 2}, {"m0": 1, "m1": 4})),
    ],
)
def test_a_wrong_plan_breaks_the_row_of_the_rule(name: str, rule: str, entry: SlotPlan) -> None:
    instance, schedule = two()
    wrong = with_entry(schedule, entry)
    assert {violation.rule for violation in check(instance, wrong).violations} == {rule}
    assert rule in breached(written(name, instance, wrong))


@pytest.mark.parametrize("name", ["offline", "oasis"])
def test_a_job_admitted_twice_breaks_that_row(name: str) -> None:
    instance, schedule = two()
    twice = replace(schedule, admissions=schedule.admissions * 2)
    assert "admitted_once" in {violation.rule for violation in check(instance, twice).violations}
    assert "admitted_once" in breached(written(name, instance, twice))


@pytest.mark.parametrize("name", ["offline", "oasis"])
def test_work_after_the_claimed_completion_breaks_that_row(name: str) -> None:
    instance, schedule = two()
    early = replace(schedule.admissions[0], completion_slot=0)
    wrong = replace(schedule, admissions=(early,))
    assert {v.rule for v in check(instance, wrong).violations} == {"completion"}
    assert breached(written(name, instance, wrong)) == {"completion"}


def test_two_jobs_in_one_place_break_the_capacity_of_schedules() -> None:
    instance, schedule = two()
    other = replace(instance.jobs[0], name="other")
    both = replace(instance, jobs=(*instance.jobs, other))
    first = schedule.admissions[0]
    wrong = replace(schedule, admissions=(first, replace(first, job="other")))
    assert {v.rule for v in check(both, wrong).violations} == {"capacity"}
    assert breached(written("schedules", both, wrong)) == {"capacity"}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (at(7, {"m0": 1}, {"m0": 1}), "a slot from 0 to 2"),
        (at(1, {"m9": 1}, {"m0": 1}), "a machine that may hold workers"),
        (at(1, {"m0": 1}, {"m1": 1}), "a machine that may hold servers"),
    ],
)
def test_what_no_variable_can_say_is_refused(entry: SlotPlan, said: str) -> None:
    instance, schedule = two()
    alone = replace(instance.machines[1], hosts="workers")
    instance = replace(instance, machines=(instance.machines[0], alone))
    first = replace(schedule.admissions[0], plan=(entry,))
    with pytest.raises(InputError, match=said):
        written("offline", instance, replace(schedule, admissions=(first,)))


def test_a_plan_that_does_not_complete_is_in_no_list() -> None:
    instance, schedule = two()
    with pytest.raises(InputError, match="alone would complete"):
        written("schedules", instance, with_entry(schedule, at(1, {"m0": 1}, {"m0": 1})))
