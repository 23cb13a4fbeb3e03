"""A solver as the interface sees it, the call of an adapter, and how Ctrl-C ends it.

It also has the shared parts of adapters: the limits of LP solvers, bounds from duals, and the
options of OR-Tools.
"""

from _thread import start_new_thread
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from json import dumps
from threading import Lock, current_thread, main_thread
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ...interrupts import heard
from ..program import TOLERANCE, Caps, Floats, Matrix, Nonlinear, Program, Solution
from ..stated import Stated, Value

Report = Callable[[Floats, float | None], object]
"""Takes a better point and the bound known with it, while a solver runs."""


class Reporter:
    """Reports points until the listener raises an exception, which must end the solver."""

    def __init__(self, report: Report) -> None:
        """Take the function that listens."""
        self._report = report
        self.ended: BaseException | None = None

    def __call__(self, point: Floats, bound: float | None) -> None:
        """Report a point, and keep an exception: solvers fail on errors in a callback."""
        try:
            if self.ended is None:
                self._report(point, bound)
        except BaseException as ended:
            self.ended = ended


Run = Callable[[Program, Caps, Floats | None, Report], Solution]
"""Accepts a program, caps, a start and a function for better points, and returns the solver's
claims.

The status is `SolutionStatus.UNBOUNDED` also if the solver cannot distinguish it from infeasible.
The interface decides.
"""


NO_CAPS = Caps()

BY_LIMIT = "use --time-limit"
MUTE = "leave it out: its output would mix with answers"


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """The options of a solver, by name."""

    known: Callable[[], list[str]]
    takes: Callable[[str, str], bool]
    """True if it accepts a value for an option that it knows."""
    ours: Mapping[str, str]
    """The options that only Ringyard sets, each with an alternative."""


def there() -> None:
    """Return None: no requirement is missing."""


def linear_only(program: Program) -> str | None:
    """Return why a solver for linear rows cannot treat `program`, or None."""
    return "it accepts linear rows only" if isinstance(program, Nonlinear) else None


def refuses(program: Program) -> str | None:
    """Return why a solver for continuous columns cannot treat `program`, or None."""
    if isinstance(program, Nonlinear):
        return "it accepts linear rows only"
    return "it has integers: relax it first" if program.integer.any() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A solver by name, with its abilities and its installation."""

    name: str
    module: str
    """The module whose presence means that the solver is there, empty without a module."""
    package: str = ""
    """The distribution that holds the module, where that has another name."""
    install: str
    """The arguments of ``pip install`` that bring it."""
    can: tuple[str, ...]
    run: Run
    code: str = ""
    """The known solver that it calls, such as SCIP: comparisons count both as one code."""
    refuses: Callable[[Program], str | None] = linear_only
    plain: Run | None = None
    """Runs it once, while `run` repeats doubtful answers."""
    alone: bool = False
    """True if it always needs a separate process, for a reason in its file."""
    clock: bool = True
    """True if it keeps a time limit. If not, a time limit ends its separate process."""
    options: SolverOptions | None = None
    remark: str = ""
    lacks: Callable[[], str | None] = there
    """Returns a missing requirement other than its module, such as a device: ``needs ..``."""
    load: Callable[[], object] = there
    """Imports slow modules before its clock starts."""
    stated: Stated = field(default_factory=dict)
    """Its settings in a run with default caps."""
    asked: Callable[[Caps, str], Value] | None = None
    """Returns the value that one of its options has in a run with these caps, from the solver."""

    @property
    def installed(self) -> bool:
        """True if it can be called, without an import."""
        return self.missing is None

    def settings(self) -> Stated:
        """Return its settings in a run with default caps, as the solver gives them if it can."""
        if self.asked is None or not self.installed:
            return self.stated
        found = dict(self.stated)
        with suppress(Exception):  # Without a licence, a vendor's solver cannot be asked.
            for head, one in self.stated.items():
                if one.option:
                    found[head] = replace(one, value=self.asked(NO_CAPS, one.option))
        return found

    @property
    def distribution(self) -> str:
        """The distribution that holds the module, empty for other software."""
        return self.package or self.module

    @property
    def command(self) -> str:
        """The command that installs it."""
        return f"pip install {self.install}" if self.distribution else self.install

    @property
    def missing(self) -> str | None:
        """Instruction for installing it, or None if it is available."""
        if (reason := self.lacks()) is not None:
            return f"{self.name} {reason}"
        # Without a module, look for the distribution: its name may be less common.
        there = find_spec(self.module) if self.module else self._version or not self.package
        return None if there else f"{self.name} is not installed, try: {self.command}"

    @property
    def version(self) -> str | None:
        """The installed version, or None."""
        return self._version if self.installed else None

    @property
    def _version(self) -> str | None:
        from importlib.metadata import PackageNotFoundError, version  # It loads a parser of mail.

        try:
            return version(self.distribution) if self.distribution else None
        except PackageNotFoundError:
            return None


End = SolutionStatus | TerminationReason
"""The end of a run: its proof, or the reason for an early stop."""


def claim(end: End, words: str = "", point: Floats | None = None, **others: Any) -> Solution:
    """Return the claims of a solver. `words` is the note of a stopped run."""
    if isinstance(end, SolutionStatus):
        return Solution(termination=TerminationReason.DONE, status=end, point=point, **others)
    status = SolutionStatus.NOTHING if point is None else SolutionStatus.FEASIBLE
    return Solution(termination=end, status=status, point=point, note=words, **others)


def refusal(error: Exception, unlicensed: bool) -> Solution:
    """Return the answer of a vendor's solver that raised an error, such as a missing licence."""
    end = TerminationReason.UNLICENSED if unlicensed else TerminationReason.FAILED
    return claim(end, str(error).strip())


CAPS = ("threads", "seed", "gap", "time_s", "nodes")
"""The fields of `Caps` for which solvers have options."""


def hand_over(caps: Caps, names: Sequence[str | None], put: Callable[[str, Any], object]) -> None:
    """Set the options that a solver has for `CAPS`, in that order. None is a missing option."""
    for cap, name in zip(CAPS, names, strict=True):
        if name is not None and (value := getattr(caps, cap)) is not None:
            put(name, value)


AGAIN_S = 0.2
"""Seconds between two looks: a Ctrl-C that comes just as the wait begins is seen at the next one.

A solver that continues is stopped a second time: SCIP forgets a stop between two of its stages, or
refuses it.
"""


def interruptible(
    work: Callable[[], object], stop: Callable[[], object], report: Report | None = None
) -> bool:
    """Do `work`, which must let other threads run. Return True if Ctrl-C called `stop`.

    `stop` is called as well once the listener of `report` has raised something. Ctrl-C may come at
    any moment. Before the work begins it is raised. In `stop`, or when the work has just ended, it
    has no effect. The function waits only for bare locks. An exception inside a condition, or a
    tool made of conditions, may leave it without its lock.
    """
    if report is None and current_thread() is not main_thread():
        work()  # Ctrl-C reaches the main thread, and no listener can end the run.
        return False
    begin, done, stopped = Lock(), Lock(), False
    ended: list[BaseException | None] = []

    def run() -> None:
        begin.acquire()
        try:
            work()
        except BaseException as error:
            ended.append(error)
        else:
            ended.append(None)
        done.release()

    begin.acquire()
    done.acquire()
    start_new_thread(run, ())
    while True:
        try:
            if begin.locked():
                begin.release()
            while not ended:
                if stopped:
                    heard()
                if stopped or getattr(report, "ended", None) is not None:
                    with suppress(Exception):  # The next look stops it once more.
                        stop()
                done.acquire(timeout=AGAIN_S)
            break
        except KeyboardInterrupt:
            stopped = True
    if ended[0] is not None:
        raise ended[0]
    return stopped


def one_sided(program: Matrix) -> Iterator[tuple[str, Any, Floats]]:
    """Yield the rows by sign, as equations and as inequalities: the sign, places and sides."""
    low, high = program.row_lower, program.row_upper
    same = low == high
    for sign, chosen, side in (
        ("=", same, low),
        (">", np.isfinite(low) & ~same, low),
        ("<", np.isfinite(high) & ~same, high),
    ):
        places = np.flatnonzero(chosen)
        if places.size:
            yield sign, places, side[places]


def over(caps: Caps, began: float) -> Solution | None:
    """Return the answer of a solver whose time was over before it began, or None if it was not."""
    if caps.since(began).time_s != 0:
        return None
    return claim(TerminationReason.TIME_LIMIT, "the time limit was over before it began")


def dual_bound(program: Matrix, duals: Floats) -> float:
    """Return the bound of weak duality, with near-zero values set to zero."""
    reduced = program.cost - program.a.T @ duals
    near = TOLERANCE * max(1.0, float(np.abs(program.cost).max(initial=0.0)))
    total = program.offset
    for prices, lower, upper in (
        (duals, program.row_lower, program.row_upper),
        (reduced, program.lower, program.upper),
    ):
        side = np.where(prices > 0, lower, upper)
        kept = np.isfinite(side) | (np.abs(prices) > near)
        total += float(prices[kept] @ side[kept])
    return total


def options(own: Callable[[], type[Any]], ours: Mapping[str, str]) -> SolverOptions:
    """Return the options that are the fields of a type of message, which is imported on demand."""
    return SolverOptions(partial(_names, own), partial(_takes, own), ours)


def _names(own: Callable[[], type[Any]]) -> list[str]:
    return list(own().DESCRIPTOR.fields_by_name)


def _takes(own: Callable[[], type[Any]], name: str, value: str) -> bool:
    message = own()
    if kinds := message.DESCRIPTOR.fields_by_name[name].enum_type:
        return value in kinds.values_by_name
    kind = type(getattr(message(), name))
    if kind not in (int, float, str):
        return kind is bool and value in ("true", "false")
    try:
        setattr(message(), name, kind(value))
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def as_text(message: Any, name: str, value: str) -> str:
    """Return a field and its value in the text form of messages."""
    return f"{name}: {dumps(value) if type(getattr(message, name)) is str else value}"
