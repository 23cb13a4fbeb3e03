"""`ringyard bound`: certified lower bounds."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..instances.errors import InputError
from .options import time_limit_problems
from .output import cell, emit, note, say

if TYPE_CHECKING:
    from ..instances import Bound, Instance, Limits


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
    from ..families import FAMILIES
    from ..instances import Limits, digest
    from ..instances.catalogue import load
    from ..instances.encode import as_number

    problem = load(instance)
    family = FAMILIES[problem.kind]
    limits = Limits(time_s=time_limit)
    found = family.bounds(problem, limits)
    interrupted = False
    if time_limit is not None:
        try:
            found += _stronger(problem, limits)
        except KeyboardInterrupt:
            interrupted = True
            note("interrupted: the stronger bounds are left out")
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
        return 130 if interrupted else 0
    side = "at most" if family.most else "at least"
    say(f"{problem.name}: {family.objective} {side} {cell(found[0].value)}{family.unit}")
    for bound in found:
        say(f"  {cell(bound.value):>8}  {bound.kind}, {bound.name}: {bound.argument}")
    return 130 if interrupted else 0


def _stronger(instance: "Instance", limits: "Limits") -> "list[Bound]":
    """Return the bounds that take their time; say which could not be had, and why."""
    from ..families import FAMILIES
    from ..instances import MakespanInstance

    asked = FAMILIES[instance.kind].stronger(instance, limits, None)
    if isinstance(instance, MakespanInstance):
        from ..formulations.column_generation import configuration_bound

        asked.ask(
            "configurations",
            lambda: configuration_bound(instance, limits),
            "slots, server uplinks and few GPUs",
        )
    for reason in asked.missing:
        note(f"a bound is left out, {reason}")
    return asked.found
