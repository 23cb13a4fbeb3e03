"""Wrong answers are told from right ones, shown in fractions, and made small."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from solvers.faults import claim, solver

from ringyard.formulations.adapters import highs
from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.exact import exact_point, holds, value
from ringyard.formulations.program import Caps, Matrix, Solution
from ringyard.formulations.shrink import Shrinking, fingerprint
from ringyard.formulations.solver_interface.call import plain_answer
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.formulations.wrong import Suspect, Wrong
from ringyard.instances import Limits, SolutionStatus, TerminationReason
from ringyard.testing.programs import (
    INF,
    TINY,
    UNBOUNDED,
    brute_force,
    drawn,
    matrix,
    packing,
    relaxed,
)

HIGHS = find_solver("highs")


def judged(program: Matrix, one: Solver, **more: Any) -> Wrong | None:
    return Suspect(solver=one, against=HIGHS, caps=Caps()).wrong(program, **more)


def kind(program: Matrix, one: Solver) -> str | None:
    found = judged(program, one)
    return None if found is None else found.kind


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"status": SolutionStatus.INFEASIBLE}, "infeasible"),
        ({"status": SolutionStatus.UNBOUNDED}, "unbounded"),
        ({"point": np.array([3.0, 3.0]), "bound": 16.0}, "optimum"),
        ({"point": np.array([3.0, 3.0])}, "optimum"),
        (
            {
                "status": SolutionStatus.NOTHING,
                "termination": TerminationReason.TIME_LIMIT,
                "bound": 14.0,
            },
            "bound",
        ),
        ({"point": np.array([2.0, 2.0]), "bound": 11.0}, "point"),
        ({"point": np.array([2.0, 3.0]), "bound": 13.0}, None),
        ({"point": np.array([2.0, 3.0]), "bound": 13.0 + 1e-7}, None),
        ({"status": SolutionStatus.NOTHING, "termination": TerminationReason.TIME_LIMIT}, None),
        (
            {
                "status": SolutionStatus.NOTHING,
                "termination": TerminationReason.TIME_LIMIT,
                "bound": float("nan"),
            },
            None,
        ),
    ],
)
def test_what_a_point_refutes_is_wrong_and_nothing_else(
    said: dict[str, Any], wrong: str | None
) -> None:
    assert kind(TINY, claim(**said)) == wrong


def test_what_nothing_refutes_is_not_called_wrong() -> None:
    assert kind(UNBOUNDED, claim(status=SolutionStatus.UNBOUNDED)) is None
    crossed = matrix([1, 1], [[1, 1], [1, 1]], ([-INF, 3], [1, INF]), (0, 10))
    assert kind(crossed, claim(status=SolutionStatus.INFEASIBLE)) is None


def test_a_hint_refutes_without_a_second_engine() -> None:
    silent = claim(termination=TerminationReason.TIME_LIMIT, status=SolutionStatus.NOTHING)
    suspect = Suspect(solver=claim(status=SolutionStatus.INFEASIBLE), against=silent, caps=Caps())
    assert suspect.wrong(TINY) is None
    assert suspect.wrong(TINY, [(Fraction(1), Fraction(1))]) is None
    found = suspect.wrong(TINY, [(Fraction(2), Fraction(3))])
    assert found is not None
    assert (found.kind, found.shown) == ("infeasible", "exact")


def test_where_fractions_fail_the_second_engine_is_named() -> None:
    """1/3 is no double: 3 x = 1 and x = double(1/3) hold within a tolerance only."""
    program = matrix([1], [[3], [1]], ([1, 1 / 3], [1, 1 / 3]), (0, 1), False)
    found = judged(program, claim(status=SolutionStatus.INFEASIBLE))
    assert found is not None
    assert found.shown == "highs"
    assert judged(program, claim(status=SolutionStatus.INFEASIBLE), exact=True) is None


def test_a_point_near_the_rows_is_moved_onto_them() -> None:
    """The rows are x + 3 y = 1 and y >= x / 7: only y = 1/10, x = 7/10 is tight in both."""
    program = matrix([0, 1], [[1, 3], [-1, 7]], ([1, 0], [1, INF]), (0, 1), False)
    near = np.array([0.7 + 3e-8, 0.1 - 1e-8])
    point = exact_point(program, near)
    assert point == (Fraction(7, 10), Fraction(1, 10))
    assert value(program, point) == Fraction(1, 10)
    assert not holds(program, (Fraction(0.7), Fraction(0.1)))
    assert exact_point(program, np.array([0.5, 0.5])) is None


@pytest.mark.parametrize("seed", range(20))
def test_exact_points_of_solvers_hold_and_are_as_good(seed: int) -> None:
    program, best = drawn(seed), brute_force(drawn(seed))
    found = solve(program)
    point = None if found.point is None else exact_point(program, found.point)
    if point is not None:
        assert holds(program, point)
        assert float(value(program, point)) == pytest.approx(best)


def pair(run: Any, program: Matrix, *given: Any) -> Solution:
    """Call infeasible what has two rows with a 3, and a third with a bound."""
    rows = sum(3.0 in program.a[[i]].data for i in range(len(program.rows)))
    if rows >= 2 and np.isfinite(program.upper).any():
        return Solution(
            solver="fault", termination=TerminationReason.DONE, status=SolutionStatus.INFEASIBLE
        )
    found: Solution = run(program, *given)
    return found


INVALID = solver(partial(pair, HIGHS.run))


def large() -> Matrix:
    """Return a program of 12 rows and 9 columns at which `pair` errs."""
    rng = np.random.default_rng(5)
    a = rng.integers(1, 6, (12, 9)) * (rng.random((12, 9)) < 0.5)
    a[3, 2], a[8, 5] = 3, 3
    return matrix(rng.integers(1, 9, 9), a + 0.25 * (a == 5), (1, INF), (0, 40), offset=7.0)


def smallest(**more: Any) -> Shrinking:
    program = large()
    suspect = Suspect(solver=INVALID, against=HIGHS, caps=Caps())
    wrong = suspect.wrong(program)
    assert wrong is not None
    state = Shrinking(suspect, program, wrong, Limits(), **more)
    state.run()
    return state


def test_a_program_shrinks_to_what_the_fault_needs() -> None:
    state = smallest()
    program = state.program
    assert program.a.toarray().tolist() in ([[3.0], [3.0]], [[3.0, 0.0], [0.0, 3.0]])
    assert state.wrong.kind == "infeasible"
    assert state.wrong.witness is not None
    assert holds(program, state.wrong.witness)
    assert np.isfinite(program.upper).sum() == 1
    assert not program.cost.any()
    assert not program.integer.any()
    assert program.offset == 0


def test_shrinking_is_deterministic_and_asks_about_a_program_once() -> None:
    asked: list[bytes] = []

    def listening(run: Any, program: Matrix, *given: Any) -> Solution:
        asked.append(fingerprint(program))
        return pair(run, program, *given)

    suspect = Suspect(solver=solver(partial(listening, HIGHS.run)), against=HIGHS, caps=Caps())
    wrong = suspect.wrong(large())
    assert wrong is not None
    asked.clear()
    state = Shrinking(suspect, large(), wrong, Limits())
    state.run()
    assert len(asked) == len(set(asked)) == state.asked
    assert fingerprint(state.program) == fingerprint(smallest().program)


def test_no_time_leaves_the_program_as_it_is() -> None:
    suspect = Suspect(solver=INVALID, against=HIGHS, caps=Caps())
    wrong = suspect.wrong(large())
    assert wrong is not None
    state = Shrinking(suspect, large(), wrong, Limits(time_s=0.0))
    state.run()
    assert (state.asked, len(state.program.rows)) == (0, 12)


def test_without_the_solver_interface_nothing_is_asked_again() -> None:
    """`pair` stands for what a solver says first; its `run` would ask again."""
    one = replace(INVALID, run=HIGHS.run, plain=INVALID.run)
    assert plain_answer(one, large(), Caps()).status is SolutionStatus.INFEASIBLE
    assert solve(large(), one).status is SolutionStatus.OPTIMAL


def test_bounds_of_integers_are_made_whole_at_the_solver_interface() -> None:
    """HiGHS 1.15.1 says 0.21 of the least value, 0, if the bound 1.3 stays as it is."""
    a = [[1, 0, 0], [0, 1, 1], [1, 0, 1]]
    bounds = ([-INF, -INF, -INF], [1.3, INF, 0])
    integer = [True, False, False]
    program = matrix([0, 1, 0], a, ([1, 0, -INF], [INF, INF, 1]), bounds, integer)
    given: list[Matrix] = []

    def listening(handed: Matrix, *more: Any) -> Solution:
        given.append(handed)
        return HIGHS.run(handed, *more)

    found = solve(program, solver(listening))
    assert (found.status, found.value) == (SolutionStatus.OPTIMAL, 0.0)
    assert given[0].upper.tolist() == [1.0, INF, 0.0]
    nearly = replace(program, upper=np.array([1 - 1e-9, INF, 0.0]))
    assert solve(nearly).value == 0.0


@pytest.mark.parametrize("name", ["highs-simplex", "highs-ipm", "highs-pdlp"])
def test_an_algorithm_is_what_is_asked_without_the_solver_interface(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def limit(caps: Caps, *others: Any) -> None:
        given.extend(caps.settings)
        real(caps, *others)

    real = highs.hand_over
    monkeypatch.setattr(highs, "hand_over", limit)
    plain_answer(find_solver(name), relaxed(packing()), Caps())
    assert ("solver", name.removeprefix("highs-")) in given
