"""What a method is asked and what it returns, whatever the family; the clock of time limits.

The clock stands still while kernels are being prepared: what a compiler takes on first use says
nothing of a method, and is gone when it runs again. The same holds for kernels that run as plain
Python until they are compiled, but for a fixed time only.
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
"""Seconds of a process for which the clock stands still while kernels run as plain Python.

Kernels that are kept are loaded after a fraction of a second of plain Python, and others are
compiled after three seconds each, of which a command rarely has more than two or three. What runs
as plain Python for longer is not being prepared: its seconds count.
"""


class _Clock:
    """Seconds of set-up so far; intervals that overlap, in several threads, count once."""

    def __init__(self) -> None:
        self.lock, self.spent, self.last = RLock(), 0.0, time.monotonic()
        self.preparing = self.plain = 0
        """Calls under way."""
        self.plain_left = PLAIN_S
        self.words = ""

    def settle(self) -> float:
        """Count the seconds since the last look, and return what time it is."""
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
        """Return the seconds that count, since some moment, and those that do not."""
        with self.lock:
            return self.settle() - self.spent, self.spent


_CLOCK = _Clock()


def now() -> float:
    """Return the seconds that count, since some moment."""
    return _CLOCK.read()[0]


def set_up_s() -> float:
    """Return the seconds so far that do not count."""
    return _CLOCK.read()[1]


def set_up_words() -> str:
    """Describe what is being prepared, if anything is."""
    return _CLOCK.words if _CLOCK.preparing or _CLOCK.plain else ""


def stop_clock(words: str | None = None, *, plain: bool = False) -> None:
    """Let no second count until `start_clock` has been called as often.

    `words` say what goes on, now and as long as nobody has others. For what is `plain` Python the
    clock stands still for `PLAIN_S` seconds in all.
    """
    with _CLOCK.lock:
        _CLOCK.settle()
        _CLOCK.words = _CLOCK.words if words is None else words
        _CLOCK.plain += plain
        _CLOCK.preparing += not plain


def start_clock(*, plain: bool = False) -> None:
    """Let the seconds count again."""
    with _CLOCK.lock:
        _CLOCK.settle()
        _CLOCK.plain -= plain
        _CLOCK.preparing -= not plain


class TerminationReason(StrEnum):
    """Why a method stopped."""

    DONE = "done"
    """It ran to its natural end."""
    TIME_LIMIT = "time_limit"
    """The time limit of the call was reached."""
    WORK_LIMIT = "work_limit"
    """A limit on nodes, rounds or iterations was reached."""
    GAP = "gap_reached"
    """Schedule and bound are as close as was asked for."""
    TARGET = "target_reached"
    """A schedule is as good as was asked for."""
    STOPPED = "stopped"
    """Whoever watched raised `StopIteration`."""
    INTERRUPTED = "interrupted"
    """A person stopped it."""
    MEMORY_LIMIT = "memory_limit"
    """It ran out of the memory it was allowed."""
    NUMERICAL = "numerical"
    """Rounding errors grew too large; what it claims could not be confirmed."""
    CRASHED = "crashed"
    """Its process died by itself."""
    KILLED = "killed"
    """Its process was ended from outside, or hung and was ended."""
    UNLICENSED = "unlicensed"
    """Its licence is missing, or too small for the problem."""
    FAILED = "failed"
    """It could not go on; the outcome's note says why."""


class StopSearch(BaseException):
    """Ends a search early: a stopping criterion holds for a schedule that was just reported.

    It is no `Exception`, so that no method catches it on the way.
    """

    def __init__(self, termination: TerminationReason) -> None:
        """Take the reason why the search ends."""
        super().__init__(termination)
        self.termination = termination


class SolutionStatus(StrEnum):
    """What is known of the solution when a method ends."""

    OPTIMAL = "optimal"
    """A schedule and a bound that meet."""
    FEASIBLE = "feasible"
    """A schedule."""
    INFEASIBLE = "infeasible"
    """A proof that no schedule exists."""
    UNBOUNDED = "unbounded"
    """A program whose objective falls without end; no instance of ours leads there."""
    NOTHING = "nothing"
    """Neither schedule nor proof."""


class BoundEvidence(StrEnum):
    """What supports a bound, and so who can check it."""

    CERTIFIED = "certified"
    """Anybody: a certificate of it can be written, which a small checker follows."""
    SEARCHED = "searched"
    """Nobody else: a search went through everything, and left no proof."""
    COMPUTED = "computed"
    """An argument in exact arithmetic, for which the checker has no rule."""
    CLAIMED = "claimed"
    """A solver says so, in floating point."""
    NONE = "none"
    """There is no bound, or nothing is known of who says it."""


class BoundKind(StrEnum):
    """What a bound rests on."""

    NONE = "none"
    """There is no bound."""
    COMBINATORIAL = "combinatorial"
    """A counting argument evaluated in exact arithmetic."""
    SOLVER = "solver"
    """A solver's complete search in floating point, confirmed by nothing else."""
    DUAL = "dual"
    """A dual solution, repaired and summed in exact arithmetic."""
    SEARCHED = "searched"
    """A complete search; it has a certificate only where a checker can try everything, too."""

    @classmethod
    def _missing_(cls, value: object) -> "BoundKind | None":
        """Read the name that files of before have."""
        return cls.SEARCHED if value == "exact" else None

    @property
    def proved(self) -> bool:
        """True if no solver has to be believed: it is computed exactly, or all was searched."""
        return self not in (BoundKind.NONE, BoundKind.SOLVER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound(Short):
    """A bound on the objective: its value, its kind, its name, and its argument.

    Where the objective is to be small it is a lower bound, else an upper one.
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
        """Return a bound with its argument, and with the steps of its proof that there are."""
        proof = tuple(step for step in steps if step is not None) or None
        return cls(value=value, kind=kind, name=name, argument=why, proof=proof)

    @property
    def evidence(self) -> BoundEvidence:
        """What supports it; a searched bound may have steps, which the checker has to try."""
        if self.kind is BoundKind.SEARCHED:
            return BoundEvidence.SEARCHED
        if not self.kind.proved:
            return BoundEvidence.CLAIMED if self.kind is BoundKind.SOLVER else BoundEvidence.NONE
        return BoundEvidence.CERTIFIED if self.proof else BoundEvidence.COMPUTED

    @property
    def rules(self) -> str:
        """The rules of the checker that its steps name."""
        return ", ".join(dict.fromkeys(step["rule"] for step in self.proof or ()))

    def brief(self) -> str:
        """Describe the value, and why it is certain."""
        from .reading.encode import fraction_text

        return f"{fraction_text(self.value)}, {self.reason()}"

    def reason(self) -> str:
        """Describe what it rests on, and the beginning of its argument."""
        return f"{self.kind.value}: {cut(self.argument)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incumbent:
    """What a method knows while it runs; schedules in it can be kept."""

    schedule: Any
    value: float
    bound: float | None = None


def relative_gap(value: Fraction, bound: Fraction) -> Fraction:
    """Return how far a value and a bound are from each other, as a part of the larger."""
    larger = max(value, bound)
    return abs(value - bound) / larger if larger else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a method may take, and whom it tells on the way."""

    time_s: float | None = None
    threads: int = 1
    horizon: int | None = None
    """Only schedules that end by this slot count."""
    gap: float | None = None
    """What proves bounds may end once its best value is as close to its bound as this."""
    watch: Callable[[Incumbent], None] | None = None
    started: float = field(default_factory=now)
    """By the clock that stands still while kernels are compiled."""

    def over(self) -> bool:
        """Return True if the time is up."""
        return self.time_s is not None and now() - self.started >= self.time_s

    def near(self, value: Fraction | float, bound: Fraction | float) -> bool:
        """Return True if a gap was asked for, and a value is as close to a bound."""
        if self.gap is None or not (isfinite(value) and isfinite(bound)):
            return False
        return relative_gap(Fraction(value), Fraction(bound)) <= self.gap

    def left_s(self) -> float | None:
        """Return the seconds that are left, or None without a limit."""
        if self.time_s is None:
            return None
        return max(0.0, self.started + self.time_s - now())

    def part(self, share: float) -> "Limits":
        """Return the limits that end when such a part of what is left has passed."""
        left = self.left_s()
        if self.time_s is None or left is None:
            return self
        return replace(self, time_s=self.time_s - (1 - share) * left)

    def shares(self, steps: int) -> Iterator["Limits"]:
        """Yield the limits of steps, asked for one by one: an equal part of what is left then."""
        for more in range(steps, 0, -1):
            left = self.left_s()
            yield replace(self, time_s=None if left is None else left / more, started=now())

    def report(self, incumbent: Incumbent) -> None:
        """Hand a better schedule to `watch`."""
        if self.watch is not None:
            self.watch(incumbent)


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Short):
    """The schedule found, if any, why the method stopped, and the status of the solution."""

    schedule: Any
    termination: TerminationReason
    status: SolutionStatus
    value: Fraction | None = None
    bound: Bound | None = None
    seconds: tuple[tuple[str, float], ...] = ()
    nodes: int | None = None
    """Nodes of the search tree, where there is one."""
    note: str = ""

    def brief(self) -> str:
        """Return the status of the solution, the reason of the end and the schedule, in short."""
        held = "no schedule" if self.schedule is None else repr(self.schedule)
        return f"{self.status.value}, {self.termination.value}: {held}"
