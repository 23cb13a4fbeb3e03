"""The program over placements: its matrix twin, its optimum, and schedules as points of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from little import few
from program_matrices import by_name, in_slots
from programs_solved import assert_optimum

from ringyard.analysis.check import check
from ringyard.formulations.makespan import patterns
from ringyard.formulations.makespan.data import data_of, serial_horizon
from ringyard.formulations.makespan.patterns import twin
from ringyard.formulations.makespan.placements import Window, how_many, layout_of, shifts
from ringyard.formulations.matrix import matrix_of, point_of
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Limits, MakespanInstance, Server, SolutionStatus
from ringyard.instances.catalogue import best_schedule, load
from ringyard.search.makespan.exact.enumeration import enumerate_best

TINY = in_slots(max_jobs=3, max_servers=3, max_gpus=3)


@given(TINY, st.none() | st.integers(1, 12))
def test_the_twin_is_the_model(instance: MakespanInstance, horizon: int | None) -> None:
    assume(serial_horizon(instance) <= 25)
    model = matrix_of(patterns.build(instance, horizon))
    assert by_name(twin(instance, horizon)) == by_name(model)


@pytest.mark.parametrize(
    "name", few(1, ["small-06x3-release", "small-06x3-max-workers", "small-06x4"])
)
def test_the_twin_is_the_model_of_a_larger_instance(name: str) -> None:
    instance = load(name)
    model = matrix_of(patterns.build(instance, 14))
    assert by_name(twin(instance, 14)) == by_name(model)


@given(TINY)
def test_every_optimal_schedule_is_a_point(instance: MakespanInstance) -> None:
    assume(serial_horizon(instance) <= 25)
    schedule = enumerate_best(instance, Limits()).schedule
    model = patterns.build(instance)
    matrix = matrix_of(model)
    patterns.write(model, schedule)
    point, makespan = point_of(model, matrix), check(instance, schedule).makespan
    assert checker_of(matrix).violation(point) == 0
    assert checker_of(matrix).value(point) == makespan
    assert check(instance, patterns.read(model)).makespan == makespan


@given(TINY)
def test_its_optimum_is_that_of_enumeration(instance: MakespanInstance) -> None:
    assume(serial_horizon(instance) <= 25)
    assert_optimum(instance, patterns, patterns.build(instance), "highs")


@pytest.mark.parametrize(
    "name", ["small-04x2", "small-05x3", pytest.param("small-06x3-degrade", marks=pytest.mark.slow)]
)
def test_it_proves_the_optimum_of_small_instances(name: str) -> None:
    instance = load(name)
    best = enumerate_best(instance, Limits())
    assert best.value is not None
    assert solve(twin(instance, int(best.value))).value == pytest.approx(float(best.value))
    assert solve(twin(instance, int(best.value) - 1)).status is SolutionStatus.INFEASIBLE


@pytest.mark.parametrize(
    "name", ["small-06x3", "small-08x4", pytest.param("small-12x5", marks=pytest.mark.slow)]
)
def test_the_best_schedules_are_points(name: str) -> None:
    instance, schedule = load(name), best_schedule(name)
    assert schedule is not None
    makespan = check(instance, schedule).makespan
    assert makespan is not None
    model = patterns.build(instance, int(makespan))
    matrix = matrix_of(model)
    patterns.write(model, schedule)
    assert checker_of(matrix).violation(point_of(model, matrix)) == 0


def test_the_anchor_has_descending_placements_only() -> None:
    instance = load("small-06x3")
    layout = layout_of(instance, 12)
    assert layout.anchor == max(data_of(instance).tasks, key=lambda job: how_many(instance, job))
    held = [
        [dict(place.gpus).get(server, 0) for server in layout.data.sizes]
        for place in layout.places[layout.anchor]
    ]
    assert all(row == sorted(row, reverse=True) for row in held)
    assert sorted(held) == [[2, 2, 2], [3, 2, 1], [3, 3, 0], [4, 1, 1], [4, 2, 0]]
    others = [job for job in layout.places if job != layout.anchor]
    assert all(len(layout.places[job]) == how_many(instance, job) for job in others)


def test_a_job_inside_one_server_has_windows_of_its_fewest_slots() -> None:
    layout = layout_of(load("hand-contend"), 9)
    inside = [window for window in layout.windows if not layout.of(window).rings]
    least = {job: task.least for job, task in layout.data.tasks.items()}
    assert all(window.end - window.start == least[window.job] for window in inside)
    assert Window in {type(window) for window in layout.windows}


@pytest.mark.parametrize(
    ("least", "most", "slots", "iterations", "expected"),
    [(1, 2, 5, 8, 2), (1, 2, 4, 8, 0), (0, 3, 4, 7, 1), (2, 2, 5, 8, 5), (1, 3, 10, 2, 10)],
)
def test_slots_at_the_lower_rate_are_counted_exactly(
    least: int, most: int, slots: int, iterations: int, expected: int
) -> None:
    assert shifts(least, most, slots, iterations) == expected
    assert (slots - expected) * most + expected * least >= iterations
    if expected < slots:
        assert (slots - expected - 1) * most + (expected + 1) * least < iterations


def test_too_many_placements_are_refused() -> None:
    instance = load("small-16x6")
    assert patterns.refuses(instance) is None
    many = tuple(Server(name=f"s{i}", gpus=4) for i in range(20))
    reason = patterns.refuses(replace(instance, cluster=replace(instance.cluster, servers=many)))
    assert reason is not None
    assert "placements" in reason


def test_a_horizon_too_short_leaves_no_point() -> None:
    assert solve(twin(load("hand-contend"), 3)).status is SolutionStatus.INFEASIBLE


def test_the_relaxation_is_no_weaker_than_area_or_longest_job() -> None:
    instance = load("small-06x3")
    matrix = twin(instance, 12)
    found = solve(replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_)))
    assert found.value is not None
    tasks = data_of(instance).tasks.values()
    assert found.value >= sum(task.gpus * task.least for task in tasks) / 12 - 1e-6
    assert found.value >= max(task.least for task in tasks) - 1e-6
