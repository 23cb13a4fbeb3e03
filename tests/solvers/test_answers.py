"""What solvers find is right: all that `check_solver` tries, and what only some of them do."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from solvers.cells import ALIKE, CELLS, NODES

from ringyard.formulations.adapters import highs
from ringyard.formulations.adapters.solver import Report, Solver
from ringyard.formulations.named import build_named
from ringyard.formulations.program import Caps, Floats, Matrix, Solution
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import SOLVERS, IncrementalLP, solve
from ringyard.instances import RefusedError, SolutionStatus, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.testing import check_solver
from ringyard.testing.programs import (
    TINY,
    brute_force,
    drawn,
    dual_bound,
    hidden,
    matrix,
    packing,
    planted,
    relaxed,
)

INSTALLED = [one for one in SOLVERS if one.installed and one.name != "mosek"]
WHOLE = [one for one in INSTALLED if {"milp", "ip"} & set(one.can)]


def long(one: Solver) -> bool:
    """Return True if a solver is left to the slow tests; CVXPY's share all that is ours."""
    alike = one.name.startswith("cvxpy-") and one.name != "cvxpy-highs"
    return one.alone or alike or one.name in ALIKE


def name_of(one: Solver) -> str:
    return one.name


@pytest.mark.parametrize(
    "one",
    [pytest.param(one, marks=[pytest.mark.slow] if long(one) else []) for one in INSTALLED],
    ids=name_of,
)
def test_a_solver_keeps_what_it_promises(one: Solver) -> None:
    """Few random programs go to those that take a process for each; hunts give them more."""
    assert check_solver(one, draws=1 if one.alone else 12).tried


def test_the_drawn_programs_are_of_both_kinds() -> None:
    values = [brute_force(drawn(seed)) for seed in range(20)]
    assert 3 <= sum(value == np.inf for value in values) <= 17


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_duals_prove_the_planted_optimum(seed: int) -> None:
    program, point, duals = planted(seed)
    assert dual_bound(program, duals) == pytest.approx(program.cost @ point)


def test_a_nonconvex_program_is_solved_and_its_columns_keep_their_order() -> None:
    model, program = hidden()
    found = solve(program, "scip")
    assert (found.termination, found.status) == (TerminationReason.DONE, SolutionStatus.OPTIMAL)
    assert found.point is not None
    named = dict(zip(program.columns, found.point, strict=True))
    assert named == pytest.approx({"x": 3.0, "y": 2.0, "z": -3.0, "free": 5.0}, abs=1e-5)
    assert found.value == pytest.approx(-1.0, abs=1e-5)
    assert solve(model, "scip").value == found.value


@pytest.mark.parametrize(
    "one",
    [pytest.param(one, marks=[pytest.mark.slow] if one.name in ALIKE else []) for one in WHOLE],
    ids=name_of,
)
def test_a_linear_model_goes_to_every_solver(one: Solver) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], bounds=(0, 10), domain=pyo.Integers)
    model.first = pyo.Constraint(expr=2 * model.x[0] + model.x[1] >= 7)
    model.second = pyo.Constraint(expr=model.x[0] + 3 * model.x[1] >= 9)
    model.least = pyo.Objective(expr=3 * model.x[0] + 2 * model.x[1] + 1)
    assert solve(model, one).value == pytest.approx(13.0)


@pytest.mark.parametrize("one", [one for one in WHOLE if "start" in one.can], ids=name_of)
def test_a_start_is_used(one: Solver) -> None:
    program = packing(40, 10)
    best = solve(program, "highs", Caps(nodes=200)).point
    assert best is not None
    value = checker_of(program).value(best)
    # HiGHS finds such a point at its first node, too; without any it has only the start.
    found = solve(program, one, Caps(nodes=0 if one.name == "highs" else 1), start=best)
    assert found.value is not None
    assert found.value <= value
    assert found.bound is None or found.bound <= found.value


@pytest.mark.parametrize(
    "one", [one for one in WHOLE if not one.alone and NODES not in CELLS[one.name]], ids=name_of
)
def test_one_seed_gives_one_search(one: Solver) -> None:
    runs = [solve(packing(30, 20), one, Caps(nodes=20, seed=3)) for _ in range(2)]
    first, second = ((run.value, run.bound, run.nodes, run.point.tolist()) for run in runs)
    assert first == second


def test_a_bound_that_nothing_stands_behind_is_not_passed_on() -> None:
    found = solve(packing(), "cp-sat", Caps(time_s=1e-9))
    assert found.status is SolutionStatus.NOTHING
    assert found.bound is None or found.bound <= -437.0


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, marks=[pytest.mark.slow] if one.name in ALIKE else [])
        for one in WHOLE
        if "watch" in one.can
    ],
    ids=name_of,
)
def test_points_are_told_while_the_solver_runs(one: Solver) -> None:
    told: list[float] = []
    program = packing(8, 5) if NODES in CELLS[one.name] else packing(30, 20)
    found = solve(program, one, Caps(nodes=5), watch=lambda _, value: told.append(value))
    assert told == sorted(told, reverse=True)
    assert told[-1] == found.value


def test_a_linear_program_grows_and_is_solved_again() -> None:
    growing = IncrementalLP(relaxed(TINY))
    first = growing.solve()
    assert first.value == pytest.approx(12.6)
    assert first.duals == pytest.approx([1.4, 0.2])
    growing.add_column(1.0, [0, 1], [2.0, 0.0], upper=2.0)
    growing.add_row([0, 2], [1.0, 1.0], 2.5)
    second = growing.solve()
    a = np.array([[2, 1, 2], [1, 3, 0], [1, 0, 1]])
    whole = matrix([3, 2, 1], a, ([7, 9, 2.5], np.inf), (0, [10, 10, 2]), False, offset=1.0)
    again = solve(whole)
    assert second.value == pytest.approx(again.value)
    assert second.point == pytest.approx(again.point)
    growing.add_row([0, 1, 2], [1.0, 1.0, 1.0], 50.0)
    with pytest.raises(RefusedError, match="infeasible"):
        growing.solve()


def test_a_linear_program_begins_near_a_basis() -> None:
    """Whatever is said to be basic: as many statuses as there are, or too many."""
    first = IncrementalLP(relaxed(TINY))
    best = first.solve()
    for statuses in (first.basis(), ([None, None], [None, None])):
        again = IncrementalLP(relaxed(TINY), most=10**3)
        again.begin_at(*statuses)
        found = again.solve()
        assert found.value == pytest.approx(best.value)
        assert found.duals == pytest.approx(best.duals)
    again = IncrementalLP(relaxed(TINY), most=0)
    with pytest.raises(RefusedError, match="iteration limit"):
        again.solve()
    again = IncrementalLP(relaxed(TINY))
    again.begin_at(*first.basis())
    assert again.solve().steps == 0 < best.steps


def test_highs_is_asked_again_when_it_contradicts_itself() -> None:
    """HiGHS 1.15.1 calls this big-M program infeasible; its optimum is 6."""
    model = build_named("disjunctive-bigm", load("small-03x2"), 6)
    solution = solve(model, "highs")
    assert (solution.status, solution.value) == (SolutionStatus.OPTIMAL, 6)


SILENT = """
from ringyard.formulations.solver_interface.solve import solve
from ringyard.testing.programs import TINY, relaxed
solve(TINY, "highs")
for name in ("highs-simplex", "highs-ipm", "highs-pdlp", "cvxpy-highs"):
    solve(relaxed(TINY), name)
"""


def test_highs_prints_nothing() -> None:
    """HiGHS 1.16.0 prints a banner before its output can be switched off.

    A process of its own, since C code keeps its output in a buffer until the end.
    """
    said = subprocess.run([sys.executable, "-c", SILENT], capture_output=True, check=True)
    assert (said.stdout, said.stderr) == (b"", b"")


@pytest.mark.parametrize("holds_a_point", [True, False])
def test_infeasible_by_presolve_alone_is_solved_again(
    holds_a_point: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HiGHS 1.15.1 did both; a stand-in does so with any version."""
    presolves = []

    def once(
        program: Matrix, caps: Caps, start: Floats | None, report: Report, presolve: str
    ) -> tuple[Solution, Any]:
        presolves.append(presolve)
        answer, model = real(program, caps, start, report, presolve)
        if presolve == "off":
            return answer, model
        says = SimpleNamespace(
            getInfo=lambda: SimpleNamespace(mip_node_count=0),
            getSolution=lambda: SimpleNamespace(value_valid=holds_a_point),
        )
        return replace(answer, status=SolutionStatus.INFEASIBLE, point=None), says

    real = highs._once
    monkeypatch.setattr(highs, "_once", once)
    solution = solve(TINY, "highs")
    assert presolves == ["choose", "off"]
    assert (solution.status, solution.value) == (SolutionStatus.OPTIMAL, 13)
