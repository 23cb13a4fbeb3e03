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

OUTSIDE = "outside, not certified"
"""The kind of a bound of a user or of another package."""


def bound_command(
    instance: str,
    /,
    *,
    time_limit: float | None = None,
    by: tuple[str, ...] = (),
    certificate: Path | None = None,
    json: AsJson = False,
) -> int:
    """Compute proved bounds: lower ones on a makespan or a mean, upper ones on a utility.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    time_limit
        Seconds to spend on stronger bounds, by column generation; those that count take none.
    by
        Ask this bound as well: one of another package, from `ringyard list bounds`, or a function
        of yours, as FILE.py:FUNCTION or MODULE:FUNCTION; may be repeated. Nothing certifies what
        it says.
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
            interrupted, missing = True, ["interrupted: the stronger bounds are left out"]
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
    """Report that a schedule is known that a bound excludes."""
    known = entries().get(name)
    best = known.upper[0].value if known and known.upper else None
    if best is None or not family.better(best, one.value):
        return ""
    return f"{one.name} is false: it says {cell(one.value)}, and {cell(best)} is possible"


def _say(family: Family, name: str, found: list[Bound], brought_bounds: list[Bound]) -> None:
    side = "at most" if family.maximize else "at least"
    say(f"{name}: {family.objective} {side} {valued(family, found[0].value)}")
    for bound in [*found, *brought_bounds]:
        row = _row(bound)
        say(f"  {cell(bound.value):>8}  {row['bound_kind']}, {bound.name}: {bound.argument}")
