"""`check_formulation`: the check that a program states what its family's judge checks."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from math import isclose
from typing import Any, NamedTuple

import numpy as np

from ..analysis.check import check
from ..extensions.programs import held_program
from ..families import FAMILIES, Program
from ..formulations.adapters.solver import Solver
from ..formulations.catalogue import Formulation
from ..formulations.matrix import point_of, set_point
from ..formulations.named import build_named, find_program, parts
from ..formulations.program import TOLERANCE, Caps, Floats, Matrix
from ..formulations.program import Program as Stated
from ..formulations.root_bound import last_end, root_bound, worth_of
from ..formulations.solver_interface.checked import checker_of
from ..formulations.solver_interface.solve import find_solver, program_of, solve
from ..instances import InputError, Limits, RefusedError, SolutionStatus
from ..instances.errors import RingyardError
from ..methods import all_methods
from ..run import solve as answer_of
from .cases import TRIES, drawn_cases, named_cases
from .report import CheckReport

POLICIES = 4
"""Policies whose schedules are written into the program."""


class _Known(NamedTuple):
    """Checked schedules of an instance, with the best value and True if it is proved."""

    schedules: list[Any]
    best: Fraction
    proved: bool


def check_formulation(
    program: Program | str,
    *,
    instances: Iterable[Any] | None = None,
    draws: int = 5,
    seed: int = 0,
    time_limit: float = 10.0,
) -> CheckReport:
    """Check a program on named and random instances. Raise `AssertionError` if it fails.

    It must be possible to build and solve it, and to read its points. If the program is exact, they
    are schedules that the judge accepts. A checked schedule that is written into it breaks no row,
    has the judge's value, and is read again. Its optimum is that of an exact method, its relaxation
    never exceeds a known value, and a horizon one slot too short leaves no point.

    By default there are up to `draws` named instances and the same number of random ones that the
    program does not refuse. `time_limit` is in seconds for each method and each call of a solver.
    """
    text = held_program(program).name if isinstance(program, Program) else program
    name, solver, _ = find_program(text) or (text, find_solver("highs"), ())
    stated, change = parts(name)
    name += "-bigm" if stated.form == "disjunctive" and not change else ""
    report = CheckReport(f"{stated.name} for {stated.family}")
    family = FAMILIES[stated.family]
    if instances is not None:
        for one in instances:
            _try(report, stated, name, solver, one, time_limit)
    else:
        for pool in (named_cases(family), drawn_cases(family, seed)):
            enough = report.tried + draws
            for one in islice(pool, TRIES * draws):
                _try(report, stated, name, solver, one, time_limit)
                if report.tried == enough:
                    break
    if not report.tried:
        report.problems.append("it refuses every instance")
    return report.settled()


def _try(
    report: CheckReport,
    program: Formulation,
    name: str,
    solver: Solver,
    instance: Any,
    time_limit: float,
) -> None:
    """Check the program of an instance, and put what is wrong into the report."""
    try:
        if FAMILIES[program.family].refusal(instance) or program.refuses(instance):
            report.refused += 1
            return
        found = list(_problems(program, name, solver, instance, time_limit))
        report.tried += 1
        report.problems += [f"{instance.name}: {problem}" for problem in found]
    except RefusedError:
        report.refused += 1
    except RingyardError as error:
        report.problems.append(f"{instance.name}: {error}")


def _problems(
    program: Formulation, name: str, solver: Solver, instance: Any, time_limit: float
) -> Iterator[str]:
    """Yield what is wrong with a program of an instance."""
    known, family = _known(instance, time_limit), FAMILIES[instance.kind]
    horizon, written = last_end(instance), known.schedules
    if horizon is not None and family.horizon:
        horizon = 1 + max(horizon, *(int(_value(instance, one)) for one in written))
    elif horizon is not None:  # Worse schedules may end later.
        written = [one for one in written if _value(instance, one) == known.best]
    model = build_named(name, instance, horizon)
    try:
        stated = program_of(model)
    except RefusedError as error:
        yield str(error)
        return
    if program.exact:
        # A hull has variables of its own, which `write` does not know.
        for schedule in written if parts(name)[1] != "gdp.hull" else ():
            yield from _written(program, instance, schedule, model, stated, horizon)
        yield from _relaxed(program, name, instance, known, time_limit)
    found = solve(stated, solver, Caps(time_s=time_limit))
    if found.point is None or found.value is None:
        if found.status is SolutionStatus.INFEASIBLE and program.exact:
            yield "it has no point, but a schedule is known"
        return
    set_point(model, stated, found.point)
    verdict = check(instance, program.read(model))
    if not program.exact:  # Schedules of relaxations may break rules.
        return
    broken = [one.rule for one in verdict.violations if not _tiny(one.amount)]
    if broken:
        yield f"a point of the solver is no valid schedule: {broken[0]}"
    else:
        value = _worth(program, instance, found.value, horizon)
        done = found.status is SolutionStatus.OPTIMAL and known.proved
        if done and not _near(value, known.best):
            yield f"its optimum is {float(value):g}, but that of the instance is {known.best}"
        elif not _near(value, verdict.objective):
            yield f"a point is worth {float(value):g}, but its schedule {verdict.objective}"
        if family.horizon and known.proved and known.best > 1:
            yield from _cut(name, solver, instance, known, time_limit)


def _known(instance: Any, time_limit: float) -> _Known:
    """Return schedules of policies and of exact methods that use no solver."""
    family = FAMILIES[instance.kind]
    methods = [one for one in all_methods(family.kind) if not one.solver]
    policies = [one.name for one in methods if one.kind == "policy"][:POLICIES]
    exact = [one.name for one in methods if one.guarantee == "optimal"]
    found: list[tuple[Fraction, Any]] = []
    for name in (*policies, family.default, *exact):
        try:
            answer = answer_of(instance, name, time_limit=time_limit)
        except RingyardError:
            continue
        if answer.valid and answer.objective is not None:
            found.append((answer.objective, answer.schedule))
            if answer.status == "optimal":
                return _Known([one for _, one in found], answer.objective, True)
    if not found:
        raise RefusedError(f"{instance.name}: no method gives a schedule")
    values = [value for value, _ in found]
    best = max(values) if family.maximize else min(values)
    return _Known([one for _, one in found], best, False)


def _written(
    program: Formulation,
    instance: Any,
    schedule: Any,
    model: Any,
    stated: Stated,
    horizon: int | None,
) -> Iterator[str]:
    """Write a checked schedule into a model, and yield what is wrong there."""
    try:
        program.write(model, schedule)
    except InputError:  # It has no columns for this schedule, as for some that are not the best.
        return
    point, checker = point_of(model, stated), checker_of(stated)
    by, right = schedule.method or "a checked", _value(instance, schedule)
    if checker.violation(point) > TOLERANCE:
        row = _worst(stated, point)
        yield f"the schedule of {by} is valid, but breaks {row}"
        return
    value = _worth(program, instance, checker.value(point), horizon)
    if not _near(value, right):
        yield f"the schedule of {by} is worth {right}, but {float(value):g} in the program"
    again = check(instance, program.read(model))
    if not again.valid or again.objective != right:
        yield f"the schedule of {by} is read as another one"


def _worst(stated: Stated, point: Floats) -> str:
    """Return the name of the row or column that a point breaks most."""
    if not isinstance(stated, Matrix):
        return "a row"
    rows = np.asarray(stated.a @ point)
    misses = np.maximum(stated.row_lower - rows, rows - stated.row_upper)
    if len(misses) and misses.max() > TOLERANCE:
        return f"the row {stated.rows[int(misses.argmax())]}"
    misses = np.maximum(stated.lower - point, point - stated.upper)
    if misses.max() > TOLERANCE:
        return f"the bounds of {stated.columns[int(misses.argmax())]}"
    return "the demand for integers"


def _relaxed(
    program: Formulation, name: str, instance: Any, known: _Known, time_limit: float
) -> Iterator[str]:
    if program.form == "nonlinear":
        return
    limits = Limits(time_s=time_limit)
    try:
        bound = root_bound(instance, name, find_solver("highs"), (), limits).bound
    except RefusedError:  # It has no point, which other checks find.
        return
    if FAMILIES[instance.kind].better(known.best, bound.value):
        yield f"its relaxation claims {float(bound.value):g}, but {known.best} is possible"


def _cut(
    name: str, solver: Solver, instance: Any, known: _Known, time_limit: float
) -> Iterator[str]:
    """Yield a problem if there is a point with a horizon that is one slot too short."""
    early = int(known.best) - 1
    try:
        stated = program_of(build_named(name, instance, early))
    except RefusedError:
        return
    if solve(stated, solver, Caps(time_s=time_limit)).point is not None:
        yield f"with horizon {early} it has a point, but no schedule ends before {known.best}"


def _worth(program: Formulation, instance: Any, value: float, horizon: int | None) -> Fraction:
    whole = round(value)
    near = Fraction(whole if abs(value - whole) <= TOLERANCE * max(1.0, abs(value)) else value)
    return worth_of(instance)(instance, program, near, horizon) or near


def _value(instance: Any, schedule: Any) -> Fraction:
    found: Fraction = check(instance, schedule).objective
    return found


def _tiny(amount: Any) -> bool:
    """Return True if a solver's tolerance may explain the amount of a violation."""
    return amount is not None and abs(amount) <= TOLERANCE


def _near(value: Fraction, right: Fraction | None) -> bool:
    return right is not None and isclose(value, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
