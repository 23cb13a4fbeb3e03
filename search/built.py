"""A program solved from a first schedule; whatever the solver finds on the way is read."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ..formulations.catalogue import Formulation
from ..formulations.matrix import point_of, set_point
from ..formulations.program import Floats
from ..formulations.solution import Caps, Solution
from ..formulations.solve import program_of, solve
from ..instances import Limits


class Solved(NamedTuple):
    """What a solver said, and the seconds of each step."""

    solution: Solution
    seconds: tuple[tuple[str, float], ...]


def solve_built(
    program: Formulation,
    build: Callable[[], Any],
    solver: str,
    limits: Limits,
    first: Any,
    offer: Callable[[Any], None],
) -> Solved:
    """Build, write the first schedule unless it is None, solve, and offer every schedule found."""
    began = time.perf_counter()
    model = build()
    matrix = program_of(model)
    if first is not None:
        program.write(model, first)

    def take(point: Floats, _value: float) -> None:
        set_point(model, matrix, point)
        offer(program.read(model))

    built, start = time.perf_counter(), point_of(model, matrix)
    caps = Caps(time_s=limits.left_s(), threads=limits.threads)
    solution = solve(matrix, solver, caps, start=start, watch=take)
    if solution.point is not None and solution.value is not None:
        take(solution.point, solution.value)
    steps = {"build": built - began, "solve": time.perf_counter() - built}
    return Solved(solution, tuple(steps.items()))
