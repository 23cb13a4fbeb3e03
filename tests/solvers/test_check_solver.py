"""`check_solver` finds what is wrong with an adapter; that ours pass is in test_answers.py."""

from dataclasses import replace
from typing import Any

import pytest
from solvers.faults import blind_to_integers, change, confuse, endless, silent, with_fault

from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.solver_interface.solve import find_solver
from ringyard.testing import check_solver, solver

HIGHS = find_solver("highs")
PLAIN = replace(HIGHS, can=("lp", "milp"))


def faults_of(one: Solver) -> str:
    with pytest.raises(AssertionError) as found:
        check_solver(one, draws=1)
    return str(found.value)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (blind_to_integers, "two rows, whole: it returns numerical, nothing"),
        pytest.param(
            confuse,
            "no end, whole: it returns done, infeasible, but unbounded is right",
            marks=pytest.mark.slow,
        ),
        pytest.param(change, "it changes the program", marks=pytest.mark.slow),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_wrong_answer_is_found(fault: Any, told: str) -> None:
    assert told in faults_of(with_fault(PLAIN, fault))


@pytest.mark.slow
def test_a_limit_that_is_not_kept_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "PATIENT_S", 0.5)
    told = faults_of(with_fault(PLAIN, endless))
    assert "a time limit: a limit of 0.5 s ends with killed" in told


@pytest.mark.slow
def test_points_that_are_not_told_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "LONG_S", 0.5)
    one = with_fault(replace(HIGHS, can=("lp", "milp", "watch")), silent)
    assert "an interrupt: it claims to report points" in faults_of(one)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "a:b"}, "its name is 'a:b'"),
        ({"can": ("miqp",)}, "it claims miqp, but known ones are lp, milp"),
        ({"module": "no_such_module"}, "is not installed, try: pip install"),
        ({"run": lambda *_: None}, "cannot be sent to another process"),
    ],
)
def test_a_wrong_record_is_found_before_anything_is_solved(
    changes: dict[str, Any], told: str
) -> None:
    assert told in faults_of(replace(HIGHS, **changes))


@pytest.mark.slow
def test_a_form_that_is_claimed_is_not_to_be_refused() -> None:
    clarabel = replace(find_solver("cvxpy-clarabel"), can=("lp", "milp"))
    told = faults_of(clarabel)
    assert "two rows, whole: it claims milp, but refuses: it has integers" in told
