"""`check_solver`: the check that a solver's adapter meets the solver interface."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np

from ..formulations.adapters.solver import Solver
from ..formulations.program import Caps, Matrix, Program, Solution
from ..formulations.solver_interface import call
from ..formulations.solver_interface.solve import find_solver, solve
from ..instances import SolutionStatus, TerminationReason
from .programs import TINY, KnownProgram, dual_bound, known_programs, packing, planted, relaxed
from .report import CheckReport

CAN = {
    "lp": "linear programs",
    "milp": "linear programs with integers",
    "ip": "programs in bounded integers",
    "nonconvex": "programs in NL text, including products of integers",
    "local": "points of programs in NL text, without proof",
    "start": "supports a starting point",
    "watch": "reports better points during the search",
    "duals": "gives the duals of linear programs",
    "options": "accepts options by their solver names",
}
"""Capabilities of a solver, as in its record."""

NEAR = 1e-6
"""Tolerance of a value, relative or absolute."""

PATIENT_S = 60.0
"""Seconds after its time limit when a solver is killed and reported."""

LONG_S = 20.0
"""Seconds within which a solver that reports points must find one of a large program."""


def check_solver(solver: Solver | str, *, draws: int = 12) -> CheckReport:
    """Check a solver's adapter on programs with known optima. Raise `AssertionError` if it fails.

    For every claimed form it must find the optimum, or report an infeasible or unbounded program.
    It must leave the program unchanged and be deterministic. In a separate process, it must obey a
    time limit and an interrupt. If claimed, it must give duals and use a starting point. The
    feasibility of points is always checked. `draws` programs of each random kind are used.
    """
    one = find_solver(solver) if isinstance(solver, str) else solver
    report = CheckReport(one.name)
    report.problems += _record(one)
    if report.problems:
        return report.settled()
    for known in known_programs(min(draws, 3) if one.alone else draws):
        _try(report, one, known)
    if not report.tried:
        report.problems.append("it refuses every program")
    for name, check in CHECKS.items():
        with _noted(report, name):
            report.problems += [f"{name}: {problem}" for problem in check(one)]
    return report.settled()


def _record(one: Solver) -> Iterator[str]:
    """Yield errors of its record."""
    if not one.name or ":" in one.name.replace(".py:", "."):
        yield f"its name is {one.name!r}, but colons separate a program and its solver"
    if not set(one.can) & {"lp", "milp", "ip", "nonconvex", "local"} or set(one.can) - set(CAN):
        yield (
            f"it claims {' '.join(one.can) or 'no capability'}, but known ones are {', '.join(CAN)}"
        )
    if one.missing:
        yield one.missing
    try:
        pickle.loads(pickle.dumps(one))
    except Exception as error:
        yield f"it cannot be sent to another process: {error}"


@contextmanager
def _noted(report: CheckReport, name: str) -> Iterator[None]:
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        report.problems.append(f"{name}: {type(error).__name__}: {error}")


def _try(report: CheckReport, one: Solver, known: KnownProgram) -> None:
    """Solve a program, unless it may be refused and is."""
    with _noted(report, known.name):
        reason = one.refuses(known.program)
        if known.form in one.can and reason is not None:
            report.problems.append(f"{known.name}: it claims {known.form}, but refuses: {reason}")
        if reason is not None:
            report.refused += 1
            return
        report.tried += 1
        before = _numbers(known.program)
        found = solve(known.program, one)
        if not all(map(np.array_equal, _numbers(known.program), before)):
            report.problems.append(f"{known.name}: it changes the program")
        report.problems += [f"{known.name}: {problem}" for problem in _wrong(known, found)]


def _wrong(known: KnownProgram, found: Solution) -> Iterator[str]:
    """Yield errors of an answer, which the solver interface has already checked."""
    if (found.termination, found.status) != (TerminationReason.DONE, known.status):
        note = f" ({found.note})" if found.note else ""
        yield f"it returns {found.termination}, {found.status}{note}, but {known.status} is right"
    elif known.value is not None and not _near(found.value, known.value):
        yield f"its optimum is {found.value}, but {known.value:.9g} is right"
    if found.setup_s is not None and not 0 <= found.setup_s <= found.seconds:
        yield f"of {found.seconds} s it claims {found.setup_s} s of set-up"


def _near(value: float | None, right: float) -> bool:
    return value is not None and abs(value - right) <= NEAR * max(1.0, abs(right))


def _numbers(program: Program) -> list[Any]:
    """Return the numbers of a program, or its text, to detect changes."""
    if not isinstance(program, Matrix):
        return [program.nl]
    arrays = [getattr(program, one.name) for one in fields(program)]
    return [np.copy(one.toarray() if one is program.a else one) for one in arrays]


def _fitted(one: Solver, program: Matrix) -> Matrix:
    """Return the program, relaxed if the solver does not support integers."""
    return relaxed(program) if one.refuses(program) else program


def _twice(one: Solver) -> Iterator[str]:
    program = _fitted(one, packing(8, 5))
    first, second = (solve(program, one, Caps(seed=3)) for _ in range(2))
    points = [None if run.point is None else run.point.tolist() for run in (first, second)]
    if points[0] != points[1] or first.status is not second.status:
        yield f"the same seed gives {first.value} and {second.value}, or other points"


def _begun(one: Solver) -> Iterator[str]:
    """Start from the optimum, and from an infeasible point."""
    if "start" not in one.can:
        return
    for point in ([2.0, 3.0], [0.0, 0.0]):
        found = solve(_fitted(one, TINY), one, start=np.array(point))
        if not _near(found.value, 13.0 if "milp" in one.can or "ip" in one.can else 12.6):
            yield f"from {point} it finds {found.value}, not 13"


def _dual(one: Solver) -> Iterator[str]:
    """Check that duals prove the optimum, by weak duality."""
    for seed in range(3 if "duals" in one.can else 0):
        program, point, _ = planted(seed)
        duals = solve(program, one).duals
        if duals is None or not _near(dual_bound(program, duals), float(program.cost @ point)):
            yield f"they do not prove the optimum of planted optimum {seed}"


def _limited(one: Solver) -> Iterator[str]:
    program = _fitted(one, packing(120, 90))
    before, call.LATE_S = call.LATE_S, PATIENT_S
    try:
        found = solve(program, one, Caps(time_s=0.5, own_process=True))
    finally:
        call.LATE_S = before
    if found.termination is TerminationReason.TIME_LIMIT or (found.termination, found.status) == (
        TerminationReason.DONE,
        SolutionStatus.OPTIMAL,
    ):
        return
    yield f"a limit of 0.5 s ends with {found.termination}, {found.status} ({found.note})"


def _interrupted(one: Solver) -> Iterator[str]:
    """Interrupt a long search in another process after it reports a point."""
    if "watch" not in one.can:
        return
    reported = list[float]()

    def interrupt(_: object, value: float) -> None:
        reported.append(value)
        raise KeyboardInterrupt

    caps = Caps(time_s=LONG_S, own_process=True)
    try:
        found = solve(_fitted(one, packing(120, 90)), one, caps, watch=interrupt)
    except KeyboardInterrupt:  # It came with the last point, after the search.
        reported.clear()
    if not reported:
        yield (
            f"it claims to report points during the search, but no report came in {LONG_S:g} "
            "seconds"
        )
    elif (found.termination, found.status) != (
        TerminationReason.INTERRUPTED,
        SolutionStatus.FEASIBLE,
    ):
        yield f"it ends with {found.termination}, {found.status} ({found.note})"


CHECKS = {
    "the same twice": _twice,
    "a start": _begun,
    "duals": _dual,
    "a time limit": _limited,
    "an interrupt": _interrupted,
}
"""Further checks, by the name of a problem."""
