"""An irreducible part is infeasible, and without any one of its rows or bounds it is not."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from little import few
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from ringyard.formulations.iis import Core, irreducible
from ringyard.formulations.matrix import relaxed
from ringyard.formulations.program import Caps, Matrix


def matrix(
    rows: list[list[float]],
    limits: list[tuple[float, float]],
    bounds: list[tuple[float, float]],
    *,
    integer: bool = False,
) -> Matrix:
    a = np.array(rows, dtype=float)
    lower, upper = np.array(bounds, dtype=float).T
    row_lower, row_upper = np.array(limits, dtype=float).T
    return Matrix(
        columns=tuple(f"x[{k}]" for k in range(a.shape[1])),
        rows=tuple(f"row[{i}]" for i in range(a.shape[0])),
        cost=np.ones(a.shape[1]),
        lower=lower,
        upper=upper,
        integer=np.full(a.shape[1], integer),
        a=csr_array(a),
        row_lower=row_lower,
        row_upper=row_upper,
    )


def has_point(program: Matrix, core: Core) -> bool:
    """Ask scipy about the rows and bounds of a core alone."""
    rows = [program.rows.index(name) for name in core.rows]
    sides = zip(program.columns, program.lower, program.upper, strict=True)
    limits = [
        (low if name in core.lower else -inf, high if name in core.upper else inf)
        for name, low, high in sides
    ]
    lower, upper = np.array(limits).T
    constraints = LinearConstraint(
        program.a.toarray()[rows], program.row_lower[rows], program.row_upper[rows]
    )
    return bool(
        milp(
            np.zeros(len(program.columns)),
            integrality=program.integer.astype(int),
            bounds=Bounds(lower, upper),
            constraints=constraints if rows else (),
        ).success
    )


def assert_irreducible(program: Matrix, core: Core | None) -> None:
    assert core is not None
    assert core.minimal
    assert not has_point(program, core)
    for kind in ("rows", "lower", "upper"):
        names = getattr(core, kind)
        for name in names:
            rest = tuple(other for other in names if other != name)
            assert has_point(program, replace(core, **{kind: rest})), (kind, name)


def planted(seed: int, *, integer: bool = False) -> Matrix:
    """Draw a program with a point, and add rows that demand what its bounds forbid."""
    rng = np.random.default_rng(seed)
    m, n = 12, 8
    a = rng.integers(-3, 4, (m, n)) * (rng.random((m, n)) < 0.5)
    point = rng.integers(0, 4, n)
    value = a @ point
    limits = [(float(v) - rng.integers(0, 3), float(v) + rng.integers(0, 3)) for v in value]
    first, second = rng.choice(n, 2, replace=False)
    conflict = np.zeros((3, n))
    conflict[0, [first, second]] = 1
    conflict[1, [first, second]] = (1, -1)
    conflict[2, second] = 1
    rows = [*a.tolist(), *conflict.tolist()]
    more = [(6.0, inf), (-inf, 1.0), (-inf, 2.0)]
    return matrix(rows, limits + more, [(0, 4)] * n, integer=integer)


@pytest.mark.parametrize("seed", few(8, range(20)))
def test_a_planted_conflict_becomes_irreducible(seed: int) -> None:
    program = planted(seed)
    core = irreducible(program)
    assert_irreducible(program, core)
    assert core is not None
    assert len(core.rows) < len(program.rows)


@pytest.mark.parametrize("seed", range(5))
def test_integers_may_be_the_conflict(seed: int) -> None:
    program = planted(seed, integer=True)
    assert_irreducible(program, irreducible(program))


def test_a_conflict_of_integers_only_is_none_of_the_relaxation() -> None:
    program = matrix([[2, -2], [1, 1]], [(1, 1), (-inf, 9)], [(0, 5), (0, 5)], integer=True)
    assert irreducible(relaxed(program)) is None
    core = irreducible(program)
    assert_irreducible(program, core)
    assert core is not None
    assert core.rows == ("row[0]",)


def test_bounds_that_cross_need_no_row() -> None:
    program = matrix([[1, 0]], [(0, 1)], [(0, 1), (3, 2)])
    core = irreducible(program)
    assert core == Core(rows=(), lower=("x[1]",), upper=("x[1]",), minimal=True)


def test_what_has_a_point_has_no_such_part() -> None:
    assert irreducible(matrix([[1, 1]], [(1, 1)], [(0, 1), (0, 1)])) is None


def test_no_time_shows_nothing() -> None:
    assert irreducible(planted(0), caps=Caps(time_s=0.0)) is None
