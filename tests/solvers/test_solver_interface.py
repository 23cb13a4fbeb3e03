"""The solver interface reports what is missing, refused or interrupted; rooms are kept."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pyscipopt
import pytest

from ringyard.formulations.adapters import scip
from ringyard.formulations.adapters.integral import integral
from ringyard.formulations.adapters.solver import Solver, interruptible
from ringyard.formulations.program import Caps, Solution
from ringyard.formulations.solver_interface import call as calling
from ringyard.formulations.solver_interface.solve import SOLVERS, find_solver, solve
from ringyard.instances import MissingError, RefusedError, SolutionStatus, TerminationReason
from ringyard.instances.errors import InputError
from ringyard.testing.programs import TINY, UNBOUNDED, hidden, matrix, packing, relaxed


def test_a_missing_solver_is_said_with_the_command_that_installs_it() -> None:
    absent = replace(find_solver("scip"), module="no_such_module")
    with pytest.raises(MissingError, match=r"pip install 'ringyard\[scip\]'"):
        solve(TINY, absent)
    assert absent.version is None


def test_an_unknown_solver_is_said_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="Did you mean 'highs'"):
        solve(TINY, "higs")


@pytest.mark.parametrize("one", SOLVERS, ids=lambda one: one.name)
def test_a_nonconvex_program_goes_only_where_it_can(one: Solver) -> None:
    _, program = hidden()
    able = "nonconvex" in one.can or one.name == "bonmin"
    assert (one.refuses(program) is None) == able


@pytest.mark.parametrize(
    ("solver", "program", "reason"),
    [
        ("highs", hidden()[1], "linear rows only"),
        ("cvxpy-clarabel", TINY, "it has integers: relax it first"),
        ("scip", matrix([np.nan], [[1]], (0, 9), (0, 9)), "a coefficient is infinite or no number"),
        ("scip", matrix([1], [[1]], (0, 9), (0, np.nan)), "a bound is not a number"),
        ("highs", matrix([], np.zeros((1, 0)), (0, 9), (0, 1)), "it has no columns"),
        ("cp-sat", relaxed(TINY), r"x\[0\] is continuous"),
        ("cp-sat", UNBOUNDED, r"x\[0\] has no bounds"),
        ("cp-sat", matrix([1], [[np.pi]], (0, 9), (0, 9)), "not a simple fraction"),
        ("cp-sat", matrix([1e10], [[1]], (0, 9), (0, 1e9)), "to be whole"),
    ],
)
def test_a_program_is_refused_with_the_reason(solver: str, program: Any, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        solve(program, solver)


@pytest.mark.parametrize("name", ["highs", "scip", "cp-sat"])
def test_an_error_of_the_watcher_is_raised_after_the_search(name: str) -> None:
    def fail(point: object, value: float) -> None:
        raise LookupError("no such schedule")

    with pytest.raises(LookupError, match="no such schedule"):
        solve(packing(30, 20), name, Caps(nodes=1), watch=fail)


@pytest.mark.parametrize("ends", [(5, 4), (0.2, 0.8)])
def test_bounds_that_exclude_all_points_make_a_program_infeasible(
    ends: tuple[float, float],
) -> None:
    for name in ("highs", "scip", "cp-sat"):
        assert solve(matrix([1], [[1]], (0, 9), ends), name).status is SolutionStatus.INFEASIBLE


def test_fractions_become_whole_numbers() -> None:
    program = matrix([0.5, 1 / 3], [[0.1, 0.25], [2, 1]], ([0.7, -9], [0.9, 99]), (0, 3))
    whole = integral(program)
    assert whole.cost.factors == [3, 2]
    assert whole.cost.scale == 6
    first, second = whole.rows
    assert (first.factors, first.lower, first.upper) == ([2, 5], 14, 18)
    # Between -9 and 99 the row always is.
    assert (second.factors, second.lower, second.upper) == ([2, 1], None, None)


INTERRUPTED = """
import os, signal, sys, threading, time
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import solve
from ringyard.testing.programs import packing
signal.signal(signal.SIGINT, signal.default_int_handler)
found_one = threading.Event()
def interrupt():
    found_one.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
began = time.monotonic()
caps = Caps(own_process=sys.argv[2] == "apart")
found = solve(packing(120, 90), sys.argv[1], caps, watch=lambda *_: found_one.set())
print(found.termination, found.status, found.seconds <= time.monotonic() - began)
"""


@pytest.mark.parametrize("name", ["highs", "scip", pytest.param("cp-sat", marks=pytest.mark.slow)])
@pytest.mark.parametrize("where", ["here", "apart"])
def test_ctrl_c_ends_the_search_with_what_it_has(name: str, where: str) -> None:
    """In a process of its own, which a Ctrl-C that escapes may end."""
    words = [sys.executable, "-P", "-c", INTERRUPTED, name, where]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    ends = TerminationReason.INTERRUPTED, SolutionStatus.FEASIBLE, True
    assert (done.stdout.split(), done.returncode) == ([*map(str, ends)], 0), done.stderr


@pytest.mark.parametrize("first", ["highs", pytest.param("cp-sat", marks=pytest.mark.slow)])
def test_highs_and_cp_sat_serve_one_program_in_turn(first: str) -> None:
    order = [first, *({"highs", "cp-sat"} - {first})]
    assert [solve(TINY, name).value for name in order] == [13.0, 13.0]


def test_importing_the_solver_interface_loads_no_solver() -> None:
    program = (
        "import sys, ringyard.formulations.solver_interface.solve\n"
        "names = {'highspy', 'pyscipopt', 'ortools', 'cvxpy', 'scipy', 'pyomo'}\n"
        "print(sorted(names & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_solvers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    from ringyard.cli import main

    assert main(["list", "solvers"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == [one.name for one in SOLVERS]
    for one, line in zip(SOLVERS, lines, strict=True):
        assert (one.command in line) != one.installed
        assert (one.version or " - ") in line


def test_handing_a_program_over_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """SCIP's own clock begins when it has the program; here that is after three of five seconds."""
    at, given = [100.0], list[float | None]()
    loading, limiting = scip._load, scip.hand_over

    def load(*words: Any) -> Any:
        at[0] += 3.0
        return loading(*words)

    def limit(caps: Caps, *others: Any) -> None:
        given.append(caps.time_s)
        limiting(caps, *others)

    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(scip, "_load", load)
    monkeypatch.setattr(scip, "hand_over", limit)
    for time_s in (5.0, 2.0, None):
        scip.run(TINY, Caps(time_s=time_s), None, lambda *found: None)
    assert given == [2.0, 0.0, None]


def test_large_programs_with_a_limit_have_a_process_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran = list[str]()

    def runner(name: str) -> Any:
        def run(solver: Any, program: Any, *others: Any) -> Solution:
            ran.append(name)
            return Solution(
                solver="x", termination=TerminationReason.TIME_LIMIT, status=SolutionStatus.NOTHING
            )

        return run

    monkeypatch.setattr(calling, "run_apart", runner("apart"))
    monkeypatch.setattr(calling, "attempt", runner("here"))
    monkeypatch.setattr(calling, "LARGE", len(TINY.columns))
    solve(TINY, "highs", Caps(time_s=1.0))
    monkeypatch.setattr(calling, "LARGE", len(TINY.columns) - 1)
    solve(TINY, "highs", Caps(time_s=1.0))
    solve(TINY, "highs")
    assert ran == ["here", "apart", "here"]


def test_a_stop_that_is_forgotten_is_said_again() -> None:
    """As SCIP does between two of its stages; the second time, Ctrl-C comes in between."""
    said, heard = [], threading.Event()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        heard.wait()

    def stop() -> None:
        said.append("stop")
        if len(said) == 2:
            raise KeyboardInterrupt
        if len(said) == 3:
            heard.set()

    assert interruptible(work, stop)
    assert len(said) == 3


def test_a_stop_that_scip_refuses_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does between some of its stages, by an exception of no type of its own."""
    asked, began = [], threading.Event()

    class Refusing(pyscipopt.Model):  # type: ignore[misc]
        def interruptSolve(self) -> None:  # noqa: N802
            asked.append("stop")
            if len(asked) == 1:
                raise Exception("SCIP: method cannot be called at this time in solution process!")
            super().interruptSolve()

    def interrupt() -> None:
        began.wait()
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(pyscipopt, "Model", Refusing)
    threading.Thread(target=interrupt).start()
    found = solve(packing(120, 90), "scip", watch=lambda *_: began.set())
    assert (found.termination, found.status) == (
        TerminationReason.INTERRUPTED,
        SolutionStatus.FEASIBLE,
    )
    assert len(asked) > 1
