"""A schedule that a method is to begin with: judged before anything else is done with it."""

from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any

from ..families import family_of
from ..instances import Instance, digest, load_schedule
from ..instances.errors import InputError, Problem, Words
from ..instances.reading.encode import as_number
from .check import AnyVerdict, check

MOST_SHOWN = 5
"""Violations that are named; `ringyard check` shows all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedStart:
    """A valid schedule, with what the judge says of it."""

    schedule: Any
    verdict: AnyVerdict
    value: Fraction


def judged_start(instance: Instance, given: Any) -> JudgedStart:
    """Return a schedule, or that of a file, as a start; raise `InputError` if it is none."""
    is_file = isinstance(given, str | PathLike)
    source = str(given) if is_file else "start"
    schedule = load_schedule(str(given)) if is_file else given
    if not isinstance(schedule, family_of(instance).schedule):
        expected = f"a schedule of {instance.kind!r} instances, or its file"
        found = getattr(schedule, "kind", Words(type(schedule).__name__))
        raise InputError(source, [Problem("kind", found, expected, "give one of this instance")])
    named, claimed = schedule.instance, schedule.digest
    if claimed and claimed != digest(instance):
        expected = f"that of {instance.name!r}, {digest(instance)}"
        advice = f"it is a schedule of another instance, {named!r}; give one of this"
        raise InputError(source, [Problem("digest", claimed, expected, advice)])
    verdict = check(instance, schedule)
    problems = [] if named == instance.name else [_of_another(instance, named)]
    problems += [
        Problem(v.where, Words(f"{v.rule} off by {as_number(v.amount)}"), "a valid start", ADVICE)
        for v in verdict.violations[:MOST_SHOWN]
    ]
    if verdict.violations or verdict.objective is None:
        more = max(0, len(verdict.violations) - MOST_SHOWN)
        raise InputError(source, problems, more)
    return JudgedStart(schedule=schedule, verdict=verdict, value=verdict.objective)


ADVICE = "`ringyard check INSTANCE SCHEDULE` shows all that is wrong"


def _of_another(instance: Instance, named: Any) -> Problem:
    advice = "it is a schedule of another instance"
    return Problem("instance", named, repr(instance.name), advice)
