"""Column generation: choices are valid, never above the optimum, and the bound never below it."""

from dataclasses import replace

import numpy as np
import pytest
from brute import optimum
from tiny import tiny

from ringyard.analysis.check import check
from ringyard.formulations.matrix import relaxed
from ringyard.formulations.online import schedules
from ringyard.formulations.online.schedule_master import ScheduleMaster
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.instances import BoundKind, Limits, OnlineInstance
from ringyard.instances.generate import generate
from ringyard.policies.online.pd_ors import CorrectedOptions, run_corrected
from ringyard.policies.request import Request
from ringyard.search.online import column_generation
from ringyard.simulation.online import online_model


def full_master(instance: OnlineInstance) -> ScheduleMaster:
    """Return the master program with every schedule that `schedules` lists."""
    shape = online_model(instance)
    room = np.repeat(shape.capacity[None], shape.slots, axis=0)
    master = ScheduleMaster(len(instance.jobs), room)
    machines = [machine.name for machine in instance.machines]
    units = dict(zip(instance.resources, shape.units, strict=True))
    for i, job in enumerate(instance.jobs):
        for course in schedules.courses(instance, job):
            use = np.zeros_like(room)
            for slot, choice in course:
                for (machine, resource), amount in choice.use.items():
                    place = slot, machines.index(machine), instance.resources.index(resource)
                    use[place] = float(amount) * units[resource]
            master.add(i, float(job.utility.at(course[-1][0] - job.arrival_slot)), use)
    return master


def test_the_master_with_all_columns_is_the_program_of_schedules() -> None:
    for seed in range(12):
        instance, best = tiny(seed), float(optimum(tiny(seed))[0])
        model = schedules.build(instance)
        if not model.taken:
            continue
        master, program = full_master(instance), program_of(model)
        linear, duals = solve(relaxed(program)), master.duals()
        assert linear.value is not None
        assert duals.value == pytest.approx(-linear.value)
        paid = duals.payoffs.sum() + (duals.prices * room_of(instance)).sum()
        assert paid == pytest.approx(duals.value)
        chosen = master.choose("highs", Caps())
        assert chosen.value == pytest.approx(-best)


def room_of(instance: OnlineInstance) -> np.ndarray:
    model = online_model(instance)
    return np.repeat(model.capacity[None], model.slots, axis=0)


@pytest.mark.parametrize("seed", range(12))
def test_value_optimum_and_bound_are_in_order(seed: int) -> None:
    instance = tiny(seed)
    best, _ = optimum(instance)
    outcome = column_generation.run(instance, Request(limits=Limits(time_s=2)))
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    assert outcome.bound is not None
    assert verdict.objective <= best <= outcome.bound.value
    assert outcome.bound.kind is BoundKind.DUAL


@pytest.mark.parametrize("seed", [0, 4])
def test_it_is_no_worse_than_pd_ors(seed: int) -> None:
    instance = generate("pdors-small", seed=seed, jobs=6, machines=3, slots=5)
    rng = np.random.default_rng
    found = column_generation.run(instance, Request(limits=Limits(time_s=5), rng=rng(0))).schedule
    start = run_corrected(instance, Request(rng=rng(0), options=CorrectedOptions())).schedule
    assert check(instance, found).objective >= check(instance, start).objective > 0


def test_without_time_it_still_answers() -> None:
    instance = generate("pdors-small", seed=0)
    outcome = column_generation.run(instance, Request(limits=Limits(time_s=0)))
    assert check(instance, outcome.schedule).valid
    assert outcome.bound is not None


def test_a_large_instance_is_refused_with_advice() -> None:
    instance = replace(generate("pdors", seed=0), horizon_slots=200)
    assert "80,000 capacity rows" in str(column_generation.refuses(instance))


def test_what_cannot_be_done_in_time_is_not_searched_for() -> None:
    instance = tiny(0)
    endless = replace(instance.jobs[0], arrival_slot=0, epochs=10**6)
    long = replace(instance, horizon_slots=200, jobs=(endless,))
    assert list(schedules.courses(long, endless)) == []
