"""`ringyard bound`: certified lower bounds."""

from typing import Annotated

from cyclopts import Parameter

from ..families import Family, family_of
from ..instances import Bound, Limits, digest
from ..instances.catalogue import load
from ..instances.errors import InputError
from ..instances.reading.encode import as_number
from ..interrupts import keeping
from .shared.options import time_limit_problems
from .shared.output import cell, emit, note, say


def bound_command(
    instance: str,
    /,
    *,
    time_limit: float | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Compute certified bounds: lower ones on a makespan or a mean, upper ones on a utility.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    time_limit
        Seconds to spend on stronger bounds, by column generation; those that count take none.
    json
        Print one JSON object.
    """
    problems = time_limit_problems(time_limit)
    if problems:
        raise InputError("ringyard bound", problems)

    problem = load(instance)
    family = family_of(problem)
    limits = Limits(time_s=time_limit)
    found = family.bounds(problem, limits)
    interrupted, missing = False, list[str]()
    if time_limit is not None:
        try:
            with keeping():
                asked = family.beyond(problem, limits)
            found += asked.found
            missing = [f"a bound is left out, {reason}" for reason in asked.missing]
        except KeyboardInterrupt:
            interrupted, missing = True, ["interrupted: the stronger bounds are left out"]
        found.sort(key=lambda bound: bound.value, reverse=not family.most)
    rows = [
        {
            "bound": as_number(b.value),
            "bound_kind": b.kind.value,
            "name": b.name,
            "argument": b.argument,
        }
        for b in found
    ]
    if json:
        emit({"instance": problem.name, "digest": digest(problem), **rows[0], "all": rows})
    else:
        _say(family, problem.name, found)
    for line in missing:
        note(line)
    return 130 if interrupted else 0


def _say(family: Family, name: str, found: list[Bound]) -> None:
    side = "at most" if family.most else "at least"
    say(f"{name}: {family.objective} {side} {family.valued(cell(found[0].value))}")
    for bound in found:
        say(f"  {cell(bound.value):>8}  {bound.kind}, {bound.name}: {bound.argument}")
