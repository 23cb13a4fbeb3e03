"""What holds for every baseline: valid, deterministic, blind to the future, polite."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from online_small import (
    FLAT,
    asked,
    machine,
    mixed_instances,
    online,
    run_checked,
    training_job,
    workers_by_slot,
)

import ringyard
from ringyard.instances import InputError, Limits, OnlineInstance, Sigmoid, TerminationReason
from ringyard.instances.generate import with_options
from ringyard.policies.online import oasis, rrh
from ringyard.policies.online.baselines import DORM, DRF, FIFO

BASELINES = {"fifo": FIFO, "drf": DRF, "dorm": DORM, "oasis": oasis, "rrh": rrh}
each = pytest.mark.parametrize("module", BASELINES.values(), ids=BASELINES)


@each
def test_every_schedule_passes_the_judge_and_every_admitted_job_completes(module: Any) -> None:
    admitted = sum(
        len(run_checked(module, instance, seed).admissions)
        for seed, instance in enumerate(mixed_instances(20))
    )
    assert admitted > 20


@pytest.mark.parametrize("name", BASELINES)
def test_a_schedule_names_its_instance_and_its_method(name: str) -> None:
    instance = ringyard.generate("pdors-small", seed=3)
    schedule = run_checked(BASELINES[name], instance)
    assert (schedule.instance, schedule.method) == (instance.name, name)
    assert schedule.digest == ringyard.instances.digest(instance)


@pytest.mark.parametrize("module", [FIFO, DRF, DORM], ids=["fifo", "drf", "dorm"])
def test_what_happens_first_does_not_depend_on_later_jobs(module: Any) -> None:
    """Jobs that complete before the others arrive have the same plans without them."""
    compared = 0
    for seed, instance in enumerate(mixed_instances(10)):
        slot = instance.horizon_slots // 2
        early = tuple(job for job in instance.jobs if job.arrival_slot < slot)
        if early:
            with_all = completed_before(slot, module, instance, seed)
            compared += len(with_all)
            assert with_all == completed_before(slot, module, replace(instance, jobs=early), seed)
    assert compared > 5


def completed_before(slot: int, module: Any, instance: OnlineInstance, seed: int) -> dict[str, Any]:
    schedule = run_checked(module, instance, seed)
    return {a.job: a.plan for a in schedule.admissions if a.plan[-1].slot < slot}


@pytest.mark.parametrize("module", [FIFO, DRF, DORM], ids=["fifo", "drf", "dorm"])
def test_utilities_do_not_matter(module: Any) -> None:
    for instance in mixed_instances(10):
        flat = replace(instance, jobs=tuple(replace(job, utility=FLAT) for job in instance.jobs))
        assert workers_by_slot(run_checked(module, flat)) == workers_by_slot(
            run_checked(module, instance)
        )


@each
def test_a_time_limit_keeps_what_is_complete(module: Any) -> None:
    instance = ringyard.generate("pdors-small", seed=1, jobs=30, slots=20, machines=8)
    outcome = module.run(instance, asked(module, limits=Limits(time_s=0.0)))
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert ringyard.check(instance, outcome.schedule).valid
    full = run_checked(module, instance)
    assert len(outcome.schedule.admissions) < len(full.admissions)


@each
def test_whoever_watches_sees_every_completion(module: Any) -> None:
    instance, seen = ringyard.generate("pdors-small", seed=3), list[Any]()
    outcome = module.run(instance, asked(module, limits=Limits(watch=seen.append)))
    assert seen[-1].schedule == outcome.schedule
    assert len(seen) == len(outcome.schedule.admissions) > 1
    for incumbent in seen:
        verdict = ringyard.check(instance, incumbent.schedule)
        assert verdict.valid
        assert incumbent.value == pytest.approx(float(verdict.objective))


@each
def test_jobs_beyond_all_bounds_are_turned_away(module: Any) -> None:
    """Work for ages, batches of a billion, 10^15 servers for a worker: only `plain` completes."""
    steep = Sigmoid(value=Decimal(9), steepness=Decimal(10**6), midpoint_slots=Decimal(1))
    ages = {"samples": 10**9, "epochs": 10**9, "utility": steep}
    jobs = [
        training_job("plain"),
        training_job("ages", arrival_slot=2, **ages),
        training_job("wide", arrival_slot=2, batch_samples=10**9, **ages),
        training_job("served", arrival_slot=2, workers_per_server=Decimal("1e-15")),
    ]
    machines = [machine(name, cpu=10**6, port=10) for name in "abcd"]
    schedule = run_checked(module, online(machines, jobs, 5))
    assert [admission.job for admission in schedule.admissions] == ["plain"]


@pytest.mark.parametrize(
    ("options", "given", "expected"),
    [
        (FIFO.Options(), {"workers": 0}, "workers: found 0, expected"),
        (FIFO.Options(), {"line": "long"}, "line: found 'long', expected"),
        (DORM.Options(), {"theta1": 2}, "theta1: found 2, expected"),
        (DORM.Options(), {"theta2": -1}, "theta2: found -1, expected"),
        (rrh.Options(), {"alpha": 2}, "alpha: found 2, expected"),
        (rrh.Options(), {"discount": -1}, "discount: found -1, expected"),
        (oasis.Options(), {"split": 1}, "split: found 1, expected"),
        (oasis.Options(), {"quanta": 0}, "quanta: found 0, expected"),
        (oasis.Options(), {"quanta": 1001}, "quanta: found 1001, expected"),
        (oasis.Options(), {"scale_u": 0}, "scale_u: found 0, expected"),
        (oasis.Options(), {"mu": 1}, "mu"),
    ],
)
def test_options_out_of_range_are_refused(options: Any, given: Any, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        with_options(options, given, "--method x")
    assert expected in str(caught.value)
