"""`ringyard bound`: certified lower bounds."""

from typing import Annotated

from cyclopts import Parameter

from ..instances.errors import InputError
from .options import time_limit_problems
from .output import cell, emit, say


def bound_command(
    instance: str,
    /,
    *,
    time_limit: float | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Compute certified lower bounds on the makespan.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    time_limit
        Seconds it may take; the combinatorial bounds need a fraction of one.
    json
        Print one JSON object.
    """
    problems = time_limit_problems(time_limit)
    if problems:
        raise InputError("ringyard bound", problems)
    from ..instances import digest
    from ..instances.catalogue import load
    from ..instances.encode import as_number
    from ..search.bounds import combinatorial_bounds

    problem = load(instance)
    found = combinatorial_bounds(problem)
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
        return 0
    say(f"{problem.name}: makespan at least {cell(found[0].value)} slots")
    for bound in found:
        say(f"  {cell(bound.value):>8}  {bound.kind}, {bound.name}: {bound.argument}")
    return 0
