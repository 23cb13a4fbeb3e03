"""A solver as the interface sees it, the call of an adapter, and how Ctrl-C ends it.

It also has what several adapters share: the limits of solvers of linear programs, bounds from
duals, and the options of OR-Tools.
"""

from _thread import start_new_thread
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from json import dumps
from threading import Lock, current_thread, main_thread
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ...interrupts import heard
from ..program import TOLERANCE, Caps, Floats, Matrix, Nonlinear, Program, Solution

Report = Callable[[Floats, float | None], object]
"""Takes a better point and the bound known with it, while a solver runs."""


class Reporter:
    """Reports points until the listener raises something; the solver is to end then."""

    def __init__(self, report: Report) -> None:
        """Take the function that listens."""
        self._report = report
        self.ended: BaseException | None = None

    def __call__(self, point: Floats, bound: float | None) -> None:
        """Report a point, and keep what is raised: solvers fail on errors in a callback."""
        try:
            if self.ended is None:
                self._report(point, bound)
        except BaseException as ended:
            self.ended = ended


Run = Callable[[Program, Caps, Floats | None, Report], Solution]
"""Takes a program, caps, a start and a function for better points; returns the solver's claims.

The status is `SolutionStatus.UNBOUNDED` also where the solver cannot tell that from infeasible:
the interface finds out.
"""


BY_LIMIT = "say --time-limit"
MUTE = "leave it out: what it prints would mix with answers"


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """The options that a solver takes by name."""

    known: Callable[[], list[str]]
    takes: Callable[[str, str], bool]
    """True if it takes a value for an option that it knows."""
    ours: Mapping[str, str]
    """Those that only we set, with what to do instead."""


def there() -> None:
    """Return None: nothing is lacking."""


def linear_only(program: Program) -> str | None:
    """Return why a solver for linear rows cannot treat `program`, or None."""
    return "it takes linear rows only" if isinstance(program, Nonlinear) else None


def refuses(program: Program) -> str | None:
    """Return why a solver for continuous columns cannot treat `program`, or None."""
    if isinstance(program, Nonlinear):
        return "it takes linear rows only"
    return "it has integers; relax it first" if program.integer.any() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A solver by name, with what it can do and how it is installed."""

    name: str
    module: str
    """The module whose presence means that the solver is there; empty where it is none."""
    package: str = ""
    """The distribution that holds the module, where that has another name."""
    install: str
    """The arguments of ``pip install`` that bring it."""
    can: tuple[str, ...]
    run: Run
    refuses: Callable[[Program], str | None] = linear_only
    plain: Run | None = None
    """Runs it once, where `run` asks it again about answers that it doubts."""
    alone: bool = False
    """True if it always needs a process of its own; its file says why."""
    clock: bool = True
    """True if it keeps a time limit; if not, it has a process of its own then, which is ended."""
    options: SolverOptions | None = None
    remark: str = ""
    lacks: Callable[[], str | None] = there
    """Returns what it lacks beside its module, such as a device: ``needs ..``."""
    load: Callable[[], object] = there
    """Imports what takes long to, before its clock starts."""

    @property
    def installed(self) -> bool:
        """True if it can be called; nothing is imported."""
        return self.missing is None

    @property
    def distribution(self) -> str:
        """The distribution that holds the module; empty where it is no Python package."""
        return self.package or self.module

    @property
    def command(self) -> str:
        """The command that installs it."""
        return f"pip install {self.install}" if self.distribution else self.install

    @property
    def missing(self) -> str | None:
        """How to get it, or None if it is there."""
        if (reason := self.lacks()) is not None:
            return f"{self.name} {reason}"
        # Without a module to look for, the distribution counts: its name may be less common.
        there = find_spec(self.module) if self.module else self._version or not self.package
        return None if there else f"{self.name} is not installed; try: {self.command}"

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
"""How a run ended: with what it proves, or for the reason that stopped it before."""


def claim(end: End, words: str = "", point: Floats | None = None, **others: Any) -> Solution:
    """Return the claims of a solver; `words` is the note of one that was stopped."""
    if isinstance(end, SolutionStatus):
        return Solution(termination=TerminationReason.DONE, status=end, point=point, **others)
    status = SolutionStatus.NOTHING if point is None else SolutionStatus.FEASIBLE
    return Solution(termination=end, status=status, point=point, note=words, **others)


def refusal(error: Exception, unlicensed: bool) -> Solution:
    """Return the answer of a vendor's solver that raised an error, such as a missing licence."""
    end = TerminationReason.UNLICENSED if unlicensed else TerminationReason.FAILED
    return claim(end, str(error).strip())


CAPS = ("threads", "seed", "gap", "time_s", "nodes")
"""Those of `Caps` that solvers have options for."""


def hand_over(caps: Caps, names: Sequence[str | None], put: Callable[[str, Any], object]) -> None:
    """Set the options that a solver has for `CAPS`, in that order; None where it has none."""
    for cap, name in zip(CAPS, names, strict=True):
        if name is not None and (value := getattr(caps, cap)) is not None:
            put(name, value)


AGAIN_S = 0.2
"""Seconds between two looks: a Ctrl-C that comes just as the wait begins is seen at the next one.
A solver that goes on is asked to stop once more: SCIP forgets a stop between two of its stages, or
refuses it."""


def interruptible(
    work: Callable[[], object], stop: Callable[[], object], report: Report | None = None
) -> bool:
    """Do `work`, which must let other threads run; return whether Ctrl-C made us call `stop`.

    `stop` is called as well once the listener of `report` has raised something.
    Ctrl-C may come at any moment: before the work begins it is raised, in `stop` or when the work
    has just ended it changes nothing. Only bare locks are waited for: conditions, and all that is
    made of them, may be left without their lock by what is raised in them.
    """
    if report is None and current_thread() is not main_thread():
        work()  # Ctrl-C comes to the main thread, and no listener can ask for an end.
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
                    with suppress(Exception):  # It is asked again at the next look.
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
    return claim(TerminationReason.TIME_LIMIT, "its time was over before it began")


def dual_bound(program: Matrix, duals: Floats) -> float:
    """Return the bound of weak duality, where what is almost zero counts as zero."""
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
    """Return the options that are the fields of a type of message, which is imported when asked."""
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
