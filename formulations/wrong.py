"""Whether what a solver says of a program is wrong, shown by a point in fractions if possible.

A solver may err within its tolerances. Wrong is: "infeasible" though a point holds; a bound, or an
optimal value, above the value of a point that holds by more than errors of `SLACK` in every cost,
column and row explain; a point of its own that misses the program by more than `MISS`; "unbounded"
though a point holds and the bounds of the columns limit the objective.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from ..instances import RefusedError, SolutionStatus, TerminationReason
from .adapters.solver import Solver
from .exact import Point, activity, exact_point, holds, value
from .program import Caps, Matrix, Solution
from .solver_interface.checker import TOLERANCE, matrix_checker
from .solver_interface.plain import plain_answer

MISS = 1e-4
"""A hundred times the tolerance that solvers are given."""

SLACK = Fraction(1, 10**6)

EXACT = "exact"
"""What shows it where fractions do; else the name of a second solver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A wrong answer: its kind, which shrinking keeps, the words, and what shows it."""

    kind: str
    text: str
    witness: Point | None = None
    """A point that holds, unless the solver's own point is what is wrong."""
    shown: str = EXACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A solver whose answers are doubted, and one that is asked for points."""

    solver: Solver
    against: Solver
    caps: Caps
    trusted: Caps = Caps()
    """The caps of the second one."""

    def wrong(
        self, program: Matrix, hints: Sequence[Point] = (), exact: bool = False
    ) -> Wrong | None:
        """Return what is wrong with the solver's answer; `hints` are points that may hold.

        With `exact` it must be shown in fractions.
        """
        try:
            said = plain_answer(self.solver, program, self.caps)
        except RefusedError:
            return None
        if said.termination is TerminationReason.INTERRUPTED:
            raise KeyboardInterrupt
        if (own := own_point_wrong(program, said)) is not None:
            return own
        if not _claims(said):
            return None
        for hint in hints:
            if holds(program, hint) and (found := refuted(program, said, hint)) is not None:
                return found
        return self._by_second(program, said, exact)

    def _by_second(self, program: Matrix, said: Solution, exact: bool) -> Wrong | None:
        try:
            other = plain_answer(self.against, program, self.trusted)
        except RefusedError:
            return None
        if other.termination is TerminationReason.INTERRUPTED:
            raise KeyboardInterrupt
        if other.point is None:
            return None
        point = exact_point(program, other.point)
        if point is not None:
            return refuted(program, said, point)
        misses = matrix_checker(program).violation(other.point) > TOLERANCE
        if exact or misses or other.status is not SolutionStatus.OPTIMAL:
            return None
        return refuted(program, said, tuple(map(Fraction, other.point.tolist())), self.against.name)


def _claims(said: Solution) -> bool:
    """Say whether an answer claims what a point can refute."""
    whole = (SolutionStatus.INFEASIBLE, SolutionStatus.UNBOUNDED, SolutionStatus.OPTIMAL)
    return said.status in whole or _bound(said) > -inf


def _bound(said: Solution) -> float:
    return -inf if said.bound is None or np.isnan(said.bound) else said.bound


def own_point_wrong(program: Matrix, said: Solution) -> Wrong | None:
    """Return what is wrong with the point of an answer, if it does not hold."""
    if said.status is not SolutionStatus.OPTIMAL or said.point is None:
        return None
    miss = matrix_checker(program).violation(said.point)
    if miss <= MISS:
        return None
    return Wrong(kind="point", text=f"its optimal point misses the program by {miss:.2g}")


def refuted(program: Matrix, said: Solution, point: Point, shown: str = EXACT) -> Wrong | None:
    """Return what a point that holds shows to be wrong with an answer."""
    worth = value(program, point)
    text = f"a point of value {float(worth):.9g} holds"
    if said.status is SolutionStatus.INFEASIBLE:
        return Wrong(
            kind="infeasible", text=f"it says infeasible, but {text}", witness=point, shown=shown
        )
    if said.status is SolutionStatus.UNBOUNDED:
        if not _boxed(program):
            return None
        text = f"it says unbounded, but {text} and the bounds of columns limit the objective"
        return Wrong(kind="unbounded", text=text, witness=point, shown=shown)
    above = _bound(said)
    if said.status is SolutionStatus.OPTIMAL and said.point is not None:
        above = max(above, matrix_checker(program).value(said.point))
    if above == inf or above == -inf or above - worth <= _margin(program, point, worth):
        return None
    kind = "optimum" if said.status is SolutionStatus.OPTIMAL else "bound"
    text = f"it says that no value is below {above:.9g}, but {text}"
    return Wrong(kind=kind, text=text, witness=point, shown=shown)


def _margin(program: Matrix, point: Point, worth: Fraction) -> Fraction:
    """Return what errors of `SLACK` in costs and duals can do to a bound."""
    rows = sum(abs(activity(program, i, point)) for i in range(len(program.rows)))
    return SLACK * (1 + abs(worth) + sum(map(abs, point)) + rows)


def _boxed(program: Matrix) -> bool:
    """Say whether bounds of columns limit the objective from below."""
    ends = np.where(program.cost > 0, program.lower, program.upper)[program.cost != 0]
    return bool(np.isfinite(ends).all())
