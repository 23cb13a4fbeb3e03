"""Programs with known optima: by hand, by construction or by brute force, and hard programs."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ..formulations.program import Floats, Matrix, Nonlinear, Program
from ..instances import SolutionStatus

INF = np.inf


def matrix(
    cost: ArrayLike,
    a: ArrayLike,
    rows: tuple[ArrayLike, ArrayLike],
    columns: tuple[ArrayLike, ArrayLike],
    integer: ArrayLike = True,
    offset: float = 0.0,
) -> Matrix:
    """Return a program with broadcast bounds and integrality."""
    entries = csr_array(np.asarray(a, dtype=float))
    m, n = entries.shape

    def spread(value: ArrayLike, length: int) -> Floats:
        return np.broadcast_to(np.asarray(value, dtype=float), (length,)).copy()

    return Matrix(
        columns=tuple(f"x[{i}]" for i in range(n)),
        rows=tuple(f"row[{i}]" for i in range(m)),
        cost=spread(cost, n),
        offset=offset,
        lower=spread(columns[0], n),
        upper=spread(columns[1], n),
        integer=spread(integer, n).astype(np.bool_),
        a=entries,
        row_lower=spread(rows[0], m),
        row_upper=spread(rows[1], m),
    )


def relaxed(program: Matrix) -> Matrix:
    """Return the program without integrality."""
    return replace(program, integer=np.zeros_like(program.integer))


TINY = matrix([3, 2], [[2, 1], [1, 3]], ([7, 9], INF), (0, 10), offset=1.0)
"""Return a program with optimum 13 at (2, 3), and relaxation 12.6 at (2.4, 2.2)."""

INFEASIBLE = matrix([1, 1], [[1, 1], [1, 1]], ([-INF, 3], [1, INF]), (0, 10))
UNBOUNDED = matrix([-1, -1], [[1, -1]], (0, 0), (0, INF))
INFEASIBLE_RAY = matrix([-1, -1], [[1, -1], [1, -1]], ([1, 3], [2, 4]), (0, INF))
"""Return a program with an unbounded direction, but no points."""


def packing(columns: int = 60, rows: int = 40) -> Matrix:
    """Return an integer program that takes seconds, and has the point 0."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 20, (rows, columns))
    return matrix(-rng.integers(1, 30, columns), a, (-INF, 200), (0, 3))


def covering(columns: int = 60, rows: int = 40) -> Matrix:
    """Return an integer program that takes seconds, and whose points are hard to find."""
    rng = np.random.default_rng(1)
    a = np.vstack([rng.integers(0, 20, (rows, columns)), rng.integers(5, 20, columns)])
    low, high = [200] * rows + [1001], [INF] * rows + [1001]
    return matrix(rng.integers(1, 30, columns), a, (low, high), (0, 3))


def large() -> Matrix:
    """Return an integer program of some 20 MB that is easy to solve."""
    return matrix(1, np.ones((300, 5000)), (1, 5000), (0, 1))


class Planted(NamedTuple):
    """A linear program with an optimum known by construction."""

    program: Matrix
    point: Floats
    duals: Floats


def planted(seed: int, columns: int = 12, rows: int = 9) -> Planted:
    """Construct rows and costs from a complementary pair of a point and duals.

    The point is at the bounds of some columns and at the limits of some rows. Only these have
    prices, with the sign of their side. Weak duality is therefore tight.
    """
    rng = np.random.default_rng(seed)
    a = rng.integers(-9, 10, (rows, columns)).astype(float)
    lower, upper = np.zeros(columns), rng.integers(2, 9, columns).astype(float)
    place = rng.integers(0, 3, columns)
    point = np.choose(place, [lower, upper, (lower + upper) / 2])
    reduced = np.choose(place, [1.0, -1.0, 0.0]) * rng.integers(1, 9, columns)
    side = rng.integers(0, 4, rows)
    duals = np.choose(side, [1.0, -1.0, 0.0, 1.0]) * rng.integers(1, 9, rows).astype(float)
    body = a @ point
    row_lower = np.choose(side, [body, body - 5, body - 5, body])
    row_upper = np.choose(side, [body + 5, body, INF, body])
    cost = a.T @ duals + reduced
    return Planted(matrix(cost, a, (row_lower, row_upper), (lower, upper), False), point, duals)


def hidden() -> tuple[Any, Nonlinear]:
    """Return a nonconvex program as a model and as NL text, whose columns SCIP reorders.

    x y >= 6 and x y + z^2 <= 20 with whole y and z: z is at least -3, and x + 2 y at least 7,
    at x = 3 and y = 2.
    """
    import pyomo.environ as pyo

    from ..formulations.matrix import nonlinear_of

    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 10))
    model.y = pyo.Var(bounds=(1, 10), domain=pyo.Integers)
    model.z = pyo.Var(bounds=(-8, 8), domain=pyo.Integers)
    model.free = pyo.Var(bounds=(0, 5))
    model.area = pyo.Constraint(expr=model.x * model.y >= 6)
    model.limit = pyo.Constraint(expr=model.x * model.y + model.z**2 <= 20)
    model.least = pyo.Objective(expr=model.x + 2 * model.y + model.z - model.free)
    return model, nonlinear_of(model)


def dual_bound(program: Matrix, duals: Floats) -> float:
    """Return the bound of weak duality."""
    reduced = program.cost - program.a.T @ duals
    total = program.offset
    for prices, low, high in (
        (duals, program.row_lower, program.row_upper),
        (reduced, program.lower, program.upper),
    ):
        for price, ends in zip(prices, zip(low, high, strict=True), strict=True):
            total += price * ends[int(price < 0)] if abs(price) > 1e-7 else 0.0
    return total


def points(program: Matrix) -> Iterator[Floats]:
    """Yield all integer points within the bounds of the columns."""
    ranges = zip(program.lower.astype(int), program.upper.astype(int), strict=True)
    for point in product(*(range(low, high + 1) for low, high in ranges)):
        yield np.array(point, dtype=float)


def brute_force(program: Matrix) -> float:
    """Return the least value, or infinity if there is no point."""
    inside = (
        float(program.cost @ point) + program.offset
        for point in points(program)
        if (program.a @ point >= program.row_lower - 1e-9).all()
        and (program.a @ point <= program.row_upper + 1e-9).all()
    )
    return min(inside, default=np.inf)


def drawn(seed: int) -> Matrix:
    """Return an integer program with quarters and thirds, rows of all kinds, maybe infeasible."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-6, 7, (3, 4)) / rng.choice([1, 3, 4], (3, 1))
    middle = a @ rng.integers(0, 3, 4)
    low = middle - rng.choice([0.0, 0.5, np.inf], 3)
    high = np.where(np.isinf(low), middle, middle + rng.choice([0.0, 1.0], 3))
    low[0], high[0] = low[0] + seed % 2 / 7, high[0] + seed % 2 / 7
    return matrix(rng.integers(-9, 10, 4), a, (low, high), (0, 3), offset=0.25)


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """A program, its status, and its optimum if it has one."""

    name: str
    program: Program
    status: SolutionStatus = SolutionStatus.OPTIMAL
    value: float | None = None

    @property
    def form(self) -> str:
        """The required capability of a solver: `lp`, `milp` or `nonconvex`."""
        if not isinstance(self.program, Matrix):
            return "nonconvex"
        return "milp" if self.program.integer.any() else "lp"


def known_programs(draws: int) -> Iterator[KnownProgram]:
    """Yield programs of all forms, `draws` of each random kind. Callers may change all of them."""
    for name, program, *values in BY_HAND:
        for made, value in zip(deepcopy((program, relaxed(program))), values, strict=True):
            form = "whole" if made.integer.any() else "continuous"
            yield _known(f"{name}, {form}", made, value)
    for seed in range(draws):
        program, point, _ = planted(seed)
        yield _known(f"planted optimum {seed}", program, float(program.cost @ point))
        program = drawn(seed)
        yield _known(f"drawn program {seed}", program, brute_force(program))
    yield KnownProgram("a nonconvex program", hidden()[1], value=-1.0)


def _known(name: str, program: Matrix, value: float) -> KnownProgram:
    """Return a program with its optimum: infinity if infeasible, minus infinity if unbounded."""
    if np.isinf(value):
        return KnownProgram(
            name, program, SolutionStatus.INFEASIBLE if value > 0 else SolutionStatus.UNBOUNDED
        )
    return KnownProgram(name, program, value=value)


NONE, ENDLESS, ANY = INF, -INF, (-INF, INF)

TWO = matrix([1, 2], [[1, 1]], (2, 9), (0, 1))

BY_HAND: tuple[tuple[str, Matrix, float, float], ...] = (
    ("two rows", TINY, 13.0, 12.6),
    ("no point", INFEASIBLE, NONE, NONE),
    ("no end", UNBOUNDED, ENDLESS, ENDLESS),
    ("a direction without points", INFEASIBLE_RAY, NONE, NONE),
    ("no rows", matrix([1, -2], np.zeros((0, 2)), ([], []), (0, 3)), -6.0, -6.0),
    ("an empty row", matrix([1, 2], [[0, 0], [1, 1]], ([-1, 1], [1, INF]), (0, 3)), 1.0, 1.0),
    ("an empty row with limit 1", matrix([1], [[0], [1]], (1, 2), (0, 3)), NONE, NONE),
    (
        "free columns",
        matrix([1, 1], [[1, -1], [2, 1]], ([1, 3], [1, INF]), (-INF, INF)),
        3.0,
        5 / 3,
    ),
    ("columns below 0", matrix([2], [[2]], (-9, INF), (-8, -2)), -8.0, -9.0),
    ("a fixed column", matrix([1, 1], [[1, 1]], (5, 9), ([2, 0], [2, 9])), 5.0, 5.0),
    ("no costs", matrix([0, 0], [[1, 1]], (2, 3), (0, 3), offset=4.0), 4.0, 4.0),
    ("a column in no row", matrix([1, -1], [[1, 0]], (2, 3), (0, 3)), -1.0, -1.0),
    ("bounds between integers", matrix([-1], [[1]], (0, 9), (0.5, 2.5)), -2.0, -2.5),
    ("an odd sum", matrix([1, 1], [[2, 2]], (3, 3), (0, 9)), NONE, 1.5),
    ("a range", matrix([-1, -1], [[2, 3]], (4, 7), (0, 2)), -3.0, -3.0),
    ("duplicate names", replace(TWO, columns=("x", "x")), 3.0, 3.0),
    ("names with signs", replace(TWO, columns=("start['j 0',3]", "€ <= 2"), rows=("",)), 3.0, 3.0),
)
"""Yield integer programs with their optima, and their relaxations."""
