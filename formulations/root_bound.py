"""The bound of one program's linear relaxation, from duals that are summed in fractions.

The relaxation has to hold for every schedule up to its horizon. By default this is the end of a
schedule of a quick policy. An optimum never ends later, so the bound holds for the instance.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from ..families import FAMILIES
from ..instances import Bound, BoundKind, Limits, RefusedError, SolutionStatus
from ..instances.reading.vocabulary import find, short
from .adapters.solver import Solver
from .catalogue import Formulation
from .exact import dual_bound
from .matrix import matrix_of, relaxed, stated_matrix
from .named import build_named, parts
from .program import Caps, Matrix, Settings
from .solver_interface.solve import solve


@dataclass(frozen=True, slots=True, kw_only=True)
class RootBound:
    """A bound with the size of its program and the value before it is rounded."""

    bound: Bound
    program: str
    solver: str
    version: str | None
    ours: bool
    """True if the program is Ringyard's."""
    rows: int
    columns: int
    nonzeros: int
    horizon: int | None
    value: Fraction
    seconds: float


def root_bound(
    instance: Any,
    name: str,
    solver: Solver,
    settings: Settings,
    limits: Limits,
    horizon: int | None = None,
) -> RootBound:
    """Solve the relaxation of a program, and return its bound on the objective of the instance.

    Raises:
        RefusedError: If the program is not linear, has no bound for the instance, or its
            relaxation has none within the time limit.
    """
    program, change = parts(name)
    if program.form == "nonlinear":
        raise RefusedError(f"{program.name} is not linear, and only linear programs are relaxed")
    if reason := program.refuses(instance):
        raise RefusedError(f"{instance.name}: {reason}")
    horizon = last_end(instance) if horizon is None else horizon
    worth = worth_of(instance)
    if worth(instance, program, Fraction(0), horizon) is None:
        raise RefusedError(f"{program.name} is no relaxation of {instance.name}: it bounds nothing")
    matrix = relaxed(
        matrix_of(build_named(name, instance, horizon))
        if change
        else stated_matrix(instance, program, horizon)
    )
    began = time.perf_counter()
    value, why = _solved(matrix, solver, settings, limits, horizon)
    seconds = time.perf_counter() - began
    label = f"{short(name)}:{solver.name}"
    return RootBound(
        bound=Bound.by(
            BoundKind.DUAL if "exactly" in why else BoundKind.SOLVER,
            label,
            worth(instance, program, value, horizon) or value,
            f"linear relaxation{_over(horizon)}, {why}",
        ),
        program=short(name),
        solver=solver.name,
        version=solver.version,
        ours=program.ours,
        rows=len(matrix.rows),
        columns=len(matrix.columns),
        nonzeros=int(matrix.a.nnz),
        horizon=horizon,
        value=value,
        seconds=seconds,
    )


Worth = Callable[[Any, Formulation, Fraction, int | None], Fraction | None]
"""Turns the least value of a program, up to a horizon, into a bound on the objective."""


def last_end(instance: Any) -> int | None:
    """Return a horizon that an optimum needs not exceed, None if programs have no horizon."""
    home = _home(instance)
    found: int | None = home.root_horizon(instance) if hasattr(home, "root_horizon") else None
    return found


def worth_of(instance: Any) -> Worth:
    """Return the function that turns values of programs into those of the objective."""
    found: Worth = getattr(_home(instance), "root_worth", _worth)
    return found


def _home(instance: Any) -> Any:
    """Return the module of the family's methods that solve programs, or None."""
    own = next((one for one in FAMILIES[instance.kind].methods if one.formulation), None)
    return find(own.module) if own else None


def _worth(instance: Any, program: Formulation, value: Fraction, _: int | None) -> Fraction | None:
    """Return the bound on the objective, which programs minimise in other families' place."""
    if program.ours and not program.exact:
        return None
    return -value if FAMILIES[instance.kind].maximize else value


def _over(horizon: int | None) -> str:
    return "" if horizon is None else f" with horizon {horizon}"


def _solved(
    matrix: Matrix, solver: Solver, settings: Settings, limits: Limits, horizon: int | None
) -> tuple[Fraction, str]:
    """Return the bound of a relaxation with its argument, exact if the solver gives duals."""
    caps = Caps(time_s=limits.left_s(), threads=limits.threads, settings=settings)
    found = solve(matrix, solver, caps)
    if found.status is SolutionStatus.INFEASIBLE:
        no_point = f"{solver.name} finds no point in the relaxation{_over(horizon)}"
        raise RefusedError(f"{no_point}: give a later slot with --horizon" if horizon else no_point)
    exact = None if found.duals is None else dual_bound(matrix, found.duals)
    if exact is not None:
        return exact, "duals summed exactly"
    if found.bound is None or not isfinite(found.bound):
        raise RefusedError(f"{solver.name} gives no bound: {found.note or found.termination.value}")
    return Fraction(found.bound), f"as {solver.name} claims without duals"
