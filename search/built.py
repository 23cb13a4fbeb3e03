"""Solving a program in the remaining time, from a first schedule, and reading its solutions."""

import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from threading import Lock, Thread, get_ident
from typing import Any, Generic, NamedTuple, TypeVar

from ..formulations.catalogue import Formulation
from ..formulations.matrix import point_of, set_point
from ..formulations.program import Caps, Floats, Matrix, Program, Solution
from ..formulations.solver_interface.solve import program_of, solve
from ..instances import (
    Bound,
    BoundKind,
    Incumbent,
    Limits,
    Outcome,
    SolutionStatus,
    TerminationReason,
)
from ..policies.request import ProgramOptions, Request, outcome_of

Plan = TypeVar("Plan")

TOLERANCE = 1e-6
"""By which part a solver may overstate a bound."""


@dataclass(slots=True)
class Best(Generic[Plan]):
    """The cheapest of the plans offered. Improvements are reported."""

    limits: Limits
    plan: Plan | None = None
    value: Fraction | None = None
    cost: Any = None

    def offer(self, plan: Plan, value: Fraction, cost: Any, *, report: bool = True) -> None:
        """Keep a plan if it is better."""
        if self.cost is None or cost < self.cost:
            self.plan, self.value, self.cost = plan, value, cost
            if report:
                self.limits.report(Incumbent(schedule=plan, value=float(value)))


class SolvedProgram(NamedTuple):
    """The solution of a solver, and the seconds of each step."""

    solution: Solution
    seconds: tuple[tuple[str, float], ...]

    def bound(
        self, program: Formulation, name: str, worth: Callable[[float], Fraction]
    ) -> Bound | None:
        """Return the solver's bound, minus the possible overstatement, or None."""
        raw = self.solution.bound
        if raw is None or not isfinite(raw):
            return None
        why = f"bound {raw:.6g} of {claim_of(program)}"
        return Bound.by(BoundKind.SOLVER, name, worth(raw * (1 - TOLERANCE)), why)

    def outcome(
        self,
        best: Best[Any],
        bound: Bound | None = None,
        status: SolutionStatus | None = None,
        note: str = "",
    ) -> Outcome:
        """Return the best plan, feasible unless another status is given."""
        found = outcome_of(
            best.plan,
            self.solution.termination,
            self.solution.note or note,
            value=best.value,
            bound=bound,
            seconds=self.seconds,
            nodes=self.solution.nodes,
        )
        return replace(found, status=status or found.status)


def claim_of(program: Formulation) -> str:
    """Return the program's name in the argument of its bound."""
    if program.ours:
        return "the program"
    return f"the program {program.name}, which its author calls exact"


def written(build: Callable[[], Any], limits: Limits) -> tuple[Any, Program] | None:
    """Return a model and its program, or None if they take longer than there is time."""

    def work() -> tuple[Any, Program]:
        model = build()
        return model, program_of(model)

    return in_time(work, limits.left_s())


def caps_of(request: Request[ProgramOptions]) -> Caps:
    """Return the caps of a solver that limits leave now, with the options given for it."""
    limits = request.limits
    return Caps(
        time_s=limits.left_s(),
        threads=limits.threads,
        gap=limits.gap or 0.0,
        settings=request.options.settings,
    )


def no_time(solver: str) -> Solution:
    """Return the solution of a solver that was not called."""
    ended, nothing = TerminationReason.TIME_LIMIT, SolutionStatus.NOTHING
    note = f"no time was left for {solver}"
    return Solution(solver=solver, termination=ended, status=nothing, note=note)


def solve_built(
    program: Formulation,
    build: Callable[[], Any],
    request: Request[ProgramOptions],
    first: Any,
    offer: Callable[[Any], None],
) -> SolvedProgram:
    """Build, write the first schedule unless it is None, solve, and offer every schedule found.

    A program is not solved if building it exceeds the remaining time.
    """
    began, limits, solver = time.perf_counter(), request.limits, request.options.solver
    found = written(build, limits)
    if found is None:
        return SolvedProgram(no_time(solver), (("build", time.perf_counter() - began),))
    model, matrix = found
    if first is not None:
        program.write(model, first)

    def take(point: Floats, _value: float) -> None:
        set_point(model, matrix, point)
        offer(program.read(model))

    built, start = time.perf_counter(), point_of(model, matrix)
    solution = solve(matrix, solver, caps_of(request), start=start, watch=take)
    if solution.point is not None and solution.value is not None:
        take(solution.point, solution.value)
    steps = {"build": built - began, "solve": time.perf_counter() - built}
    return SolvedProgram(solution, tuple(steps.items()))


Result = TypeVar("Result")

_AGAIN_S = 0.1
_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc


class _TimeUpError(BaseException):
    """Raised from another thread, so code in between must not treat it as its own error."""


class _Alarm:
    """Raises in its creating thread, repeatedly until it is switched off.

    Once is not enough: the interpreter drops an exception that is raised while a finaliser or the
    callback of a weak reference runs.
    """

    def __init__(self, left_s: float) -> None:
        self._thread, self._left_s = ctypes.c_ulong(get_ident()), left_s
        self._lock, self._waits, self._off = Lock(), Lock(), False
        self._waits.acquire()

    def start(self) -> None:
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        pause_s = self._left_s
        while not self._waits.acquire(timeout=pause_s):
            with self._lock:
                if self._off:
                    return
                _raise_in(self._thread, ctypes.py_object(_TimeUpError))
            pause_s = _AGAIN_S

    def switch_off(self) -> None:
        """Ensure that no further exception is raised."""
        while True:
            try:
                with self._lock:
                    self._off = True
                _raise_in(self._thread, None)
                if self._waits.locked():
                    self._waits.release()
            except _TimeUpError:
                continue
            return


@contextmanager
def _dropped_in_silence() -> Iterator[None]:
    """Suppress the interpreter's report of our dropped exception, which is raised repeatedly."""
    before = sys.unraisablehook

    def report(dropped: Any) -> None:
        if dropped.exc_type is not _TimeUpError:
            before(dropped)

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before


def in_time(work: Callable[[], Result], left_s: float | None) -> Result | None:
    """Return the result of some work, or None if it has not ended after the given seconds.

    It is ended between two steps of the interpreter: one call of compiled code is not interrupted.
    """
    if left_s is None:
        return work()
    if left_s <= 0:
        return None
    alarm = _Alarm(left_s)
    with _dropped_in_silence():
        try:
            try:
                alarm.start()
                return work()
            finally:
                alarm.switch_off()
        except _TimeUpError:
            alarm.switch_off()
            return None


LEAST_S = 1.0
"""Least seconds for a program: without one there is no schedule."""


def solve_relaxed(program: Matrix, limits: Limits) -> Solution:
    """Solve a linear program in the time that is left, and in a second if there is less."""
    left = limits.left_s()
    return solve(program, caps=Caps(time_s=None if left is None else max(left, LEAST_S)))
