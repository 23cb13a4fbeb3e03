"""Arguments of calls and commands: entities and numbers, their problems, and the remedies."""

from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from os import PathLike
from typing import Any

from .errors import ABSENT, Problem, Words, raise_any
from .reading.vocabulary import AnySchedule, Instance

LOADERS = {"instance": "load", "schedule": "load_schedule", "campaign": "load_campaign"}
"""Functions of `ringyard` that read an entity from its file, or by its name."""


def instance_problems(value: Any) -> Iterator[Problem]:
    """Yield the reasons why a value is not an instance."""
    if isinstance(value, AnySchedule):
        yield mistaken("instance", value, "an instance", "give the instance, then the schedule")
    elif not isinstance(value, Instance):
        yield mistaken("instance", value, "an instance")


def schedule_problems(value: Any) -> Iterator[Problem]:
    """Yield the reasons why a value is not a schedule."""
    if isinstance(value, Instance):
        yield mistaken("schedule", value, "a schedule", "give the instance, then the schedule")
    elif isinstance(value, dict):
        advice = "let a function return it: ringyard.solve(instance, function)"
        yield mistaken("schedule", value, "a schedule", advice)
    elif not isinstance(value, AnySchedule):
        yield mistaken("schedule", value, "a schedule")


def refuse_pair(caller: str, instance: Any, schedule: Any) -> None:
    """Raise `InputError` unless the arguments are an instance and a schedule."""
    raise_any(caller, [*instance_problems(instance), *schedule_problems(schedule)])


def mistaken(place: str, value: Any, expected: str, advice: str = "") -> Problem:
    """Return the problem of a value of a wrong type.

    The default `advice` names the function that loads the entity in the last word of `expected`, or
    its attribute of an answer.
    """
    entity = expected.split()[-1]
    advice_text = advice or f"load it: ringyard.{LOADERS[entity]}(..)"
    if not advice and hasattr(value, "schedule") and hasattr(value, entity):
        advice_text = f"give answer.{entity}"
    return Problem(place, described(value), expected, advice_text)


def described(value: Any) -> Any:
    """Return a value as an error shows it: plain values as they are, other values by their type."""
    if value is None:
        return ABSENT
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, str | int | float | dict | list | tuple):
        return value
    name = type(value).__name__
    return Words(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")


def seed_problems(seed: Any, place: str = "--seed") -> list[Problem]:
    """Return problems of a seed, which must fit into a file and into every generator."""
    if _is("__index__", seed) and 0 <= seed < 2**63:
        return []
    return [_number_problem(place, seed, "an integer from 0 to 2^63 - 1", "choose another seed")]


def time_limit_problems(
    seconds: Any, place: str = "--time-limit", *, none: bool = False
) -> list[Problem]:
    """Return problems of a time limit, which must be positive, or at least 0."""
    least = _is("__float__", seconds) and (seconds > 0 or (none and seconds == 0))
    if seconds is None or least:
        return []
    expected = "seconds, 0 or more" if none else "seconds above 0"
    return [_number_problem(place, _real(seconds), expected, "give a longer time")]


def at_least_one(place: str, number: Any, *, given: bool = False) -> list[Problem]:
    """Return problems of an optional number that must be at least 1."""
    if (number is None and not given) or (_is("__index__", number) and number >= 1):
        return []
    return [_number_problem(place, number, "an integer at least 1", "give 1 or more")]


def aim_problems(gap: Any, target: Any, watch: Any) -> Iterator[Problem]:
    """Yield invalid stopping criteria and callbacks of a run."""
    if gap is not None and not (_is("__float__", gap) and 0 <= gap < 1):
        yield _number_problem("gap", _real(gap), "0 or more, and less than 1", "0.01 is 1 per cent")
    if target is not None and not (_is("__float__", target) and isfinite(target)):
        yield _number_problem(
            "target", _real(target), "a finite number", "give a value of the objective"
        )
    if watch is not None and not callable(watch):
        advice = "name a function, as in watch=print"
        yield Problem("watch", described(watch), "a function of a better schedule", advice)


def _is(number: str, value: Any) -> bool:
    """Return True if a value is a number of a type, but not a boolean."""
    return hasattr(value, number) and not isinstance(value, bool)


def _real(value: Any) -> Any:
    """Return a number as text, without the name of its type."""
    return Words(f"{float(value):g}") if _is("__float__", value) else value


def _number_problem(place: str, value: Any, expected: str, advice: str) -> Problem:
    """Return the problem of a number. The advice for a quoted one is to remove the quotes."""
    if isinstance(value, str) and not isinstance(value, Words):
        with suppress(ValueError):
            float(value)
            advice = "remove the quotes"
    return Problem(place, described(value), expected, advice)
