"""Server configurations listed: the generated bound is their value, and schedules are points."""

from dataclasses import replace
from math import ceil

import numpy as np
from crowded_instances import crowded_instances
from hypothesis import assume, given
from program_matrices import in_slots

from ringyard.analysis.check import check
from ringyard.formulations.makespan import server_configurations as program
from ringyard.formulations.makespan.data import data_of, serial_horizon
from ringyard.formulations.makespan.server_configurations import INSIDE, contents, cuts, runs
from ringyard.formulations.matrix import matrix_of, point_of, set_point
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Limits, MakespanInstance
from ringyard.instances.catalogue import load
from ringyard.search.makespan.exact.enumeration import enumerate_best

TINY = in_slots(max_jobs=4, max_servers=3, max_gpus=3) | crowded_instances()


@given(TINY)
def test_generated_columns_give_the_value_of_all_columns(instance: MakespanInstance) -> None:
    assume(program.refuses(instance) is None)
    matrix = matrix_of(program.build(instance))
    relaxed = replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_))
    value, bound = solve(relaxed).value, program.server_bound(instance, Limits())
    assert value is not None
    assert bound is not None
    assert ceil(value - 1e-6) == bound.value


@given(TINY)
def test_every_schedule_is_a_point(instance: MakespanInstance) -> None:
    assume(program.refuses(instance) is None)
    assume(serial_horizon(instance) <= 30)
    found = enumerate_best(instance, Limits())
    model = program.build(instance)
    matrix = matrix_of(model)
    program.write(model, found.schedule)
    point = point_of(model, matrix)
    assert checker_of(matrix).violation(point) < 1e-9
    assert checker_of(matrix).value(point) == found.value


@given(TINY)
def test_a_point_becomes_a_legal_schedule(instance: MakespanInstance) -> None:
    assume(program.refuses(instance) is None)
    model = program.build(instance)
    matrix = matrix_of(model)
    solution = solve(replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_)))
    assert solution.point is not None
    set_point(model, matrix, solution.point)
    assert check(instance, program.read(model)).valid


def test_what_is_listed() -> None:
    # Three rings of 2 GPUs on two servers of 3. Four iterations take 4 slots inside a server, 6
    # across both at 1.5 s each, and 2.1 s each beside another ring.
    instance = load("hand-spread")
    data = data_of(instance)
    assert list(cuts(data, 2)) == [(1, 1)]
    assert set(contents(data, 3)) == {
        ((2,), ()),
        ((2,), (1,)),
        ((), (1,)),
        ((), (1, 1)),
        ((), (1, 1, 1)),
    }
    inside, *across = runs(data, instance.jobs[0])
    assert inside == (INSIDE, (4, 0))
    slots = [(0, 9), (1, 7), (2, 6), (3, 5), (4, 3), (5, 2), (6, 0)]
    assert across == [(2, each) for each in slots]


def test_large_instances_are_refused_at_once() -> None:
    for name in ("mobihoc-10-s0", "tight-full-s0", "large-2000-s0"):
        reason = program.refuses(load(name))
        assert reason is not None
        assert "configurations" in reason


def test_only_slots_and_uplinks_can_be_listed() -> None:
    for name in ("small-06x3-continuous", "hand-fluid-starved"):
        assert program.refuses(load(name)) is not None
