"""A schedule that a method is to begin with: judged before anything else is done with it."""

from dataclasses import dataclass, replace
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
    """A valid schedule, with what the judge says of it; one of some jobs has no value."""

    schedule: Any
    verdict: AnyVerdict
    value: Fraction | None


def judged_start(instance: Instance, given: Any, *, partial: bool = False) -> JudgedStart:
    """Return a schedule, or that of a file, as a start; raise `InputError` if it is none.

    Where it may be `partial`, jobs may be missing; what there is has to be valid by itself.
    """
    is_file = isinstance(given, str | PathLike)
    source = str(given) if is_file else "start"
    schedule = load_schedule(str(given)) if is_file else given
    if not isinstance(schedule, family_of(instance).schedule):
        expected = f"a schedule of {instance.kind!r} instances, or its file"
        found = getattr(schedule, "kind", Words(type(schedule).__name__))
        raise InputError(source, [Problem("kind", found, expected, "give one of this instance")])
    if partial and not schedule.assignments:
        problem = Problem("assignments", Words("none"), "a job or more", "give the plan that began")
        raise InputError(source, [problem])
    named, claimed = schedule.instance, schedule.digest
    if claimed and claimed != digest(instance):
        expected = f"that of {instance.name!r}, {digest(instance)}"
        advice = f"it is a schedule of another instance, {named!r}; give one of this"
        raise InputError(source, [Problem("digest", claimed, expected, advice)])
    if partial and _lacks(instance, schedule):
        verdict = check(*_only(instance, schedule))
        value, proved = None, verdict.valid
    else:
        verdict = check(instance, schedule)
        value, proved = verdict.objective, verdict.valid and verdict.objective is not None
    problems = [] if named == instance.name else [_of_another(instance, named)]
    problems += [
        Problem(v.where, Words(f"{v.rule} off by {as_number(v.amount)}"), "a valid start", ADVICE)
        for v in verdict.violations[:MOST_SHOWN]
    ]
    if not proved:
        more = max(0, len(verdict.violations) - MOST_SHOWN)
        raise InputError(source, problems, more)
    return JudgedStart(schedule=schedule, verdict=verdict, value=value)


def _lacks(instance: Any, schedule: Any) -> bool:
    return len(schedule.assignments) < len(instance.jobs)


def _only(instance: Any, schedule: Any) -> tuple[Any, Any]:
    """Return the part of an instance that a schedule is about, and what it says without claims."""
    named = {one.job for one in schedule.assignments}
    jobs = tuple(job for job in instance.jobs if job.name in named)
    plain = tuple(replace(one, end_slot=None) for one in schedule.assignments)
    bare = replace(schedule, assignments=plain, digest=None, makespan=None)
    return replace(instance, jobs=jobs), bare


ADVICE = "`ringyard check INSTANCE SCHEDULE` shows all that is wrong"


def _of_another(instance: Instance, named: Any) -> Problem:
    advice = "it is a schedule of another instance"
    return Problem("instance", named, repr(instance.name), advice)
