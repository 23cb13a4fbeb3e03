"""What can go wrong at the seam between the solver interface and a solver, done on purpose.

The functions are called in place of an adapter's `run`, also in a process of its own.
"""

import os
import shlex
import signal as signals
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ringyard.formulations.adapters.executable import call
from ringyard.formulations.adapters.solver import Report, Run, Solver
from ringyard.formulations.program import Caps, Floats, Matrix, Program, Solution
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.testing.programs import relaxed


def solver(run: Run, **more: Any) -> Solver:
    """Return a solver that is always there and takes everything."""
    known: dict[str, Any] = {"module": "numpy", "package": "numpy", "install": "", "can": ()}
    return Solver(name="fault", run=run, refuses=takes_all, **known, **more)


def takes_all(program: Program) -> None:
    """Refuse nothing."""


def with_fault(real: Solver, fault: Callable[..., Solution]) -> Solver:
    """Return a solver whose run goes wrong."""
    return replace(real, run=partial(fault, real.run))


def die(
    signal: int, run: Run, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Solve and report, but die by a signal before answering."""
    run(program, caps, start, report)
    os.kill(os.getpid(), signal)
    time.sleep(60)
    raise AssertionError("still alive")


def tamper(
    run: Run, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Solve, but hand back a point beside that of the solver."""
    found = run(program, caps, start, lambda point, bound: None)
    assert found.point is not None
    return replace(found, point=found.point - 0.6)


def blind_to_integers(run: Run, program: Matrix, *given: Any) -> Solution:
    """Solve as if no column were to be whole."""
    return run(relaxed(program), *given)


def confuse(run: Run, program: Program, *given: Any) -> Solution:
    """Report that there is no point where there is no end."""
    found = run(program, *given)
    return (
        replace(found, status=SolutionStatus.INFEASIBLE)
        if found.status is SolutionStatus.UNBOUNDED
        else found
    )


def change(run: Run, program: Matrix, *given: Any) -> Solution:
    """Round the bounds of columns in the program itself."""
    program.upper[:] = np.floor(program.upper)
    return run(program, *given)


def endless(run: Run, program: Program, caps: Caps, *given: Any) -> Solution:
    """Forget the time limit."""
    return run(program, replace(caps, time_s=None), *given)


def silent(
    run: Run, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Tell nothing on the way."""
    return run(program, caps, start, lambda point, bound: None)


def claim(**claims: Any) -> Solver:
    """Return a solver that only claims; by default an optimum."""
    known = {
        "solver": "fault",
        "termination": TerminationReason.DONE,
        "status": SolutionStatus.OPTIMAL,
    }
    return solver(partial(_say, Solution(**{**known, **claims})))


def _say(said: Solution, *_: object) -> Solution:
    return said


def raising(error: BaseException) -> Solver:
    """Return a solver that raises."""
    return solver(partial(_raise, error))


def _raise(error: BaseException, *_: object) -> Solution:
    raise error


def end_badly(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Tell the optimum of the tiny program, but end with a point that misses it."""
    report(np.array([2.0, 3.0]), None)
    point = np.zeros(2)
    return Solution(
        solver="",
        termination=TerminationReason.DONE,
        status=SolutionStatus.OPTIMAL,
        point=point,
        bound=13.0,
    )


def hang(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Find a point, then heed nothing."""
    report(np.zeros(len(program.columns)), -1e6)
    while True:
        time.sleep(60)


def say_who(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Tell the number of the own process, then heed nothing."""
    report(np.array([float(os.getpid())]), None)
    while True:
        time.sleep(60)


def leave(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Leave the process without a word."""
    os._exit(3)


def hoard(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Take more and more memory."""
    report(np.zeros(len(program.columns)), None)
    kept = []
    while True:
        kept.append(np.ones(250_000))


def overflow(
    tree: str, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Do as the system does where a control group, the only one of ours in a tree, is full."""
    [group] = Path(tree).glob("**/ringyard-*")
    assert int((group / "cgroup.procs").read_text()) == os.getpid()
    (group / "memory.events").write_text("oom_kill 1\n")
    os.kill(os.getpid(), signals.SIGKILL)
    raise AssertionError("still alive")


def burn_outside(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Work for ever in a program of its own, and say why it ended."""
    with TemporaryDirectory() as folder:
        ended = call([sys.executable, "-c", "while True: pass"], Path(folder), caps)
    assert ended.cut is not None
    stop, note = ended.cut
    return Solution(solver="", termination=stop, status=SolutionStatus.NOTHING, note=note)


def burn(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Work for ever."""
    while True:
        pass


def running(process: int) -> bool:
    """Return True if a process is there and not merely waiting to be forgotten."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")")[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def write_program(file: Path, code: str) -> None:
    """Make Python code a program; the first line of a script cannot name a path with spaces."""
    file.write_text(f"#!/bin/sh\n'''exec' {shlex.quote(sys.executable)} \"$0\" \"$@\"\n'''\n{code}")
    file.chmod(0o755)


def consume(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Take 200 MB and a second of processor time, and answer rightly that nothing was found."""
    until, held = time.process_time() + 1.0, np.ones(200 * 2**17)
    while time.process_time() < until:
        held[:1000] += 1
    return nothing(program, caps, start, report)


def consume_and_die(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Take as much, wait until it was seen after that, and die; `TAKEN` and `SEEN` are files."""
    until, held = time.process_time() + 1.0, np.ones(200 * 2**17)
    while time.process_time() < until:
        held[:1000] += 1
    Path(os.environ["TAKEN"]).touch()
    while not Path(os.environ["SEEN"]).exists():
        time.sleep(0.01)
    os.kill(os.getpid(), signals.SIGSEGV)
    raise AssertionError("still alive")


def nothing(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Find nothing, at once."""
    return Solution(termination=TerminationReason.TIME_LIMIT, status=SolutionStatus.NOTHING)


def nearly_whole(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve, but hand back integers that are not quite whole."""
    found = _solved(program)
    assert isinstance(program, Matrix)
    assert found.point is not None
    place = int(np.flatnonzero(program.integer & (program.upper > found.point))[0])
    point = found.point.copy()
    point[place] += 3e-7
    return replace(found, point=point)


def in_steps(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve, and report the same point with better and better bounds."""
    found = _solved(program)
    assert found.point is not None
    for bound in (1.0, 5.0, 4.0, 7.0):
        report(found.point, bound)
    return found


def _solved(program: Program) -> Solution:
    from ringyard.formulations.solver_interface.solve import solve

    return solve(program)
