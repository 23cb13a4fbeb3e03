"""Regions in the family `online`: every method keeps to them, and exact ones agree."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from looks import looks
from online_small import priced_bound

import ringyard
from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.instances import InputError, OnlineInstance, OnlineSchedule, validate
from ringyard.instances.online import Admission, SlotPlan
from ringyard.instances.regions import with_regions
from ringyard.methods import all_methods
from ringyard.run import solve
from ringyard.search.online.bounds import combinatorial_bounds, optimistic_values
from ringyard.search.online.dual_bound import dual_bound
from ringyard.simulation.online import online_model

NAMES = [method.name for method in all_methods("online")]
QUICK = {"order-search": "order-search:offers=30"}
"""Options with which methods that take long do not."""
EAGER = {"pd-ors-corrected", "oasis", "fifo", "drf", "dorm", "order-search"}
SEEDS = range(5)


@cache
def free(seed: int, parts: bool = False) -> OnlineInstance:
    """Return a small instance without bound jobs, perhaps with machines for one sort of part."""
    sizes = {"jobs": 4, "machines": 3 + 3 * parts, "slots": 4}
    found = ringyard.generate("pdors-small", seed=seed, **sizes)
    roles = ("both", "both", "workers", "workers", "servers", "servers")
    if parts:
        pairs = zip(found.machines, roles, strict=True)
        found = replace(found, machines=tuple(replace(m, hosts=role) for m, role in pairs))
    return found


def regional(seed: int, local: str = "0.6", parts: bool = False) -> OnlineInstance:
    found = with_regions(free(seed, parts=parts), 2, Decimal(local), seed)
    validate(found)
    return found


@cache
def optimum(instance: OnlineInstance) -> Fraction:
    """Return the proved optimum of the offline program."""
    answer = solve(instance, "offline")
    assert answer.status == "optimal"
    assert answer.objective is not None
    return answer.objective


def in_region(instance: OnlineInstance, region: str) -> OnlineInstance | None:
    """Return the machines of a region with the jobs bound to it."""
    jobs = tuple(job for job in instance.jobs if job.allowed_regions == (region,))
    machines = tuple(m for m in instance.machines if m.region == region)
    return replace(instance, jobs=jobs, machines=machines) if jobs else None


@pytest.mark.parametrize("name", NAMES)
def test_every_method_keeps_to_the_regions(name: str) -> None:
    for seed in SEEDS:
        for parts in (False, True):
            instance = regional(seed, parts=parts)
            answer = solve(instance, QUICK.get(name, name), seed=seed)
            assert answer.valid, answer.row()["violations"]
            assert answer.objective <= optimum(instance)


def test_methods_would_leave_the_regions_if_they_were_free_to() -> None:
    """The instances are such that keeping to the regions takes some care."""
    left = {
        name
        for name in EAGER
        for seed in SEEDS
        for instance in (free(seed), free(seed, parts=True))
        if any(
            violation.rule == "regions"
            for violation in check(
                regional(seed, parts=len(instance.machines) == 6),
                replace(solve(instance, QUICK.get(name, name)).schedule, digest=None),
            ).violations
        )
    }
    assert left == EAGER


def test_jobs_that_are_all_bound_make_a_problem_of_each_region() -> None:
    for seed in SEEDS:
        instance = regional(seed, local="1")
        apart = [in_region(instance, region) for region in ("r0", "r1")]
        assert all(job.allowed_regions for job in instance.jobs)
        assert optimum(instance) == sum(optimum(one) for one in apart if one is not None)


def test_regions_cost_utility_and_never_add_any() -> None:
    pairs = [(optimum(regional(seed)), optimum(free(seed))) for seed in SEEDS]
    assert all(bound <= unbound for bound, unbound in pairs)
    assert any(bound < unbound for bound, unbound in pairs)


def test_regions_that_bind_nobody_change_nothing() -> None:
    for seed in SEEDS:
        everywhere = tuple(
            replace(job, allowed_regions=("r0", "r1")) for job in regional(seed).jobs
        )
        instance = replace(regional(seed), jobs=everywhere)
        for name in set(NAMES) - {"column-generation", "offline"}:
            name = QUICK.get(name, name)
            here, there = (solve(one, name, seed=3) for one in (instance, free(seed)))
            assert here.schedule.admissions == there.schedule.admissions


@pytest.mark.parametrize("program", ["offline", "schedules", "oasis"])
def test_programs_have_no_words_for_machines_elsewhere(program: str) -> None:
    built = find_formulation(program)
    instance = regional(4)
    job = next(job for job in instance.jobs if job.allowed_regions)
    far = next(m for m in instance.machines if m.region not in job.allowed_regions)
    entry = SlotPlan(slot=job.arrival_slot, workers=((far.name, 1),), servers=((far.name, 1),))
    stray = OnlineSchedule(instance="x", admissions=(Admission(job=job.name, plan=(entry,)),))
    if program == "schedules":
        instance = replace(instance, jobs=(replace(job, batch_samples=1, samples=10, epochs=1),))
    with pytest.raises(InputError, match="expected a machine in a region that the job may run in"):
        built.write(built.build(instance), stray)


def test_bounds_are_above_the_optimum_and_know_the_regions() -> None:
    tighter = 0
    for seed in SEEDS:
        instance, best = regional(seed, local="1"), optimum(regional(seed, local="1"))
        found = [*combinatorial_bounds(instance), dual_bound(instance, looks(200))]
        assert all(bound.value >= best for bound in found)
        assert found[0].value <= combinatorial_bounds(free(seed))[0].value
        tighter += found[0].value < combinatorial_bounds(free(seed))[0].value
        model = online_model(instance)
        prices = np.random.default_rng(seed).random((model.slots, *model.capacity.shape))
        assert priced_bound(instance, prices).value >= best
    assert tighter


def test_a_job_hopes_only_for_machines_of_its_regions() -> None:
    for seed in SEEDS:
        instance = regional(seed, local="1")
        for job, hope in zip(instance.jobs, optimistic_values(instance), strict=True):
            alone = in_region(replace(instance, jobs=(job,)), *job.allowed_regions)
            assert hope.worth == optimistic_values(alone)[0].worth


def test_a_job_without_room_in_its_regions_is_named() -> None:
    instance = regional(0)
    small = replace(instance.machines[1], capacity=(("cpu", Decimal(1)),))
    jobs = (replace(instance.jobs[0], allowed_regions=("r1",)), *instance.jobs[1:])
    machines = (instance.machines[0], small, *instance.machines[2:])
    where = f"for job '{jobs[0].name}' in its regions"
    with pytest.raises(InputError, match=where):
        validate(replace(instance, machines=machines, jobs=jobs))


def test_a_machine_without_region_is_closed_to_bound_jobs() -> None:
    instance = regional(0, local="1")
    machines = (*instance.machines, replace(instance.machines[0], name="nowhere", region=None))
    wider = replace(instance, machines=machines)
    assert not online_model(wider).open_to(0)[-1]
    assert optimum(wider) == optimum(instance)
