"""Lifted programs: between the linear relaxation and the whole numbers."""

from itertools import product

import numpy as np
import pytest
from little import few
from scipy.sparse import csr_array

from ringyard.formulations.adapters.conic_programs import semidefinite_value
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.matrix import relaxed, stated_matrix
from ringyard.formulations.program import Matrix
from ringyard.formulations.relaxations import MOST_COLUMNS, lifted, products
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import RefusedError
from ringyard.instances.catalogue import load


def drawn(seed: int, columns: int = 5, rows: int = 4) -> Matrix:
    rng = np.random.default_rng(seed)
    a = rng.integers(-3, 6, (rows, columns)).astype(float)
    return Matrix(
        columns=tuple(f"x{j}" for j in range(columns)),
        rows=tuple(f"r{i}" for i in range(rows)),
        cost=-rng.integers(1, 9, columns).astype(float),
        lower=np.zeros(columns),
        upper=np.ones(columns),
        integer=np.ones(columns, dtype=np.bool_),
        a=csr_array(a),
        row_lower=np.full(rows, -np.inf),
        row_upper=np.maximum(1.0, np.floor(a.clip(0).sum(axis=1) / 2)),
    )


def value(program: Matrix) -> float:
    found = solve(program).value
    assert found is not None
    return found


@pytest.mark.parametrize("seed", few(6, range(12)))
def test_it_is_between_the_linear_program_and_the_optimum(seed: int) -> None:
    program = drawn(seed)
    points = (np.array(point, float) for point in product((0, 1), repeat=5))
    optimum = min(program.cost @ x for x in points if (program.a @ x <= program.row_upper).all())
    low, middle = value(relaxed(program)), value(lifted(program))
    assert low - 1e-6 <= middle <= optimum + 1e-6
    conic = semidefinite_value(program)
    assert middle - 1e-2 <= conic <= optimum + 1e-2


@pytest.mark.parametrize("seed", range(4))
def test_every_whole_point_can_be_lifted(seed: int) -> None:
    program = drawn(seed)
    up, place = lifted(program), products(program)
    for bits in product((0.0, 1.0), repeat=5):
        x = np.array(bits)
        if (program.a @ x > program.row_upper).any():
            continue
        point = np.zeros(len(up.columns))
        point[place] = np.outer(x, x)
        point[:5] = x
        assert (up.a @ point <= up.row_upper + 1e-9).all()
        assert (up.a @ point >= up.row_lower - 1e-9).all()
        assert (up.lower <= point).all()
        assert (point <= up.upper).all()


def test_some_program_gets_stronger() -> None:
    program = stated_matrix(load("small-04x2"), find_formulation("patterns"), 11)
    assert value(relaxed(program)) == pytest.approx(8)
    assert value(lifted(program)) == pytest.approx(11)


def test_what_cannot_be_lifted_is_refused() -> None:
    with pytest.raises(RefusedError, match=f"{MOST_COLUMNS} are multiplied at most"):
        lifted(drawn(0, columns=MOST_COLUMNS + 1))
    program = drawn(0)
    program.upper[0] = np.inf
    with pytest.raises(RefusedError, match="without bounds"):
        lifted(program)
