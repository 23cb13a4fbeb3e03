"""Programs whose answers are known, for solvers: by hand, by construction, by brute force."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from ..formulations.program import Matrix, Program
from ..instances import SolutionStatus
from .programs import (
    INF,
    INFEASIBLE,
    INFEASIBLE_RAY,
    TINY,
    UNBOUNDED,
    brute_force,
    drawn,
    hidden,
    matrix,
    planted,
    relaxed,
)


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """A program, how it ends, and the least value if there is one."""

    name: str
    program: Program
    status: SolutionStatus = SolutionStatus.OPTIMAL
    value: float | None = None

    @property
    def form(self) -> str:
        """What a solver has to be able to do for it: `lp`, `milp` or `nonconvex`."""
        if not isinstance(self.program, Matrix):
            return "nonconvex"
        return "milp" if self.program.integer.any() else "lp"


def known_programs(draws: int) -> Iterator[KnownProgram]:
    """Yield programs of all forms, `draws` of each sort that is drawn; all may be changed."""
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
    """Return a program by its least value: infinite if it has no point, minus that if no end."""
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
    ("an empty row that asks for 1", matrix([1], [[0], [1]], (1, 2), (0, 3)), NONE, NONE),
    (
        "free columns",
        matrix([1, 1], [[1, -1], [2, 1]], ([1, 3], [1, INF]), (-INF, INF)),
        3.0,
        5 / 3,
    ),
    ("columns below 0", matrix([2], [[2]], (-9, INF), (-8, -2)), -8.0, -9.0),
    ("a fixed column", matrix([1, 1], [[1, 1]], (5, 9), ([2, 0], [2, 9])), 5.0, 5.0),
    ("nothing to pay", matrix([0, 0], [[1, 1]], (2, 3), (0, 3), offset=4.0), 4.0, 4.0),
    ("a column in no row", matrix([1, -1], [[1, 0]], (2, 3), (0, 3)), -1.0, -1.0),
    ("ends between whole numbers", matrix([-1], [[1]], (0, 9), (0.5, 2.5)), -2.0, -2.5),
    ("an odd sum", matrix([1, 1], [[2, 2]], (3, 3), (0, 9)), NONE, 1.5),
    ("a range", matrix([-1, -1], [[2, 3]], (4, 7), (0, 2)), -3.0, -3.0),
    ("names that come twice", replace(TWO, columns=("x", "x")), 3.0, 3.0),
    ("names with signs", replace(TWO, columns=("start['j 0',3]", "€ <= 2"), rows=("",)), 3.0, 3.0),
)
"""Programs in whole numbers with their least values, and those without integrality."""
