"""Request and result of a method of any family, and the clock of time limits.

The clock stops while kernels are being prepared, because compilation on first use is no property of
a method and does not recur. The same holds, for a fixed time only, for kernels that run as plain
Python until they are compiled.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from threading import RLock
from typing import Any

from .reading.vocabulary import Short, cut

PLAIN_S = 10.0
"""Seconds of a process for which the clock stops while kernels run as plain Python.

Cached kernels are loaded after a fraction of a second of plain Python. Others are compiled after
three seconds each, and a command rarely has more than two or three. Longer plain Python is not
preparation, and its seconds are counted.
"""


class _Clock:
    """Seconds of set-up so far. Intervals that overlap in several threads are counted once."""

    def __init__(self) -> None:
        self.lock, self.spent, self.last = RLock(), 0.0, time.monotonic()
        self.preparing = self.plain = 0
        """Active calls."""
        self.plain_left = PLAIN_S
        self.words = ""

    def settle(self) -> float:
        """Add the seconds since the last update, and return the current time."""
        passed, self.last = -self.last, time.monotonic()
        passed += self.last
        if self.preparing:
            self.spent += passed
        elif self.plain:
            left_out = min(passed, self.plain_left)
            self.plain_left -= left_out
            self.spent += left_out
        return self.last

    def read(self) -> tuple[float, float]:
        """Return the counted seconds since some moment, and the set-up seconds."""
        with self.lock:
            return self.settle() - self.spent, self.spent


_CLOCK = _Clock()


def now() -> float:
    """Return the counted seconds since some moment."""
    return _CLOCK.read()[0]


def set_up_s() -> float:
    """Return the set-up seconds so far."""
    return _CLOCK.read()[1]


def set_up_words() -> str:
    """Return the current preparation as text, empty without one."""
    return _CLOCK.words if _CLOCK.preparing or _CLOCK.plain else ""


def stop_clock(words: str | None = None, *, plain: bool = False) -> None:
    """Stop the clock until `start_clock` has been called the same number of times.

    `words` describe the current preparation, unless other words are set. For `plain` Python the
    clock
    stops for `PLAIN_S` seconds in total.
    """
    with _CLOCK.lock:
        _CLOCK.settle()
        _CLOCK.words = _CLOCK.words if words is None else words
        _CLOCK.plain += plain
        _CLOCK.preparing += not plain


def start_clock(*, plain: bool = False) -> None:
    """Restart the clock."""
    with _CLOCK.lock:
        _CLOCK.settle()
        _CLOCK.plain -= plain
        _CLOCK.preparing -= not plain


class TerminationReason(StrEnum):
    """Reason why a method ended."""

    DONE = "done"
    """It ended by itself."""
    TIME_LIMIT = "time_limit"
    """The time limit of the call was reached."""
    WORK_LIMIT = "work_limit"
    """A limit on nodes, rounds or iterations was reached."""
    GAP = "gap_reached"
    """The gap between schedule and bound reached the requested gap."""
    TARGET = "target_reached"
    """A schedule reached the target."""
    STOPPED = "stopped"
    """The callback raised `StopIteration`."""
    INTERRUPTED = "interrupted"
    """A user interrupted it."""
    MEMORY_LIMIT = "memory_limit"
    """It exceeded its memory limit."""
    NUMERICAL = "numerical"
    """Rounding errors grew too large, so its claim could not be confirmed."""
    CRASHED = "crashed"
    """Its process crashed."""
    KILLED = "killed"
    """Its process was killed from outside, or after a hang."""
    UNLICENSED = "unlicensed"
    """Its licence is missing, or too small for the problem."""
    FAILED = "failed"
    """It failed. The outcome's note has the reason."""

    @property
    def words(self) -> str:
        """The reason in words, empty if it ended by itself."""
        odd = {"done": "", "numerical": "rounding errors", "unlicensed": "no licence"}
        return odd.get(self, self.replace("_", " "))


class StopSearch(BaseException):
    """Exception that ends a search: a stopping criterion holds for a reported schedule.

    It is not an `Exception`, so that methods do not catch it.
    """

    def __init__(self, termination: TerminationReason) -> None:
        """Store the termination reason."""
        super().__init__(termination)
        self.termination = termination


class SolutionStatus(StrEnum):
    """Knowledge of the solution when a method ends."""

    OPTIMAL = "optimal"
    """A schedule and a bound that meet."""
    FEASIBLE = "feasible"
    """A schedule."""
    INFEASIBLE = "infeasible"
    """A proof that no schedule exists."""
    UNBOUNDED = "unbounded"
    """An unbounded program, which no Ringyard instance gives."""
    NOTHING = "nothing"
    """Neither a schedule nor a proof."""


class BoundEvidence(StrEnum):
    """Evidence of a bound, which decides who can check it."""

    CERTIFIED = "certified"
    """Certified: a certificate can be written, which a small checker verifies."""
    SEARCHED = "searched"
    """Searched: a complete search without a proof that others can check."""
    COMPUTED = "computed"
    """Computed: an argument in exact arithmetic, for which the checker has no rule."""
    CLAIMED = "claimed"
    """Claimed by a solver in floating point."""
    NONE = "none"
    """No bound, or a bound of unknown origin."""


class BoundKind(StrEnum):
    """Basis of a bound."""

    NONE = "none"
    """There is no bound."""
    COMBINATORIAL = "combinatorial"
    """A counting argument evaluated in exact arithmetic."""
    SOLVER = "solver"
    """A solver's complete search in floating point, without further confirmation."""
    DUAL = "dual"
    """A dual solution, repaired and summed in exact arithmetic."""
    SEARCHED = "searched"
    """A complete search. It has a certificate only if a checker can repeat it."""

    @classmethod
    def _missing_(cls, value: object) -> "BoundKind | None":
        """Read the names in older files."""
        return cls.SEARCHED if value == "exact" else None

    @property
    def proved(self) -> bool:
        """True if no solver must be trusted: the bound is exact, or the search complete."""
        return self not in (BoundKind.NONE, BoundKind.SOLVER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound(Short):
    """A bound on the objective: its value, its kind, its name, and its argument.

    It is a lower bound for minimization, or an upper bound for maximization.
    """

    value: Fraction
    kind: BoundKind
    name: str
    argument: str
    proof: tuple[Mapping[str, Any], ...] | None = field(default=None, compare=False, repr=False)
    """The steps of its certificate as plain values of JSON, if it can have one."""

    @classmethod
    def by(
        cls, kind: BoundKind, name: str, value: Fraction, why: str, *steps: Mapping[str, Any] | None
    ) -> "Bound":
        """Return a bound with its argument, and the steps of its proof, if any."""
        proof = tuple(step for step in steps if step is not None) or None
        return cls(value=value, kind=kind, name=name, argument=why, proof=proof)

    @property
    def evidence(self) -> BoundEvidence:
        """Its evidence. A searched bound may have steps, which the checker must repeat."""
        if self.kind is BoundKind.SEARCHED:
            return BoundEvidence.SEARCHED
        if not self.kind.proved:
            return BoundEvidence.CLAIMED if self.kind is BoundKind.SOLVER else BoundEvidence.NONE
        return BoundEvidence.CERTIFIED if self.proof else BoundEvidence.COMPUTED

    @property
    def rules(self) -> str:
        """Names of the checker's rules in its steps."""
        return ", ".join(dict.fromkeys(step["rule"] for step in self.proof or ()))

    def brief(self) -> str:
        """Return the value, and the reason why it is proved, as text."""
        from .reading.encode import fraction_text

        return f"{fraction_text(self.value)}, {self.reason()}"

    def reason(self) -> str:
        """Return its basis, and the beginning of its argument, as text."""
        return f"{self.kind.value}: {cut(self.argument)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incumbent:
    """The state of a running method: its schedules and bound."""

    schedule: Any
    value: float
    bound: float | None = None


def relative_gap(value: Fraction, bound: Fraction) -> Fraction:
    """Return the gap between a value and a bound, relative to the larger of both."""
    larger = max(value, bound)
    return abs(value - bound) / larger if larger else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Time limit of a method, and the callback for its reports."""

    time_s: float | None = None
    threads: int = 1
    horizon: int | None = None
    """Only schedules that end by this slot are accepted."""
    gap: float | None = None
    """Gap at which a proving method may stop."""
    watch: Callable[[Incumbent], None] | None = None
    started: float = field(default_factory=now)
    """End of the time limit, by the clock that stops while kernels are compiled."""

    def over(self) -> bool:
        """Return True if the time limit is reached."""
        return self.time_s is not None and now() - self.started >= self.time_s

    def near(self, value: Fraction | float, bound: Fraction | float) -> bool:
        """Return True if a gap was requested, and a value and a bound are that close."""
        if self.gap is None or not (isfinite(value) and isfinite(bound)):
            return False
        return relative_gap(Fraction(value), Fraction(bound)) <= self.gap

    def left_s(self) -> float | None:
        """Return the remaining seconds, or None without a limit."""
        if self.time_s is None:
            return None
        return max(0.0, self.started + self.time_s - now())

    def part(self, share: float) -> "Limits":
        """Return limits that end after this fraction of the remaining time."""
        left = self.left_s()
        if self.time_s is None or left is None:
            return self
        return replace(self, time_s=self.time_s - (1 - share) * left)

    def shares(self, steps: int) -> Iterator["Limits"]:
        """Yield the limits of steps, each with an equal part of the time remaining at its start."""
        for more in range(steps, 0, -1):
            left = self.left_s()
            yield replace(self, time_s=None if left is None else left / more, started=now())

    def report(self, incumbent: Incumbent) -> None:
        """Report a better schedule to `watch`."""
        if self.watch is not None:
            self.watch(incumbent)


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Short):
    """The schedule, if any, the termination reason, and the status of the solution."""

    schedule: Any
    termination: TerminationReason
    status: SolutionStatus
    value: Fraction | None = None
    bound: Bound | None = None
    seconds: tuple[tuple[str, float], ...] = ()
    nodes: int | None = None
    """Nodes of the search tree, if there is one."""
    note: str = ""

    def brief(self) -> str:
        """Return the status of the solution, why it ended early, and the schedule as text."""
        held = "no schedule" if self.schedule is None else repr(self.schedule)
        known = ", ".join(filter(None, (self.status.value, self.termination.words)))
        return f"{known}: {held}"
