"""The interface to every solver: the only place that chooses one by name.

A program goes in, a `Solution` comes out, whose point has been checked against the program
(`checked.py`). If its numbers are very small or large, solvers receive it in other units
(`scaled`). With caps on memory or processor time, or on request, the solver runs in a separate
process (`call.py`), and even its crash is an answer. Large programs with a time limit do too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...extensions.entry_points import Brought, brought_as, named
from ...instances import MissingError, RefusedError, SolutionStatus, TerminationReason
from ...instances.errors import InputError, Problem, raise_any, unknown
from ..adapters import (
    ampl,
    cbc,
    choco,
    conic,
    copt,
    cp_sat,
    cplex,
    exact,
    glpk,
    gpu,
    gurobi,
    highs,
    mosek,
    ortools_lp,
    pumpkin,
    scip,
    variants,
    xpress,
)
from ..adapters.highs import IncrementalLP as IncrementalLP
from ..adapters.highs import Optimum as Optimum
from ..adapters.solver import Solver, claim
from ..program import TOLERANCE, Caps, Floats, Matrix, Nonlinear, Program, Settings, Solution
from .call import call
from .checked import BestPoint, Watch, checker_of, recheck

PLAIN = 1e-5, 1e7
"""Between these, numbers other than 0 are left as they are."""

GROSS = 0.1
"""No point may miss a row by this part of its requirement, whatever the units."""

ROUNDS = 4
"""Rows and columns are scaled in turn."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """A program, and the factors for its points: ``row``, ``column`` and ``cost``."""

    matrix: Matrix
    row: Floats
    column: Floats
    cost: float

    def into(self, point: Floats) -> Floats:
        """Return a point of the program as it was in the new units."""
        return point / self.column if point.shape == self.column.shape else point

    def back(self, point: Floats) -> Floats:
        """Return a point of this program in the units of before."""
        return point * self.column

    def holds(self, point: Floats) -> bool:
        """Return False if a point of this program misses a row by most of the row's requirement.

        If the unit of a column is large, a row's whole requirement can be below the tolerances.
        """
        terms = self.matrix.a.multiply(self.into(point)).tocsr()
        rows, size = np.asarray(terms.sum(axis=1)), np.asarray(abs(terms).sum(axis=1))
        for side, miss in (
            (self.matrix.row_lower, self.matrix.row_lower - rows),
            (self.matrix.row_upper, rows - self.matrix.row_upper),
        ):
            asked = np.where(np.isfinite(side), np.abs(side), 0.0)
            if ((asked > 0) & (miss > GROSS * np.maximum(asked, size))).any():
                return False
        return True

    def unscaled(
        self, watch: Callable[[Floats, float], object]
    ) -> Callable[[Floats, float], object]:
        """Return a function that passes on points that hold, in the units of before."""

        def pass_on(point: Floats, value: float) -> None:
            if self.holds(self.back(point)):
                watch(self.back(point), value / self.cost)

        return pass_on

    def answer(self, found: Solution) -> Solution:
        """Return an answer in the units of the original, with an unchanged violation."""
        return replace(
            found,
            point=None if found.point is None else self.back(found.point),
            value=None if found.value is None else found.value / self.cost,
            bound=None if found.bound is None else found.bound / self.cost,
            duals=None if found.duals is None else found.duals * self.row / self.cost,
        )


def scaled(matrix: Matrix) -> Scaled:
    """Return a program in units in which its numbers are near 1.

    Rows, continuous columns and the objective are multiplied by powers of two, which is exact.
    Integer columns stay as they are. A program whose numbers are plain is not touched.
    """
    row, column = np.ones(len(matrix.rows)), np.ones(len(matrix.columns))
    a, sizes = matrix.a.copy(), np.abs(matrix.a.data)
    rows, columns = np.repeat(np.arange(len(row)), np.diff(a.indptr)), a.indices
    if _plain(sizes) and _plain(np.abs(matrix.cost)):
        return Scaled(matrix, row, column, 1.0)
    for _ in range(0 if _plain(sizes) else ROUNDS):
        middle = _middle(sizes * row[rows], columns, len(column))
        column = np.where(matrix.integer, 1.0, 1 / middle)
        row = 1 / _middle(sizes * column[columns], rows, len(row))
    a.data = a.data * row[rows] * column[columns]
    largest = np.abs(matrix.cost * column).max(initial=0.0)
    cost = float(1 / _power(np.array([largest or 1.0]))[0])
    return Scaled(
        replace(
            matrix,
            cost=matrix.cost * column * cost,
            offset=matrix.offset * cost,
            lower=matrix.lower / column,
            upper=matrix.upper / column,
            a=a,
            row_lower=matrix.row_lower * row,
            row_upper=matrix.row_upper * row,
        ),
        row,
        column,
        cost,
    )


def _plain(numbers: Floats) -> bool:
    some = numbers[numbers > 0]
    return bool(some.size == 0 or (some.min() >= PLAIN[0] and some.max() <= PLAIN[1]))


def _middle(entries: Floats, places: NDArray[np.int64], count: int) -> Floats:
    """Return a power of two between least and largest entry of each place, 1 if empty."""
    least, largest = np.full(count, np.inf), np.zeros(count)
    held = entries > 0
    np.minimum.at(least, places[held], entries[held])
    np.maximum.at(largest, places[held], entries[held])
    found = largest > 0
    between = np.sqrt(np.where(found, least, 1.0)) * np.sqrt(np.where(found, largest, 1.0))
    return _power(between)


def _power(numbers: Floats) -> Floats:
    """Return the nearest powers of two."""
    powers: Floats = np.exp2(np.round(np.log2(numbers)))
    return powers


ADAPTERS = (
    *(highs, scip, cp_sat, variants, ortools_lp, glpk, cbc, exact, choco, pumpkin, conic, gpu),
    *(ampl, gurobi, cplex, xpress, copt, mosek),
)
"""The modules of solvers, the default one first. Each has a `SOLVER`, or several `SOLVERS`."""

SOLVERS: tuple[Solver, ...] = tuple(
    solver
    for adapter in ADAPTERS
    for solver in getattr(adapter, "SOLVERS", None) or (adapter.SOLVER,)
)

GROUP = "ringyard.solvers"
"""Entry points of this group are solvers of other packages: a `Solver` each."""

NO_CAPS = Caps()

ANY_GAP = 1e9
"""Option settings may have allowed any gap."""


def solve(
    program: Any,
    solver: str | Solver = "highs",
    caps: Caps = NO_CAPS,
    start: Floats | None = None,
    watch: Watch | None = None,
) -> Solution:
    """Minimise a `Matrix`, a `Nonlinear` or a Pyomo model, and check the answer.

    `start` is a point in the order of the columns, for solvers that can begin from one. `watch` is
    called with better points while the solver runs, if it reports them.

    Raises:
        MissingError: If the solver is not installed. The message says how to get it.
        RefusedError: If the solver cannot treat such a program.
    """
    chosen = find_solver(solver) if isinstance(solver, str) else solver
    if chosen.missing:
        raise MissingError(chosen.missing)
    stated = _bounds_made_whole(program_of(program))
    reason = _no_program(stated) or chosen.refuses(stated)
    if reason is not None:
        raise RefusedError(f"{chosen.name} cannot solve this program: {reason}")
    units = scaled(stated) if isinstance(stated, Matrix) and "lp" in chosen.can else None
    if units is None:
        return _checked(chosen, stated, caps, start, watch)
    begin = None if start is None else units.into(start)
    scaled_watch = None if watch is None else units.unscaled(watch)
    found = units.answer(_checked(chosen, units.matrix, caps, begin, scaled_watch))
    if found.point is None or units.holds(found.point):
        return found
    left_s = None if caps.time_s is None else max(0.0, caps.time_s - found.seconds)
    again = _checked(chosen, stated, replace(caps, time_s=left_s), start, watch)
    return replace(again, seconds=found.seconds + again.seconds)


def _bounds_made_whole(program: Program) -> Program:
    """Return the program with whole bounds of its integers.

    HiGHS 1.15.1 errs if one is fractional.
    """
    if not isinstance(program, Matrix):
        return program
    lower = np.where(program.integer, np.ceil(program.lower - TOLERANCE), program.lower)
    upper = np.where(program.integer, np.floor(program.upper + TOLERANCE), program.upper)
    if (lower == program.lower).all() and (upper == program.upper).all():
        return program
    return replace(program, lower=lower, upper=upper)


def _checked(
    chosen: Solver, stated: Program, caps: Caps, start: Floats | None, watch: Watch | None
) -> Solution:
    """Solve a program, and check the answer."""
    best = BestPoint(checker_of(stated), watch)
    if best.checker.crossed:
        note = "a lower bound lies above its upper bound"
        return claim(SolutionStatus.INFEASIBLE, solver=chosen.name, note=note)
    claimed = call(chosen, stated, caps, start, best.report)
    if best.error is not None:
        raise best.error
    found = recheck(claimed, best, start, ANY_GAP if caps.settings else caps.gap)
    no_end = found.status is SolutionStatus.UNBOUNDED and best.point is None
    if no_end and isinstance(stated, Matrix):
        return _confirm_unbounded(found, chosen, stated, caps)
    return found


def _no_program(program: Program) -> str | None:
    """Return why this is no program at all. Some solvers hang on such input."""
    if not program.columns:
        return "it has no columns"
    if not isinstance(program, Matrix):
        return None
    bounds = (program.lower, program.upper, program.row_lower, program.row_upper)
    if not (np.isfinite(program.cost).all() and np.isfinite(program.a.data).all()):
        return "a coefficient is infinite or no number"
    return "a bound is not a number" if any(np.isnan(side).any() for side in bounds) else None


def _confirm_unbounded(found: Solution, solver: Solver, program: Matrix, caps: Caps) -> Solution:
    """Look for a feasible point: many solvers report an unbounded direction without one."""
    free = replace(program, cost=np.zeros_like(program.cost))
    best = BestPoint(checker_of(free))
    second = recheck(call(solver, free, caps, None, best.report), best)
    setups = (found.setup_s, second.setup_s)
    spent: dict[str, Any] = {
        "seconds": found.seconds + second.seconds,
        "setup_s": None if None in setups else sum(filter(None, setups)),
    }
    if second.point is not None:
        return replace(found, **spent)
    # Without costs it can only be infeasible, whichever of the two the solver says.
    if second.status in {SolutionStatus.INFEASIBLE, SolutionStatus.UNBOUNDED}:
        return replace(second, status=SolutionStatus.INFEASIBLE, **spent)
    done = second.termination is TerminationReason.DONE
    spent["termination"] = TerminationReason.NUMERICAL if done else second.termination
    note = "it claims that the objective has no end, but finds no point"
    return replace(second, status=SolutionStatus.NOTHING, note=note, **spent)


def find_solver(name: str) -> Solver:
    """Return a solver by name, or by ``FILE.py:NAME``."""
    known = {solver.name: solver for solver in SOLVERS}
    if name in known:
        return known[name]
    if found := brought_as(GROUP, name):
        return extension_solver(found)
    names, hint = [*known, *named(GROUP)], "see `ringyard list solvers`"
    raise InputError("solvers", [unknown("solver", name, names, hint)])


def solver_digest(name: str) -> str:
    """Return a digest of the code of a solver from outside, empty for one of Ringyard."""
    found = None if name in {one.name for one in SOLVERS} else brought_as(GROUP, name)
    return found.digest if found else ""


def extension_solver(one: Brought) -> Solver:
    """Return a solver of another package or of a file, called as it is named there."""
    found: Solver = one.load(Solver)
    own, stated = found.options, (str, type(None))
    return replace(
        found,
        name=one.name,
        run=one.part("run", found.run),
        plain=found.plain and one.part("plain", found.plain),
        lacks=one.part("lacks", found.lacks),
        load=one.part("load", found.load),
        refuses=one.guard(one.part("refuses", found.refuses), stated),
        options=own
        and replace(
            own,
            known=one.part("options.known", own.known),
            takes=one.part("options.takes", own.takes),
        ),
        remark="; ".join(filter(None, [one.source, found.remark])),
    )


def program_of(program: Any) -> Program:
    """Return a matrix or NL text, made from a Pyomo model if need be."""
    if isinstance(program, Matrix | Nonlinear):
        return program
    from ..matrix import is_linear, matrix_of, nonlinear_of

    return matrix_of(program) if is_linear(program) else nonlinear_of(program)


def read_settings(solver: Solver, words: Sequence[str]) -> Settings:
    """Return options by name, in order, or raise `InputError` for an unknown or invalid one.

    A solver that is not installed is not loaded.
    """
    where = f"options of {solver.name}"
    pairs = [word.partition("=") for word in words if "=" in word]
    given = tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))
    raise_any(where, _option_problems(solver, words, given))
    return given


def _option_problems(solver: Solver, words: Sequence[str], given: Settings) -> Iterator[Problem]:
    if solver.options is None:
        advice = "leave them out, or take another solver"
        expected = f"no options, because Ringyard passes none to {solver.name}"
        yield Problem("options", ":".join(words), expected, advice)
        return
    for word in words:
        if "=" not in word:
            yield Problem("option", word, "name=value", "give a name and a value, as in threads=2")
    names = [name for name, _ in given]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Problem(name, "twice", "each option once", "leave one out")
    known = None if solver.missing else solver.options.known()
    for name, value in given:
        if name in solver.options.ours:
            expected = f"an option of {solver.name} that Ringyard does not set"
            yield Problem(name, value, expected, solver.options.ours[name])
        elif known is not None and name not in known:
            expected = f"a name of an option of {solver.name}"
            yield unknown("option", name, known, f"see the manual of {solver.name}", expected)
        elif known is not None and not solver.options.takes(name, value):
            advice = f"see the manual of {solver.name}"
            yield Problem(name, value, f"a value that {solver.name} takes there", advice)


def named_solver(text: str) -> tuple[Solver, Settings]:
    """Return a solver and its options, as in ``highs:presolve=off``."""
    name, words = solver_words(text)
    solver = find_solver(name)
    return solver, read_settings(solver, words) if words else ()


def solver_words(text: str) -> tuple[str, list[str]]:
    """Return the name of a solver, which may be ``FILE.py:NAME``, and the words behind it."""
    name, *words = text.split(":")
    if name.endswith(".py"):
        return ":".join([name, *words[:1]]), words[1:]
    return name, words
