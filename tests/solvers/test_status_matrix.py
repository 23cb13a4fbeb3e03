"""Every solver answers every situation as the table of cells says, and the page shows the table."""

import re
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from solvers.cells import ALIKE, CELLS, NODES, REASONS, SITUATIONS
from solvers.faults import die, tamper, with_fault

from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.program import Caps, Matrix, Solution
from ringyard.formulations.solver_interface.solve import SOLVERS, solve
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.testing.programs import (
    INFEASIBLE,
    TINY,
    UNBOUNDED,
    covering,
    large,
    matrix,
    packing,
    relaxed,
)

PAGE = Path(__file__).parents[2] / "docs/reference/solvers.md"

CRASHED = ("highs", "cp-sat", "glpk", "choco")
"""Solvers whose crashes are tried in the fast tests: one for each kind of interface."""

APART = ("cp-sat", "glop", "glpk", "choco")
"""Solvers that start a process for each call: the slow tests try what is common to all."""

INSTALLED = [solver for solver in SOLVERS if solver.installed]


def fitted(solver: Solver, program: Matrix) -> Matrix:
    """Return the program, relaxed where the solver takes no integers."""
    return relaxed(program) if solver.refuses(program) else program


def optimal(solver: Solver) -> Solution:
    return solve(fitted(solver, TINY), solver)


def limit_with_point(solver: Solver) -> Solution:
    program = packing()
    if solver.refuses(program):
        return solve(relaxed(program), solver, Caps(time_s=1e-9))
    return solve(program, solver, Caps(nodes=1))


def limit_without_point(solver: Solver) -> Solution:
    return solve(fitted(solver, covering()), solver, Caps(time_s=1e-9))


def infeasible(solver: Solver) -> Solution:
    return solve(fitted(solver, INFEASIBLE), solver)


def unbounded(solver: Solver) -> Solution:
    return solve(fitted(solver, UNBOUNDED), solver)


def numerical(solver: Solver) -> Solution:
    return solve(fitted(solver, TINY), with_fault(solver, tamper))


def ended_by(number: int, solver: Solver) -> Solution:
    program = fitted(solver, packing(8, 5) if NODES in CELLS[solver.name] else packing(30, 20))
    return solve(program, with_fault(solver, partial(die, number)), Caps(nodes=1, own_process=True))


def memory(solver: Solver) -> Solution:
    small = solve(fitted(solver, TINY), solver, Caps(own_process=True))
    assert small.memory_mb is not None
    return solve(fitted(solver, large()), solver, Caps(memory_mb=small.memory_mb + 15))


def licence(solver: Solver) -> Solution:
    columns = 12_000
    return solve(matrix(-1, [[1] * columns], (0, 3), (0, 1)), solver)


PROVOKED: dict[str, Callable[[Solver], Solution]] = dict(
    zip(
        SITUATIONS,
        (
            optimal,
            limit_with_point,
            limit_without_point,
            infeasible,
            unbounded,
            numerical,
            partial(ended_by, signal.SIGSEGV),
            memory,
            partial(ended_by, signal.SIGKILL),
            licence,
        ),
        strict=True,
    )
)


def test_the_table_is_complete() -> None:
    assert list(CELLS) == [solver.name for solver in SOLVERS]
    assert {len(row) for row in CELLS.values()} == {len(SITUATIONS)}


def cells() -> Iterator[Any]:
    """Yield the installed solvers and situations; CVXPY starts slowly, so one of its is enough."""
    for solver in INSTALLED:
        for situation in SITUATIONS:
            again = solver.name.startswith("cvxpy") and solver.name != "cvxpy-clarabel"
            alike = solver.name in ALIKE and situation != SITUATIONS[0]
            crash = situation == "crash" and solver.name not in CRASHED
            common = solver.name in APART and situation in {"numerical", "limit, no point"}
            slow = again or alike or crash or common or situation in {"memory", "killed"}
            marks = [pytest.mark.slow] if slow else []
            yield pytest.param(solver, situation, marks=marks, id=f"{solver.name}-{situation}")


@pytest.mark.parametrize(("solver", "situation"), list(cells()))
def test_a_solver_answers_a_situation_as_the_table_says(solver: Solver, situation: str) -> None:
    cell = dict(zip(SITUATIONS, CELLS[solver.name], strict=True))[situation]
    if cell in REASONS:
        pytest.skip(REASONS[cell])
    found = PROVOKED[situation](solver)
    assert f"{found.termination}, {found.status}" == cell, found
    has_point = found.status in {SolutionStatus.OPTIMAL, SolutionStatus.FEASIBLE}
    assert (found.point is not None) == (found.value is not None) == has_point
    assert found.termination is TerminationReason.DONE or found.note


def test_the_page_shows_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("<!-- situations -->")[2]
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", page, re.MULTILINE)
    shown = {name: tuple(cells.split(" | ")) for name, cells in rows if name in CELLS}
    assert shown == CELLS
    assert dict(re.findall(r"^(\(\d\)) (.*)\.\\?$", page, re.MULTILINE)) == REASONS
