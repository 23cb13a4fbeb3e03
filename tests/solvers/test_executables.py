"""Solvers that are programs: found on the PATH, called on files, believed no more than others.

No Ipopt, Bonmin or Couenne is needed: scripts of their names write the answers that are tried.
"""

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

from ringyard.formulations.adapters.executable import call
from ringyard.formulations.files.sol import read_ampl_sol
from ringyard.formulations.program import Caps, Nonlinear
from ringyard.formulations.solver_interface import call as interface
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import (
    BoundKind,
    MissingError,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError
from ringyard.run import solve as solve_by
from ringyard.testing.programs import TINY, hidden

STAND_IN = """import sys
assert sys.argv[2] == "-AMPL"
columns = int(open(sys.argv[1]).read().split("\\n")[1].split()[0])
open(sys.argv[1].replace(".nl", ".sol"), "w").write({sol!r})
open({told!r}, "w").write(" ".join(sys.argv[3:]))
"""


def answer(values: list[float], code: int, columns: int | None = None) -> str:
    """Return a .sol file without duals."""
    numbers = [3, 1, 1, 0, 2, 0, len(values) if columns is None else columns, len(values)]
    lines = ["stand-in: a message", "", "Options", *numbers, *values, f"objno 0 {code}"]
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what puts a program on the PATH, with the words that it was called with."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def write(name: str, sol: str) -> Path:
        file, told = tmp_path / name, tmp_path / f"{name}.words"
        faults.write_program(file, STAND_IN.format(sol=sol, told=str(told)))
        return told

    return write


def best() -> tuple[Nonlinear, list[float]]:
    """Return the nonconvex program with its optimum, in the order of its columns."""
    _, program = hidden()
    values = {"x": 3.0, "y": 2.0, "z": -3.0, "free": 5.0}
    return program, [values[name] for name in program.columns]


def test_an_answer_of_couenne_is_an_optimum_and_one_of_bonmin_a_point(put) -> None:
    program, values = best()
    for name, left in (("couenne", SolutionStatus.OPTIMAL), ("bonmin", SolutionStatus.FEASIBLE)):
        told = put(name, answer(values, 0))
        found = solve(program, name, Caps(time_s=60.0))
        assert (found.termination, found.status, found.value) == (
            TerminationReason.DONE,
            left,
            pytest.approx(-1.0),
        )
        assert (found.bound is None) == (left is SolutionStatus.FEASIBLE)
        option, _, seconds = told.read_text().partition("=")
        assert option == "bonmin.time_limit"
        assert float(seconds) <= 60.0


def test_a_false_point_of_a_program_is_dropped(put) -> None:
    program, values = best()
    put("couenne", answer([value + 1 for value in values], 0))
    found = solve(program, "couenne")
    assert (found.termination, found.status, found.point) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.NOTHING,
        None,
    )


@pytest.mark.parametrize(
    ("name", "code", "stop", "left"),
    [
        ("couenne", 200, TerminationReason.DONE, SolutionStatus.INFEASIBLE),
        ("bonmin", 200, TerminationReason.DONE, SolutionStatus.NOTHING),
        ("couenne", 400, TerminationReason.WORK_LIMIT, SolutionStatus.NOTHING),
        ("couenne", 502, TerminationReason.FAILED, SolutionStatus.NOTHING),
    ],
)
def test_the_code_of_an_answer_says_how_it_ended(
    put, name: str, code: int, stop: TerminationReason, left: SolutionStatus
) -> None:
    program, _ = best()
    put(name, answer([], code, len(program.columns)))
    found = solve(program, name)
    assert (found.termination, found.status) == (stop, left)


def test_ipopt_takes_no_integers_and_none_takes_a_matrix(put) -> None:
    program, values = best()
    for name in ("ipopt", "couenne"):
        put(name, answer(values, 0))
    with pytest.raises(RefusedError, match="it has integers: relax it first"):
        solve(program, "ipopt")
    with pytest.raises(RefusedError, match="NL text only"):
        solve(TINY, "couenne")


def test_a_program_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not find_solver("ipopt").installed
    with pytest.raises(MissingError, match="ipopt needs the executable ipopt on the PATH"):
        solve(best()[0], "ipopt")


@pytest.mark.parametrize("text", ["", "Options\n3\n1\n1\n0\n2\n", answer([1.0, 2.0], 0)])
def test_a_file_that_is_cut_off_or_of_another_program_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"x: file: found .* Let the solver write"):
        read_ampl_sol(text, 3, "x")


def test_options_and_duals_before_the_values_are_passed_over() -> None:
    text = "hello\n\nOptions\n5\n1\n3\n1\n2\n2\n3\n3\n1e-9\n7\n8\n1\n2\n3\nobjno 0 100\n"
    read = read_ampl_sol(text, 3, "x")
    assert read.point is not None
    assert (read.message, read.code, read.point.tolist()) == ("hello", 100, [1.0, 2.0, 3.0])


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_program_ends_by_its_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hoard = "kept = []\nwhile True: kept.append(bytearray(1_000_000))"
    found = call(python(hoard), tmp_path, Caps(memory_mb=100))
    assert found.cut is not None
    assert found.cut[0] is TerminationReason.MEMORY_LIMIT
    monkeypatch.setattr(interface, "LATE_S", 0.0)
    found = call(python("import time; time.sleep(600)"), tmp_path, Caps(time_s=0.0))
    assert found.cut is not None
    assert found.cut[0] is TerminationReason.KILLED


@pytest.mark.slow
def test_the_cap_on_processor_time_holds_for_a_program() -> None:
    found = solve(TINY, faults.solver(faults.burn_outside), Caps(cpu_s=0.5))
    assert (found.termination, found.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.NOTHING,
    )
    assert "processor limit" in found.note


PARENT = """
from pathlib import Path
from ringyard.formulations.adapters.executable import call
from ringyard.formulations.program import Caps
code = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
import sys
call([sys.executable, "-c", code], Path(sys.argv[1]), Caps())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux does that")
def test_a_program_ends_with_its_parent(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)]) as parent:
        while not (tmp_path / "log").exists() or not (tmp_path / "log").read_text().strip():
            time.sleep(0.02)
        parent.kill()
    while faults.running(int((tmp_path / "log").read_text())):
        time.sleep(0.05)


def test_the_death_of_a_program_is_said(tmp_path: Path) -> None:
    crash = call(python("import os; os.kill(os.getpid(), 11)"), tmp_path, Caps())
    assert crash.cut == (TerminationReason.CRASHED, "its process died (SIGSEGV)")
    killed = call(python("import os; os.kill(os.getpid(), 9)"), tmp_path, Caps())
    assert killed.cut is not None
    assert killed.cut[0] is TerminationReason.KILLED


def test_ctrl_c_lets_a_program_write_what_it_has(tmp_path: Path) -> None:
    program = (
        "import pathlib, signal, sys, time\n"
        "def leave(*_): print('so far'); sys.exit(0)\n"
        "signal.signal(signal.SIGINT, leave)\n"
        "pathlib.Path('ready').touch()\n"
        "time.sleep(600)\n"
    )

    def interrupt() -> None:
        while not (tmp_path / "ready").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    found = call(python(program), tmp_path, Caps())
    assert found.cut == (TerminationReason.INTERRUPTED, "")
    assert found.words == "so far\n"


def test_what_the_stand_ins_answer_is_the_optimum() -> None:
    program, values = best()
    assert checker_of(program).value(np.array(values)) == pytest.approx(-1.0)


BY_SCIP = """import sys
from ringyard.formulations.solver_interface.solve import solve
from ringyard.formulations.program import Caps, Nonlinear
ONE = (("limits/solutions", "1"),)
nl = open(sys.argv[1], "rb").read()
columns = int(nl.split(b"\\n")[1].split()[0])
program = Nonlinear(columns=tuple(map(str, range(columns))), nl=nl)
point = solve(program, "scip", Caps(settings=ONE)).point
numbers = [3, 1, 1, 0, 2, 0, columns, columns, *point]
lines = ["by SCIP", "", "Options", *numbers, "objno 0 0"]
open(sys.argv[1].replace(".nl", ".sol"), "w").writelines(f"{{line}}\\n" for line in lines)
"""


@pytest.mark.slow
def test_points_of_a_solver_that_proves_nothing_are_schedules_without_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first schedule ends at 9, the rings in turn at 8; the bound by counting is less."""
    faults.write_program(tmp_path / "bonmin", BY_SCIP.format())
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    instance = load("hand-contend-degraded")
    assert solve_by(instance, "gang-lpt").objective == 9
    found = solve_by(instance, "nonconvex:bonmin")
    assert (found.objective, found.valid) == (8, True)
    assert (found.status, found.bound.kind) == ("feasible", BoundKind.COMBINATORIAL)


def test_what_a_solver_that_proves_nothing_calls_infeasible_is_not_taken_for_a_bound(put) -> None:
    put("bonmin", answer([], 200, 253))
    found = solve_by(load("hand-contend-floor"), "nonconvex:bonmin")
    assert (found.objective, found.status, found.bound.value) == (8, "feasible", 6)


def test_ipopt_says_that_the_program_has_integers(put) -> None:
    put("ipopt", answer([], 0))
    found = solve_by(load("hand-contend"), "nonconvex:ipopt")
    assert found.status == "feasible"
    assert "it has integers: relax it first" in found.outcome.note
