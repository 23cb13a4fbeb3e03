"""What solvers find is right: planted optima, brute force, duals, nonconvex programs."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pyomo.environ as pyo
import pytest
from solvers.programs import TINY, hidden, matrix, packing, planted, relaxed

from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.door import apart
from ringyard.formulations.door.checked import checker_of
from ringyard.formulations.door.solve import SOLVERS, IncrementalLP, solve
from ringyard.formulations.named import build_named
from ringyard.formulations.program import Caps, Floats, Matrix
from ringyard.instances import Left, RefusedError, Stop
from ringyard.instances.catalogue import load

INSTALLED = [one for one in SOLVERS if one.installed and one.name != "mosek"]
LINEAR = [one for one in INSTALLED if "lp" in one.can]
WHOLE = [one for one in INSTALLED if {"milp", "ip"} & set(one.can)]


def name_of(one: Solver) -> str:
    return one.name


@pytest.mark.parametrize("one", LINEAR, ids=name_of)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_planted_optimum_is_found(one: Solver, seed: int) -> None:
    program, point, duals = planted(seed)
    assert bound_of(program, duals) == pytest.approx(program.cost @ point)
    found = solve(program, one)
    assert (found.stop, found.left) == (Stop.DONE, Left.OPTIMAL)
    assert found.value == pytest.approx(program.cost @ point, rel=1e-6)
    if "duals" in one.can:
        assert found.duals is not None
        assert bound_of(program, found.duals) == pytest.approx(program.cost @ point, rel=1e-6)


def bound_of(program: Matrix, duals: Floats) -> float:
    """Return what weak duality says."""
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
    """Yield all whole points within the bounds of the columns."""
    ranges = zip(program.lower.astype(int), program.upper.astype(int), strict=True)
    for point in product(*(range(low, high + 1) for low, high in ranges)):
        yield np.array(point, dtype=float)


def brute_force(program: Matrix) -> float:
    """Return the least value, infinite if there is no point."""
    inside = (
        float(program.cost @ point) + program.offset
        for point in points(program)
        if (program.a @ point >= program.row_lower - 1e-9).all()
        and (program.a @ point <= program.row_upper + 1e-9).all()
    )
    return min(inside, default=np.inf)


def tiny(seed: int) -> Matrix:
    """Return an integer program with quarters and thirds, rows of all kinds, maybe no point."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-6, 7, (3, 4)) / rng.choice([1, 3, 4], (3, 1))
    middle = a @ rng.integers(0, 3, 4)
    low = middle - rng.choice([0.0, 0.5, np.inf], 3)
    high = np.where(np.isinf(low), middle, middle + rng.choice([0.0, 1.0], 3))
    low[0], high[0] = low[0] + seed % 2 / 7, high[0] + seed % 2 / 7
    return matrix(rng.integers(-9, 10, 4), a, (low, high), (0, 3), offset=0.25)


@pytest.mark.parametrize("one", WHOLE, ids=name_of)
def test_tiny_integer_programs_agree_with_brute_force(one: Solver) -> None:
    verdicts = set()
    for seed in range(3 if one.alone else 20):
        program = tiny(seed)
        if one.refuses(program):
            continue
        least, found = brute_force(program), solve(program, one)
        verdicts.add(found.left)
        assert found.stop is Stop.DONE
        assert found.left is (Left.INFEASIBLE if least == np.inf else Left.OPTIMAL)
        assert (np.inf if found.value is None else found.value) == pytest.approx(least)
    assert verdicts >= {Left.OPTIMAL}


def test_the_tiny_programs_are_of_both_kinds() -> None:
    values = [brute_force(tiny(seed)) for seed in range(20)]
    assert 3 <= sum(value == np.inf for value in values) <= 17


def test_a_nonconvex_program_is_solved_and_its_columns_keep_their_order() -> None:
    model, program = hidden()
    found = solve(program, "scip")
    assert (found.stop, found.left) == (Stop.DONE, Left.OPTIMAL)
    assert found.point is not None
    named = dict(zip(program.columns, found.point, strict=True))
    assert named == pytest.approx({"x": 3.0, "y": 2.0, "z": -3.0, "free": 5.0}, abs=1e-5)
    assert found.value == pytest.approx(-1.0, abs=1e-5)
    assert solve(model, "scip").value == found.value


def test_a_linear_model_goes_to_every_solver() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], bounds=(0, 10), domain=pyo.Integers)
    model.first = pyo.Constraint(expr=2 * model.x[0] + model.x[1] >= 7)
    model.second = pyo.Constraint(expr=model.x[0] + 3 * model.x[1] >= 9)
    model.least = pyo.Objective(expr=3 * model.x[0] + 2 * model.x[1] + 1)
    for one in WHOLE:
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


@pytest.mark.parametrize("one", [one for one in WHOLE if not one.alone], ids=name_of)
def test_one_seed_gives_one_search(one: Solver) -> None:
    runs = [solve(packing(30, 20), one, Caps(nodes=20, seed=3)) for _ in range(2)]
    first, second = ((run.value, run.bound, run.nodes, run.point.tolist()) for run in runs)
    assert first == second


@pytest.mark.parametrize("one", WHOLE, ids=name_of)
def test_a_time_limit_ends_the_search(one: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    # A solver that did not heed its limit would be killed in the end, and so be found out.
    monkeypatch.setattr(apart, "LATE_S", 600.0)
    found = solve(packing(120, 90), one, Caps(time_s=0.5, own_process=True))
    assert found.stop is Stop.TIME_LIMIT
    assert found.left in {Left.FEASIBLE, Left.NOTHING}


def test_a_bound_that_nothing_stands_behind_is_not_passed_on() -> None:
    found = solve(packing(), "cp-sat", Caps(time_s=1e-9))
    assert found.left is Left.NOTHING
    assert found.bound is None or found.bound <= -437.0


def test_points_are_told_while_the_solver_runs() -> None:
    for one in WHOLE:
        if "watch" in one.can:
            told: list[float] = []
            found = solve(
                packing(30, 20), one, Caps(nodes=5), watch=lambda _, v, told=told: told.append(v)
            )
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


def test_highs_is_asked_again_when_it_contradicts_itself() -> None:
    """HiGHS 1.15.1 calls this big-M program infeasible; its optimum is 6."""
    model = build_named("disjunctive-bigm", load("small-03x2"), 6)
    solution = solve(model, "highs")
    assert (solution.left, solution.value) == (Left.OPTIMAL, 6)
