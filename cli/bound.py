"""`ringyard bound`: proved bounds."""

from pathlib import Path
from typing import Any

from ..extensions.bounds import bounds_by, find_bound
from ..families import Family, family_of
from ..instances import Bound, BoundKind, Limits, digest
from ..instances.arguments import time_limit_problems
from ..instances.catalogue import entries, load
from ..instances.errors import raise_any
from ..instances.reading.encode import as_number
from ..interrupts import keeping
from .shared.options import AsJson, place_problems
from .shared.output import cell, emit, note, say, valued
from .shared.verdicts import write_certificate

OUTSIDE = "external, not certified"
"""Kind of a bound from a user's function or another package."""


def bound_command(
    instance: str,
    /,
    *,
    time_limit: float | None = None,
    by: tuple[str, ...] = (),
    certificate: Path | None = None,
    json: AsJson = False,
) -> int:
    """Compute proved bounds: lower bounds on a makespan or mean, upper bounds on a utility.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    time_limit
        Also compute the slow bounds (column generation), for at most this many seconds (default:
        only closed-form bounds).
    by
        Compute this bound as well: a name from `ringyard list bounds`, or your function as
        FILE.py:FUNCTION or MODULE:FUNCTION. May be repeated. Such a bound is not certified.
    certificate
        Write the proof of the best bound that has one to this file, for `ringyard check`.
    """
    problems = time_limit_problems(time_limit)
    raise_any("ringyard bound", problems + place_problems("--certificate", instance, certificate))

    calls = [find_bound(name) for name in by]
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
            interrupted, missing = True, ["interrupted: the slow bounds are left out"]
        found.sort(key=lambda bound: bound.value, reverse=not family.maximize)
    brought_bounds = (
        [] if interrupted else [one for c in calls for one in bounds_by(c, problem, limits)]
    )
    rows = [_row(one) for one in found]
    if json:
        head = {"instance": problem.name, "digest": digest(problem), **rows[0], "all": rows}
        emit({**head, **({"outside": [_row(one) for one in brought_bounds]} if by else {})})
    else:
        _say(family, problem.name, found, brought_bounds)
    proved = certificate is None or write_certificate(problem, found, certificate) is not None
    missing += [_refuted(family, problem.name, one) for one in brought_bounds]
    for line in filter(None, missing):
        note(line)
    return 130 if interrupted else 0 if proved else 3


def _row(one: Bound) -> dict[str, Any]:
    kind = OUTSIDE if one.kind is BoundKind.NONE else one.kind.value
    value = as_number(one.value)
    return {"bound": value, "bound_kind": kind, "name": one.name, "argument": one.argument}


def _refuted(family: Family, name: str, one: Bound) -> str:
    """Report a known schedule that contradicts a bound."""
    known = entries().get(name)
    best = known.upper[0].value if known and known.upper else None
    if best is None or not family.better(best, one.value):
        return ""
    return f"{one.name} is false: it claims {cell(one.value)}, but {cell(best)} is possible"


def _say(family: Family, name: str, found: list[Bound], brought_bounds: list[Bound]) -> None:
    side = "at most" if family.maximize else "at least"
    say(f"{name}: {family.objective} {side} {valued(family, found[0].value)}")
    for bound in [*found, *brought_bounds]:
        row = _row(bound)
        say(f"  {cell(bound.value):>8}  {row['bound_kind']}, {bound.name}: {bound.argument}")
