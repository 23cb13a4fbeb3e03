"""What Python calls are given in place of a noun, and what to write instead."""

from collections.abc import Iterator
from os import PathLike
from typing import Any

from .errors import ABSENT, Problem, Words, raise_any
from .reading.vocabulary import AnySchedule, Instance

LOADERS = {"instance": "load", "schedule": "load_schedule", "campaign": "load_campaign"}
"""Functions of `ringyard` that read a noun from its file, or by its name."""


def instance_problems(value: Any) -> Iterator[Problem]:
    """Yield why a value is no instance."""
    if isinstance(value, AnySchedule):
        yield mistaken("instance", value, "an instance", "give the instance, then the schedule")
    elif not isinstance(value, Instance):
        yield mistaken("instance", value, "an instance")


def schedule_problems(value: Any) -> Iterator[Problem]:
    """Yield why a value is no schedule."""
    if isinstance(value, Instance):
        yield mistaken("schedule", value, "a schedule", "give the instance, then the schedule")
    elif isinstance(value, dict):
        advice = "let a function return it: ringyard.solve(instance, function)"
        yield mistaken("schedule", value, "a schedule", advice)
    elif not isinstance(value, AnySchedule):
        yield mistaken("schedule", value, "a schedule")


def refuse_pair(caller: str, instance: Any, schedule: Any) -> None:
    """Raise `InputError` unless there are an instance and a schedule."""
    raise_any(caller, [*instance_problems(instance), *schedule_problems(schedule)])


def mistaken(place: str, value: Any, expected: str, advice: str = "") -> Problem:
    """Return the fault of a value that is not what was expected.

    Without `advice` it says how to load what the last word of `expected` names, or where an answer
    has it.
    """
    noun = expected.split()[-1]
    told = advice or f"load it: ringyard.{LOADERS[noun]}(..)"
    if not advice and hasattr(value, "schedule") and hasattr(value, noun):
        told = f"give answer.{noun}"
    return Problem(place, described(value), expected, told)


def described(value: Any) -> Any:
    """Return a value as an error shows it: plain ones as they are, others by their type."""
    if value is None:
        return ABSENT
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, str | int | float | dict | list | tuple):
        return value
    name = type(value).__name__
    return Words(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")
