"""The ways to Exact and CBC, which tests need not have: stand-ins are called as they would be."""

from pathlib import Path

import numpy as np
import pytest
from solvers import faults

from ringyard.formulations.adapters import cbc
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import RefusedError, SolutionStatus, TerminationReason
from ringyard.testing.programs import INFEASIBLE, TINY, matrix, relaxed

EXACT = '''
from itertools import product


class Exact:
    """Tries all bits, and takes the best that is better than the last one."""

    def __init__(self):
        self.names, self.rows, self.goal, self.last, self.best = [], [], [], None, None

    def addVariable(self, name, low, high):
        self.names.append(name)

    def addConstraint(self, terms, has_low, low, has_high, high):
        self.rows.append((terms, low, high if has_high else None))

    def setObjective(self, terms, minimize, offset):
        self.goal = terms

    def runOnce(self, timeout):
        for bits in product((1, 0), repeat=len(self.names)):
            point = dict(zip(self.names, bits))
            sums = [(sum(f * point[x] for f, x in t), low, high) for t, low, high in self.rows]
            value = sum(f * point[x] for f, x in self.goal)
            held = all(s >= low and (high is None or s <= high) for s, low, high in sums)
            if held and (self.best is None or value < self.best):
                self.last, self.found = point, value
                return "SAT"
        return "UNSAT"

    def boundObjByLastSol(self):
        self.best = self.found

    def getLastSolutionFor(self, names):
        return [self.last[x] for x in names]

    def getDualBound(self):
        return -1000
'''


@pytest.fixture
def exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "exact.py").write_text(EXACT)
    about = tmp_path / "exact-2.2.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: exact\nVersion: 2.2.1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("exact")
def test_answers_of_exact_lead_back_to_the_program() -> None:
    found = solve(TINY, "exact")
    assert (found.termination, found.status, found.value, found.bound) == (
        TerminationReason.DONE,
        SolutionStatus.OPTIMAL,
        13.0,
        13.0,
    )
    assert found.setup_s is not None
    assert 0 < found.setup_s <= found.seconds
    assert solve(INFEASIBLE, "exact").status is SolutionStatus.INFEASIBLE
    thirds = matrix([1 / 3, -0.5], [[1, 1]], (2, 4), ([-2, 1], [2, 3]), offset=0.25)
    assert solve(thirds, "exact").value == solve(thirds, "highs").value
    late = solve(TINY, "exact", Caps(time_s=0.0))
    assert (late.termination, late.status, late.bound) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.NOTHING,
        1.0 - 1000.0,
    )
    with pytest.raises(RefusedError, match="it needs whole numbers"):
        solve(relaxed(TINY), "exact")


CBC = """
import sys
open("told", "w").write(" ".join(sys.argv[1:]))
open("program.sol", "w").write({sol!r})
print({log!r})
"""


@pytest.mark.parametrize(
    ("first", "log", "stop", "left", "bound"),
    [
        ("Optimal - objective value 13", "", TerminationReason.DONE, SolutionStatus.OPTIMAL, 13.0),
        (
            "Stopped on time - objective value 13",
            "Lower bound: 12",
            TerminationReason.TIME_LIMIT,
            SolutionStatus.FEASIBLE,
            12,
        ),
        (
            "Stopped on iterations - objective value 13",
            "",
            TerminationReason.WORK_LIMIT,
            SolutionStatus.FEASIBLE,
            None,
        ),
        (
            "Integer infeasible - objective value 0",
            "",
            TerminationReason.NUMERICAL,
            SolutionStatus.NOTHING,
            None,
        ),
        (
            "Status unknown - objective value 0",
            "",
            TerminationReason.NUMERICAL,
            SolutionStatus.NOTHING,
            None,
        ),
    ],
)
def test_solution_files_of_cbc_are_read(
    first: str,
    log: str,
    stop: TerminationReason,
    left: SolutionStatus,
    bound: float | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The point is the optimum: a claim that there is none is refuted by the start."""
    rows = "      0 r0      7     1.4\n**    1 r1     11     0.2\n"
    columns = "      0 c0      2       0\n      1 c1      3       0\n"
    program = tmp_path / "cbc"
    faults.write_program(program, CBC.format(sol=f"{first}\n{rows}{columns}", log=log))
    monkeypatch.setattr(cbc, "_program", lambda: str(program))
    monkeypatch.setattr(type(find_solver("cbc")), "missing", None)
    found = solve(TINY, "cbc", Caps(nodes=7, seed=2), start=np.array([2.0, 3.0]))
    assert (found.termination, found.status) == (stop, left)
    if left in (SolutionStatus.OPTIMAL, SolutionStatus.FEASIBLE):
        assert found.value == 13.0
        assert found.bound == (None if bound is None else pytest.approx(bound, rel=2e-5))


def test_an_infeasible_of_cbc_that_comes_too_late_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked without the solver interface, where nothing else refutes it."""
    program = tmp_path / "cbc"
    program.write_text(
        '#!/bin/sh\nsleep "$SLEEP"\necho "Infeasible - objective value 0" >program.sol\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(cbc, "_program", lambda: str(program))
    monkeypatch.setenv("SLEEP", "0")
    assert cbc.run(TINY, Caps(time_s=600), None, print).status is SolutionStatus.INFEASIBLE
    monkeypatch.setenv("SLEEP", "0.3")
    late = cbc.run(TINY, Caps(time_s=0.2), None, print)
    assert (late.termination, late.status) == (TerminationReason.TIME_LIMIT, SolutionStatus.NOTHING)
