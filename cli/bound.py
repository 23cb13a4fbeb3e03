"""`ringyard bound`: proved bounds."""

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..extensions.bounds import GROUP, bounds_by, find_bound
from ..extensions.entry_points import named
from ..families import Family, family_of
from ..instances import Bound, BoundKind, Instance, Limits, digest
from ..instances.arguments import at_least_one, time_limit_problems
from ..instances.catalogue import entries, load
from ..instances.errors import InputError, Problem, raise_any
from ..instances.reading.encode import as_number
from ..interrupts import keeping
from .shared.options import AsJson, Whole, place_problems
from .shared.output import cell, emit, note, say
from .shared.verdicts import bounded, write_certificate

if TYPE_CHECKING:
    from ..formulations.adapters.solver import Solver
    from ..formulations.program import Settings
    from ..formulations.root_bound import RootBound

OUTSIDE = "external, not certified"
"""Kind of a bound from a user's function or another package."""


def bound_command(
    instance: str,
    /,
    *,
    time_limit: float | None = None,
    by: tuple[str, ...] = (),
    horizon: Whole | None = None,
    metric: str | None = None,
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
        Compute this bound as well: a name from `ringyard list bounds`, your function as
        FILE.py:FUNCTION or MODULE:FUNCTION, or the linear relaxation of PROGRAM:SOLVER, such as
        linearised:highs. May be repeated. Such a bound is not certified.
    horizon
        Last slot of relaxations, by default the end of a schedule that a quick policy finds.
    metric
        Bound this metric instead of the objective, such as makespan_s of a trace.
    certificate
        Write the proof of the best bound that has one to this file, for `ringyard check`.
    """
    problems = time_limit_problems(time_limit)
    problems += at_least_one("--horizon", horizon)
    raise_any("ringyard bound", problems + place_problems("--certificate", instance, certificate))

    programs = {name: one for name in by if (one := _program(name))}
    calls = [find_bound(name) for name in by if name not in programs]
    if horizon is not None and not programs:
        advice = "add --by PROGRAM:SOLVER, such as --by linearised:highs"
        raise InputError.of("ringyard bound", "--horizon", horizon, "a program to relax", advice)
    problem = load(instance)
    family = family_of(problem)
    if metric is not None:
        more = {"--time-limit": time_limit, "--by": by or None, "--horizon": horizon}
        return _bound_metric(problem, metric, certificate, more, json=json)
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
    roots = [] if interrupted else _roots(problem, list(programs.values()), limits, horizon)
    rows = [_row(one) for one in found]
    if json:
        head = {"instance": problem.name, "digest": digest(problem), **rows[0], "all": rows}
        head |= {"outside": [_row(one) for one in brought_bounds]} if by else {}
        emit({**head, **({"programs": list(map(_root_row, roots))} if programs else {})})
    else:
        _say(family, problem.name, found, brought_bounds, roots)
    proved = certificate is None or write_certificate(problem, found, certificate) is not None
    others = [*brought_bounds, *(one.bound for one in roots)]
    missing += [_refuted(family, problem.name, one) for one in others]
    for line in filter(None, missing):
        note(line)
    return 130 if interrupted else 0 if proved else 3


def _bound_metric(
    problem: Instance,
    metric: str,
    certificate: Path | None,
    more: Mapping[str, object],
    *,
    json: bool,
) -> int:
    """Print the bounds on a metric, and write the certificate of the best."""
    family = family_of(problem)
    problems = [
        Problem(option, value, "no such option together with --metric", "leave it out")
        for option, value in more.items()
        if value is not None
    ]
    if metric not in family.bounded:
        known = ", ".join(family.bounded)
        expected = f"one of {known}" if known else f"none: no metric of `{family.kind}` has bounds"
        problems.append(Problem("--metric", metric, expected, "correct it or leave it out"))
    raise_any("ringyard bound", problems)
    found = family.bounded[metric].bounds(problem)
    rows = [_row(one) for one in found]
    if json:
        head = {"instance": problem.name, "digest": digest(problem), "metric": metric}
        emit({**head, **rows[0], "all": rows})
    else:
        say(f"{problem.name}: {bounded(family, metric, 'at least', found[0].value)}")
        _say_rows([(one.value, row) for one, row in zip(found, rows, strict=True)])
    if certificate is not None:
        write_certificate(problem, found, certificate, metric)
    return 0


def _program(name: str) -> "tuple[str, Solver, Settings] | None":
    """Return a program with its solver and options, None if the name means a function."""
    if name.partition(":")[0] in named(GROUP):
        return None
    from ..formulations.named import find_program

    return find_program(name)


def _roots(
    instance: Instance,
    programs: "list[tuple[str, Solver, Settings]]",
    limits: Limits,
    horizon: int | None,
) -> "list[RootBound]":
    if not programs:
        return []
    from ..formulations.root_bound import root_bound

    return [root_bound(instance, *program, limits, horizon) for program in programs]


def _root_row(one: "RootBound") -> dict[str, Any]:
    """Return the bound of a relaxation and the size of its program."""
    shown = {field.name: getattr(one, field.name) for field in fields(one)}
    bound = _row(one.bound) | ({} if one.ours else {"bound_kind": OUTSIDE})
    del shown["bound"], shown["ours"]
    return {**bound, **shown, "value": as_number(one.value), "seconds": round(one.seconds, 6)}


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


def _say(
    family: Family,
    name: str,
    found: list[Bound],
    brought_bounds: list[Bound],
    roots: "list[RootBound]",
) -> None:
    side = "at most" if family.maximize else "at least"
    say(f"{name}: {bounded(family, '', side, found[0].value)}")
    shown = [(one.value, _row(one)) for one in [*found, *brought_bounds]]
    _say_rows([*shown, *((one.bound.value, _root_row(one)) for one in roots)])


def _say_rows(rows: list[tuple[Fraction, dict[str, Any]]]) -> None:
    for value, row in rows:
        say(f"  {cell(value):>8}  {row['bound_kind']}, {row['name']}: {row['argument']}")
