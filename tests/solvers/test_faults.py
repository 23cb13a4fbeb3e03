"""Whatever a solver does or claims, the interface gives a typed answer and no false point."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from solvers import faults
from solvers.faults import claim, raising, running, solver

from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface import call as apart
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import RefusedError, SolutionStatus, TerminationReason
from ringyard.testing.programs import INFEASIBLE, TINY, packing

BEST = np.array([2.0, 3.0])
ALONE = Caps(own_process=True)


@pytest.mark.parametrize(
    ("point", "bound", "note"),
    [
        (np.array([2.0, 2.0]), 11.0, "violates the program by 0.14"),
        (np.array([2.0, -3.0]), 13.0, "violates the program by"),
        (np.array([2.4, 2.2]), 12.6, "violates the program by 0.4"),
        (np.array([11.0, 0.0]), 34.0, "violates the program by 0.1"),
        (np.array([np.nan, 3.0]), 13.0, "violates the program by inf"),
        (np.array([2.0, np.inf]), 13.0, "violates the program by inf"),
        (np.array([2.0]), 13.0, "violates the program by inf"),
    ],
)
def test_a_claimed_optimum_beside_the_rows_is_dropped(
    point: np.ndarray, bound: float, note: str
) -> None:
    found = solve(TINY, claim(point=point, bound=bound))
    assert (found.termination, found.status) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.NOTHING,
    )
    assert found.point is found.value is found.violation is None
    assert note in found.note


def test_a_point_told_before_stands_in_for_a_wrong_last_one() -> None:
    found = solve(TINY, solver(faults.end_badly))
    assert (found.termination, found.status, found.value) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.FEASIBLE,
        13.0,
    )


def test_a_time_limit_stays_one_when_its_point_is_invented() -> None:
    found = solve(
        TINY,
        claim(
            termination=TerminationReason.TIME_LIMIT,
            status=SolutionStatus.FEASIBLE,
            point=np.zeros(2),
        ),
    )
    assert (found.termination, found.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.NOTHING,
    )
    assert "dropped" in found.note


def test_a_bound_above_the_value_is_dropped() -> None:
    found = solve(TINY, claim(point=BEST, bound=13.1))
    assert (found.termination, found.status) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.FEASIBLE,
    )
    assert (found.value, found.bound) == (13.0, None)
    assert "13.1 lies above the value 13" in found.note


def test_a_bound_that_is_no_number_is_dropped() -> None:
    found = solve(TINY, claim(point=BEST, bound=float("nan")))
    assert (found.termination, found.status, found.bound) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.FEASIBLE,
        None,
    )


def test_an_optimum_needs_a_bound_that_meets_it() -> None:
    found = solve(TINY, claim(point=BEST, bound=12.0))
    assert (found.termination, found.status) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.FEASIBLE,
    )
    allowed = solve(TINY, claim(point=BEST, bound=12.0), Caps(gap=0.1))
    assert (allowed.termination, allowed.status) == (
        TerminationReason.DONE,
        SolutionStatus.FEASIBLE,
    )
    assert solve(TINY, claim(point=BEST)).status is SolutionStatus.FEASIBLE


def test_the_value_is_computed_anew() -> None:
    assert solve(TINY, claim(point=BEST, value=1.0, bound=13.0)).value == 13.0


def test_almost_whole_numbers_are_made_whole() -> None:
    found = solve(TINY, claim(point=BEST + 1e-7, bound=13.0))
    assert found.status is SolutionStatus.OPTIMAL
    assert found.point is not None
    assert (found.point == BEST).all()


def test_a_claim_of_infeasibility_is_refuted_by_the_start() -> None:
    no_point = claim(status=SolutionStatus.INFEASIBLE)
    assert solve(TINY, no_point).status is SolutionStatus.INFEASIBLE
    found = solve(TINY, no_point, start=BEST)
    assert (found.termination, found.status) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.NOTHING,
    )
    beside = solve(INFEASIBLE, no_point, start=np.zeros(2))
    assert (beside.termination, beside.status) == (
        TerminationReason.DONE,
        SolutionStatus.INFEASIBLE,
    )


def test_a_claim_of_no_end_without_a_point_is_refuted() -> None:
    assert (
        solve(INFEASIBLE, claim(status=SolutionStatus.UNBOUNDED)).status
        is not SolutionStatus.UNBOUNDED
    )


@pytest.mark.parametrize("caps", [Caps(), ALONE], ids=["here", "apart"])
@pytest.mark.parametrize(
    ("error", "stop", "note"),
    [
        (MemoryError(), TerminationReason.MEMORY_LIMIT, ""),
        (KeyboardInterrupt(), TerminationReason.INTERRUPTED, ""),
        (
            ArithmeticError("singular basis"),
            TerminationReason.FAILED,
            "ArithmeticError: singular basis",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_raised_becomes_an_answer(
    caps: Caps, error: BaseException, stop: TerminationReason, note: str
) -> None:
    found = solve(TINY, raising(error), caps)
    assert (found.termination, found.status, found.note) == (stop, SolutionStatus.NOTHING, note)


@pytest.mark.parametrize("caps", [Caps(), ALONE], ids=["here", "apart"])
def test_a_refusal_is_passed_on(caps: Caps) -> None:
    with pytest.raises(RefusedError, match="too odd"):
        solve(TINY, raising(RefusedError("too odd")), caps)


def test_a_process_that_leaves_has_crashed() -> None:
    found = solve(TINY, solver(faults.leave), ALONE)
    assert (found.termination, found.status) == (TerminationReason.CRASHED, SolutionStatus.NOTHING)
    assert "exit code 3" in found.note


def test_a_hanging_solver_is_ended_and_its_points_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves on by more than the limit once a point was told."""
    usual, on = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: usual() + on[0])
    late = lambda *_: on.append(on.pop() + 10_000.0)  # noqa: E731
    found = solve(packing(), solver(faults.hang), Caps(time_s=1000.0, own_process=True), watch=late)
    assert (found.termination, found.status) == (TerminationReason.KILLED, SolutionStatus.FEASIBLE)
    assert (found.value, found.bound) == (0.0, -1e6)
    assert "did not heed its time limit" in found.note


def test_memory_and_processor_have_caps() -> None:
    found = solve(packing(), solver(faults.hoard), Caps(memory_mb=200))
    assert (found.termination, found.status) == (
        TerminationReason.MEMORY_LIMIT,
        SolutionStatus.FEASIBLE,
    )
    assert found.memory_mb is not None
    assert found.memory_mb > 200
    spent = solve(TINY, solver(faults.burn), Caps(cpu_s=0.5))
    assert (spent.termination, spent.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.NOTHING,
    )
    assert "processor limit" in spent.note


def test_ctrl_c_ends_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "GRACE_S", 0.2)
    told = threading.Event()

    def interrupt() -> None:
        told.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    found = solve(packing(), solver(faults.hang), ALONE, watch=lambda point, value: told.set())
    assert (found.termination, found.status) == (
        TerminationReason.INTERRUPTED,
        SolutionStatus.FEASIBLE,
    )


PARENT = """
import sys
sys.path.insert(0, sys.argv[1])
from solvers.faults import say_who, solver
from ringyard.testing.programs import INF, matrix
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import solve
program = matrix([1], [[1]], (0, INF), (0, INF))
caps = Caps(own_process=True)
solve(program, solver(say_who), caps, watch=lambda point, _: print(int(point[0]), flush=True))
"""


def test_a_child_ends_with_its_parent() -> None:
    tests = str(Path(__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, tests], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    while running(child):
        time.sleep(0.05)
