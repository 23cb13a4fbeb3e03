"""A job in a slot: the program, its twin, CVXPY's statements, and the case of one machine."""

from dataclasses import replace
from math import ceil, inf

import numpy as np
import pytest
from program_matrices import by_name
from slot_cases import slot_case
from slot_cvxpy import SlotRelaxation, solve_anew
from test_names import KINDS, components, sections

from ringyard.formulations.matrix import matrix_of
from ringyard.formulations.online import slot_inside, slot_program
from ringyard.formulations.online.slot_program import SlotData
from ringyard.formulations.program import Matrix
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import InputError, SolutionStatus

GPUS = SlotData(
    worker_cost=np.array([2.0, 3.0]),
    server_cost=np.array([1.0, 5.0]),
    capacity=np.array([[4.0, 8.0], [6.0, 2.0]]),
    worker=np.array([2.0, 1.0]),
    server=np.array([0.0, 4.0]),
    workers_per_server=3.0,
    least_workers=4.0,
    most_workers=5.0,
)
"""GPUs and cores: two workers fit on machine 0, with a server; three on machine 1, without."""


def value(matrix: Matrix) -> float:
    solution = solve(matrix)
    if solution.status is SolutionStatus.INFEASIBLE:
        return inf
    assert solution.status is SolutionStatus.OPTIMAL
    assert solution.value is not None
    return solution.value


def relaxed(matrix: Matrix) -> Matrix:
    return replace(matrix, integer=np.zeros_like(matrix.integer))


@pytest.mark.parametrize("module", [slot_program, slot_inside])
def test_names_in_the_docstring_are_those_of_the_model(module: object) -> None:
    said = sections(str(module.__doc__))
    model = module.build(GPUS)  # type: ignore[attr-defined]
    for head, kind in KINDS.items():
        assert components(model, kind) == said[head], head


@pytest.mark.parametrize("seed", range(20))
def test_the_twin_is_the_model(seed: int) -> None:
    data = slot_case(np.random.default_rng(seed))
    assert by_name(slot_program.twin(data)) == by_name(matrix_of(slot_program.build(data)))


def test_the_optimum_by_hand() -> None:
    """Two workers at 2 and two at 3; of two servers only one is beside workers on machine 0."""
    assert value(slot_program.twin(replace(GPUS, least_workers=3.0))) == 2 + 2 + 3 + 1
    assert value(slot_program.twin(GPUS)) == inf
    assert value(relaxed(slot_program.twin(GPUS))) == pytest.approx(2 * 2 + 2 * 3 + 4 / 3)


@pytest.mark.parametrize("seed", range(20))
def test_highs_and_cvxpy_agree(seed: int) -> None:
    data = slot_case(np.random.default_rng(seed))
    expected = value(relaxed(matrix_of(slot_program.build(data))))
    program = SlotRelaxation(*data.capacity.shape)
    assert program.disciplined
    for found in (program.solve(data), solve_anew(data)):
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_parameters_take_new_values() -> None:
    rng, program = np.random.default_rng(0), SlotRelaxation(5, 3)
    for _ in range(20):
        data = slot_case(rng, (5, 3))
        expected = value(relaxed(slot_program.twin(data)))
        assert program.solve(data) == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_on_one_machine_it_is_the_cheapest_that_fits(seed: int) -> None:
    data = slot_case(np.random.default_rng(seed))
    data = replace(data, least_workers=float(ceil(data.least_workers / 4)))
    workers, servers = data.least_workers, ceil(data.least_workers / data.workers_per_server)
    costs = [
        workers * cost + servers * other
        for cost, other, room in zip(data.worker_cost, data.server_cost, data.capacity, strict=True)
        if (workers * data.worker + servers * data.server <= room).all()
    ]
    found = value(matrix_of(slot_inside.build(data)))
    assert found == pytest.approx(min(costs, default=inf), abs=1e-9)


def test_one_machine_is_a_point_of_the_program() -> None:
    data = replace(GPUS, least_workers=2.0)
    assert value(slot_program.twin(data)) <= value(matrix_of(slot_inside.build(data))) == 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"worker_cost": np.array([1.0, -1.0])}, "worker_cost[1]: found -1"),
        ({"capacity": np.array([[4.0, np.nan], [6.0, 2.0]])}, "capacity[0][1]: found nan"),
        ({"server": np.array([1.0])}, "server: found a list of 1, expected an array of shape [2]"),
        ({"workers_per_server": 0.0}, "workers_per_server: found 0, expected a number above 0"),
        ({"most_workers": np.inf}, "most_workers: found inf"),
    ],
)
def test_bad_data_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        replace(GPUS, **change)  # type: ignore[arg-type]
    assert said in str(caught.value)
