"""Each rule of the online judge: one schedule that keeps it, one change that breaks it alone."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import (
    Admission,
    Deadline,
    InputError,
    Linear,
    Machine,
    OnlineInstance,
    OnlineSchedule,
    Schedule,
    SlotPlan,
    TrainingJob,
    digest,
)

GPU, CPU = "gpu", "cpu"


def machine(name: str, hosts: str = "both", region: str = "home") -> Machine:
    capacity = ((CPU, Decimal(8)), (GPU, Decimal(4)))
    return Machine(name=name, hosts=hosts, region=region, capacity=capacity)


def job(name: str, **fields: object) -> TrainingJob:
    """A job of 12 samples: a worker does 1 in a slot inside a machine and half across."""
    usual = {
        "samples": 12,
        "batch_samples": 4,
        "sample_s": Decimal("0.5"),
        "gradient_gb": Decimal(1),
        "internal_gb_s": Decimal(1),
        "external_gb_s": Decimal("0.3333333333333333333333333333"),
        "worker": ((GPU, Decimal(1)),),
        "server": ((CPU, Decimal(2)),),
        "utility": Linear(value=Decimal(20), loss_per_slot=Decimal("1.5")),
    }
    return TrainingJob(name=name, **usual | fields)


A = job("a", arrival_slot=1, external_gb_s=Decimal("0.5"), allowed_regions=("home",))
"""2 x 1 x 1 / (b x 4) s of transfer: 0.5 s inside, 1 s across; rates 1 and 2/3."""
INSTANCE = OnlineInstance(
    name="yard",
    machines=(
        machine("m0"),
        machine("m1"),
        machine("w", "workers"),
        machine("s", "servers"),
        machine("far", region="away"),
    ),
    jobs=(A, job("b")),
    horizon_slots=8,
)


def slot(number: int, workers: dict[str, int], servers: dict[str, int]) -> SlotPlan:
    pairs = (tuple(sorted(found.items())) for found in (workers, servers))
    return SlotPlan(slot=number, **dict(zip(("workers", "servers"), pairs, strict=True)))


PLAN = tuple(slot(t, {"m0": 4}, {"m0": 4}) for t in (1, 2, 4))
GOOD = OnlineSchedule(instance="yard", admissions=(Admission(job="a", plan=PLAN),))


def with_plan(*plan: SlotPlan, **fields: object) -> OnlineSchedule:
    return replace(GOOD, admissions=(Admission(job="a", plan=plan, **fields),))


def broken(schedule: OnlineSchedule) -> list[tuple[str, str, Fraction]]:
    return [(v.rule, v.where, v.amount) for v in check(INSTANCE, schedule).violations]


def test_a_good_schedule_is_valid_and_worth_what_its_last_slot_says() -> None:
    verdict = check(INSTANCE, GOOD)
    assert verdict.valid
    assert verdict.completions == {"a": 4}
    assert verdict.objective == Fraction("15.5"), "20 - 1.5 x 3 slots from slot 1 to slot 4"


def test_transfer_across_machines_is_slower() -> None:
    """4 workers across do 8/3 in a slot; 3 slots do 8 of 12 samples, 5 slots enough."""
    spread = [slot(t, {"m0": 2, "m1": 2}, {"m1": 4}) for t in range(1, 6)]
    assert broken(with_plan(*spread[:3])) == [("workload", "admissions[0], job a", Fraction(4))]
    assert check(INSTANCE, with_plan(*spread)).completions == {"a": 5}


def test_one_part_elsewhere_makes_it_across() -> None:
    """The parameter servers alone on another machine: 2/3 of a sample per worker."""
    apart = slot(4, {"m0": 4}, {"m1": 4})
    ((rule, _, amount),) = broken(with_plan(*PLAN[:2], apart))
    assert (rule, amount) == ("workload", 4 - Fraction(8, 3))


BREACHES = {
    "instance_digest": (replace(GOOD, digest="0" * 64), "digest", 1),
    "admitted_once": (
        replace(GOOD, admissions=GOOD.admissions * 2),
        "admissions[1], job a",
        1,
    ),
    "hosts": (
        with_plan(*PLAN, slot(5, {"s": 1}, {"s": 1})),
        "admissions[0], job a, slot 5, workers on s",
        1,
    ),
    "regions": (
        with_plan(*PLAN, slot(5, {"m0": 1, "far": 1}, {"m0": 2})),
        "admissions[0], job a, slot 5, machine far",
        1,
    ),
    "arrival": (
        with_plan(slot(0, {"m1": 1}, {"m1": 1}), *PLAN),
        "admissions[0], job a, slot 0",
        1,
    ),
    "horizon": (
        with_plan(*PLAN, slot(9, {"m1": 1}, {"m1": 1})),
        "admissions[0], job a, slot 9",
        2,
    ),
    "workload": (with_plan(*PLAN[:2]), "admissions[0], job a", 4),
    "batch": (
        with_plan(*PLAN, slot(5, {"m0": 3, "m1": 2}, {"m1": 4, "m0": 1})),
        "admissions[0], job a, slot 5",
        1,
    ),
    "servers": (
        with_plan(*PLAN, slot(5, {"m0": 4}, {"m0": 2})),
        "admissions[0], job a, slot 5",
        2,
    ),
    "completion": (with_plan(*PLAN, completion_slot=3), "admissions[0], job a", 1),
    "utility": (with_plan(*PLAN, utility=Decimal(15)), "admissions[0], job a", Fraction(1, 2)),
}


@pytest.mark.parametrize("rule", BREACHES)
def test_a_breach_is_named_with_its_amount(rule: str) -> None:
    schedule, where, amount = BREACHES[rule]
    assert broken(schedule) == [(rule, where, amount)]


def test_unknown_names_are_named() -> None:
    plan = (slot(1, {"m9": 4}, {"m0": 4}),)
    admissions = (*GOOD.admissions, Admission(job="x", plan=plan))
    assert broken(replace(GOOD, admissions=admissions)) == [
        ("known_names", "admissions[1], job x", 1),
        ("known_names", "admissions[1], job x, slot 1, machine m9", 1),
    ]


def test_capacity_adds_up_what_jobs_hold_together() -> None:
    """Job b's 1 worker and 1 server join job a's 4 and 4: 5 of 4 GPUs, 10 of 8 cores."""
    both = (*GOOD.admissions, Admission(job="b", plan=(slot(2, {"m0": 1}, {"m0": 1}),)))
    found = [v for v in broken(replace(GOOD, admissions=both)) if v[0] == "capacity"]
    assert found == [
        ("capacity", "machine m0, cpu, slot 2", 2),
        ("capacity", "machine m0, gpu, slot 2", 1),
    ]


def test_a_machine_has_nothing_of_what_it_does_not_name() -> None:
    bare = replace(INSTANCE.machines[0], capacity=((CPU, Decimal(8)),))
    instance = replace(INSTANCE, machines=(bare, *INSTANCE.machines[1:]))
    found = [(v.rule, v.amount) for v in check(instance, GOOD).violations]
    assert found == [("capacity", 4)] * 3


def test_amounts_are_exact() -> None:
    """Ten workers of 0.1 fill a capacity of 1; in floating point they would not."""
    tenth = replace(A, worker=((GPU, Decimal("0.1")),), batch_samples=10, samples=1)
    small = ((CPU, Decimal(20)), (GPU, Decimal(1)))
    room = tuple(replace(m, capacity=small) for m in INSTANCE.machines)
    instance = replace(INSTANCE, jobs=(tenth,), machines=room)
    full = with_plan(slot(1, {"m0": 10}, {"m0": 10}))
    assert check(instance, full).valid
    over = with_plan(slot(1, {"m0": 11}, {"m0": 10}))
    assert Fraction(1, 10) in {v.amount for v in check(instance, over).violations}


def test_a_claimed_sum_is_held_against_the_sum() -> None:
    assert broken(replace(GOOD, utility=Decimal(16))) == [("utility", "utility", Fraction(1, 2))]
    claimed = FAMILIES["online"].claimed(GOOD, check(INSTANCE, GOOD))
    assert (claimed.utility, claimed.admissions[0].completion_slot) == (Decimal("15.5"), 4)
    assert check(INSTANCE, claimed).valid


def test_digest_of_the_instance_is_accepted() -> None:
    assert check(INSTANCE, replace(GOOD, digest=digest(INSTANCE))).valid


def test_a_number_below_one_is_a_breach() -> None:
    nothing = slot(5, {"m0": 0}, {"m0": 1})
    assert ("pieces", "admissions[0], job a, slot 5, machine m0", 1) in broken(
        with_plan(*PLAN, nothing)
    )


def test_utility_of_a_deadline_ends_with_it() -> None:
    for last, worth in ((3, 7), (2, 0)):
        timed = replace(A, utility=Deadline(value=Decimal(7), slots=last))
        assert check(replace(INSTANCE, jobs=(timed,)), GOOD).objective == worth


def test_a_schedule_of_another_family_is_refused() -> None:
    with pytest.raises(InputError, match="kind: found 'makespan-schedule', expected the schedule"):
        check(INSTANCE, Schedule(instance="yard", assignments=()))  # type: ignore[call-overload]


def test_every_rule_is_tested_here() -> None:
    here = BREACHES.keys() | {"known_names", "capacity", "pieces"}
    assert here == set(FAMILIES["online"].rules)
