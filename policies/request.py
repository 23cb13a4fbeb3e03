"""Requests to methods: limits, random numbers and options besides the instance; and outcomes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from numpy.random import Generator, default_rng

from ..instances import Limits, Outcome, SolutionStatus, TerminationReason
from ..instances.reading.vocabulary import short

Chosen = TypeVar("Chosen", covariant=True)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Empty options."""


NO_OPTIONS = NoOptions()


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """Options of a method that solves a program: its name, and the solver's.

    Each may be a file and a name in it, ``/path/to/file.py:NAME``.
    """

    formulation: str
    solver: str
    settings: tuple[tuple[str, str], ...] = ()
    """Options of the solver, by its own names."""

    @property
    def name(self) -> str:
        """Program and solver, for people."""
        return f"{short(self.formulation)}:{short(self.solver)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[Chosen]):
    """Limits, the generator of all random numbers, and the options of the method: never None."""

    limits: Limits = Limits()
    rng: Generator = field(default_factory=lambda: default_rng(0))
    options: Chosen = NO_OPTIONS  # type: ignore[assignment]
    start: Any = None
    """A valid schedule to begin with, for methods whose record says that they can."""
    start_value: Fraction | None = None
    """The judge's value of the start, or None if it lacks jobs."""
    keep_before: int | None = None
    """Jobs that the start begins before this slot stay in place, and no other job begins earlier.

    For methods whose record supports it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """A method of a file that has several, with the names at the top of other methods' files."""

    run: Callable[[Any, Any], Outcome]
    """Given the instance and the request."""
    Options: type[Any] = NoOptions
    refuses: Callable[[Any, Any], str | None] | None = None
    """Given the instance and the options: why the method cannot treat it, or None."""


def outcome_of(
    schedule: Any,
    termination: TerminationReason = TerminationReason.DONE,
    note: str = "",
    **known: Any,
) -> Outcome:
    """Return the outcome of a method with a schedule, or None, and without a proof.

    Other fields of `Outcome`, such as its value and bound, may be `known`.
    """
    status = SolutionStatus.NOTHING if schedule is None else SolutionStatus.FEASIBLE
    return Outcome(schedule=schedule, termination=termination, status=status, note=note, **known)


def termination_of(
    limits: Limits, otherwise: TerminationReason = TerminationReason.DONE
) -> TerminationReason:
    """Return the time limit as the reason if the time is up, else another one."""
    return TerminationReason.TIME_LIMIT if limits.over() else otherwise


def usual(method: Any) -> Any:
    """Return the default options of a method, a module or a `Scheduler`."""
    return getattr(method, "Options", NoOptions)()
