"""The relaxation `occupancy`: below every optimum, and its matrix twin equal row by row."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_matrices import by_name
from pyomo.core.base import constraint
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.formulations.makespan import occupancy
from ringyard.formulations.makespan.data import serial_horizon
from ringyard.formulations.matrix import matrix_of, point_of, set_point
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import MakespanInstance, SolutionStatus
from ringyard.instances.catalogue import best_schedule, load
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.request import Request

slotted = st.sampled_from(["floor", "fractional"]).flatmap(
    lambda progress: makespan_instances(max_jobs=3, max_servers=3, max_gpus=4, progress=progress)
)


@given(slotted, st.none() | st.integers(1, 30))
def test_the_twin_is_the_model(instance: MakespanInstance, horizon: int | None) -> None:
    model = matrix_of(occupancy.build(instance, horizon))
    assert by_name(occupancy.twin(instance, horizon)) == by_name(model)


def test_templates_give_the_same_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load("small-06x3")
    monkeypatch.setattr(constraint, "TEMPLATIZE_CONSTRAINTS", True)
    matrix = matrix_of(occupancy.build(instance, 14))
    assert by_name(matrix) == by_name(occupancy.twin(instance, 14))


def test_a_real_schedule_is_a_point_of_it() -> None:
    instance = load("small-06x3")
    schedule = best_schedule("small-06x3")
    assert schedule is not None
    model = occupancy.build(instance)
    matrix = matrix_of(model)
    occupancy.write(model, schedule)
    point = point_of(model, matrix)
    assert checker_of(matrix).violation(point) == 0
    verdict = check(instance, schedule)
    assert verdict.makespan is not None
    assert checker_of(matrix).value(point) <= verdict.makespan
    again = occupancy.read(model)
    assert [(a.job, a.start_slot, a.gpus) for a in again.assignments] == sorted(
        (a.job, a.start_slot, tuple(sorted(a.gpus))) for a in schedule.assignments
    )


@settings(max_examples=15)
@given(slotted)
def test_it_never_exceeds_what_a_schedule_takes(instance: MakespanInstance) -> None:
    found = gang_lpt.run(instance, Request()).schedule
    makespan = check(instance, found).makespan
    solution = solve(occupancy.twin(instance))
    assert solution.value is not None
    assert makespan is not None
    assert round(solution.value) <= makespan


def test_its_optimum_by_hand() -> None:
    instance = load("hand-contend")
    solution = solve(occupancy.twin(instance))
    assert (solution.status, solution.value) == (SolutionStatus.OPTIMAL, 4)
    model = occupancy.build(instance)
    assert solution.point is not None
    set_point(model, matrix_of(model), solution.point)
    assert {item.start_slot for item in occupancy.read(model).assignments} == {0}


def test_a_horizon_too_short_leaves_no_point() -> None:
    instance = load("hand-contend")
    assert solve(occupancy.twin(instance, 3)).status is SolutionStatus.INFEASIBLE


def test_continuous_time_is_refused() -> None:
    instance = load("hand-contend")
    assert occupancy.refuses(instance) is None
    reason = occupancy.refuses(replace(instance, progress="continuous"))
    assert reason is not None
    assert "continuous" in reason


@pytest.mark.parametrize("name", ["hand-contend", "small-06x3"])
def test_the_default_horizon_is_that_of_one_by_one(name: str) -> None:
    instance = load(name)
    assert occupancy.twin(instance).upper[0] == serial_horizon(instance)
