"""The seconds until a solver has the program are told apart from the others."""

import time
from dataclasses import replace
from typing import Any

import pytest
from solvers.cells import ALIKE
from solvers.faults import claim

from ringyard.formulations.adapters import highs
from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.program import Caps, Matrix
from ringyard.formulations.solver_interface.solve import SOLVERS, solve
from ringyard.instances import SolutionStatus
from ringyard.testing import check_solver
from ringyard.testing.programs import INFEASIBLE, TINY, UNBOUNDED, matrix, relaxed

SLEEP_S = 0.05

INSTALLED = [one for one in SOLVERS if one.installed and one.name != "mosek"]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(
            one, marks=[pytest.mark.slow] if one.alone or one.name in ALIKE else [], id=one.name
        )
        for one in INSTALLED
    ],
)
def test_set_up_is_part_of_the_time(one: Solver) -> None:
    found = solve(relaxed(TINY) if one.refuses(TINY) else TINY, one)
    assert found.status is SolutionStatus.OPTIMAL
    assert found.setup_s is not None
    assert 0 < found.setup_s <= found.seconds


@pytest.fixture
def slow_load(monkeypatch: pytest.MonkeyPatch) -> None:
    load = highs.load

    def slow(program: Matrix) -> Any:
        time.sleep(SLEEP_S)
        return load(program)

    monkeypatch.setattr(highs, "load", slow)


@pytest.mark.usefixtures("slow_load")
def test_what_is_spent_on_handing_over_counts_as_set_up() -> None:
    found = solve(TINY)
    assert found.setup_s is not None
    assert SLEEP_S <= found.setup_s <= found.seconds


@pytest.mark.usefixtures("slow_load")
@pytest.mark.parametrize("program", [INFEASIBLE, UNBOUNDED])
def test_who_is_asked_again_is_handed_the_program_again(program: Matrix) -> None:
    found = solve(program)
    assert found.status in {SolutionStatus.INFEASIBLE, SolutionStatus.UNBOUNDED}
    assert found.setup_s is not None
    assert 2 * SLEEP_S <= found.setup_s <= found.seconds


@pytest.mark.parametrize(
    ("apart", "factor"),
    [(False, 1.0), (False, 1e-9), (True, 1.0), pytest.param(True, 1e-9, marks=pytest.mark.slow)],
)
def test_set_up_comes_through_every_part_of_the_interface(apart: bool, factor: float) -> None:
    program = matrix([3 * factor], [[factor]], (factor, float("inf")), (0, 10), False)
    found = solve(
        program, claim(status=SolutionStatus.NOTHING, setup_s=1e-6), Caps(own_process=apart)
    )
    assert found.setup_s == 1e-6
    assert (
        solve(program, claim(status=SolutionStatus.NOTHING), Caps(own_process=apart)).setup_s
        is None
    )


def test_check_solver_sees_a_set_up_longer_than_the_whole() -> None:
    with pytest.raises(AssertionError, match="of set-up"):
        check_solver(replace(claim(setup_s=1e6), can=("lp",)), draws=1)
