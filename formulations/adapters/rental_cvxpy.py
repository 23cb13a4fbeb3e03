"""CVXPY: the widths of jobs under a budget, as a convex program in hours and GPU-hours.

For class c, h_c is the hours and z_c the GPU-hours per hour of its work. It has z_c / h_c GPUs, at
least 1 and at most 10^6. Minimise the mean completion time, sum_c p_c h_c, with sum_c rho_c z_c <=
b and, by model of the speed-up s,

perspective, work is done: h s(z / h) >= 1, which is concave in (h, z) where s is concave
    power law      z^q h^(1-q) >= 1, a power cone
    Amdahl         (1-f) / h + f / z <= 1
    table          a h + c z >= 1 for every piece a + c k of s
closed, h as a function of z
    power law      h >= z^(-q/(1-q))
    Amdahl         h >= (1-f) + f (1-f) / (z-f)
    table          the same as above, for every side of the hull of its points

The solver sees hours and GPU-hours relative to a nearly right plan, close to 1: the numbers
themselves can differ by a factor of a million.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from ...instances import NO_LIMITS, Amdahl, Limits, PowerLaw, RefusedError, SpeedTable
from ...instances.speedup import MOST_GPUS
from ..program import Floats
from ..rental.widths import Classes, Menu, points, usual
from .conic import solve_quietly

Form = Literal["perspective", "closed"]

SETTINGS: dict[str, dict[str, float]] = {
    "CLARABEL": {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11},
    "SCS": {"eps_abs": 1e-9, "eps_rel": 1e-9, "eps_infeas": 1e-9, "max_iters": 200_000},
}
"""Conic solvers with power cones, and the accuracy requested."""

CLOCK = {"CLARABEL": "time_limit", "SCS": "time_limit_secs"}


class Convex(NamedTuple):
    """The solution of the convex program."""

    mean_jct: float
    price: float
    """Hours that the mean completion time falls by for one more GPU."""
    h: Floats
    z: Floats
    exact: bool
    """True if the solver reached the requested accuracy."""


def solve_convex(
    classes: Classes,
    budget: float,
    form: Form = "perspective",
    limits: Limits = NO_LIMITS,
    solver: str = "CLARABEL",
) -> Convex | None:
    """Return the best hours and GPU-hours for an hour of work, None if the budget is too small.

    Raises:
        RefusedError: If the solver gives up.
        TimeoutError: If the time is up.
    """
    import cvxpy

    scales = usual(classes, budget, limits)
    h, z = cvxpy.Variable(len(classes.load)), cvxpy.Variable(len(classes.load))
    mean = float(classes.cost @ scales.h)
    spent = (classes.load * scales.z / budget) @ z <= 1
    least, most = cvxpy.multiply(1 / scales.gpus, h), cvxpy.multiply(scales.gpus / MOST_GPUS, z)
    rows = [spent, z >= least, most <= h]
    rows += [*_least(classes, scales, h, z), *_tables(classes, scales, h, z)]
    rows += (_perspective if form == "perspective" else _closed)(classes, scales, h, z)
    problem = cvxpy.Problem(cvxpy.Minimize((classes.cost * scales.h / mean) @ h), rows)
    status = _solve(problem, solver, limits.left_s())
    if status in ("infeasible", "infeasible_inaccurate"):
        return None
    if status not in ("optimal", "optimal_inaccurate"):
        raise RefusedError(f"{solver} gives up on this program ({status}), use boa")
    return Convex(
        float(problem.value) * mean,
        float(spent.dual_value) * mean / budget,
        h.value * scales.h,
        z.value * scales.z,
        status == "optimal",
    )


def _solve(problem: Any, solver: str, time_s: float | None) -> str:
    """Return CVXPY's word for how the solver ended."""
    limit = {} if time_s is None else {CLOCK[solver]: max(time_s, 1e-9)}
    reason = solve_quietly(problem, solver, {**SETTINGS[solver], **limit})
    if reason is not None:
        return reason.split(".")[0]
    if problem.status == "user_limit":
        raise TimeoutError(f"the time limit ended before {solver} finished")
    return str(problem.status)


def _perspective(classes: Classes, scales: Menu, h: Any, z: Any) -> list[Any]:
    import cvxpy

    rows: list[Any] = []
    power, q = _between(classes, PowerLaw)
    if power:
        rows.append(cvxpy.PowCone3D(z[power], h[power], np.ones(len(power)), q))
    amdahl, f = _between(classes, Amdahl)
    if amdahl:
        alone = cvxpy.multiply((1 - f) / scales.h[amdahl], cvxpy.inv_pos(h[amdahl]))
        rows.append(alone + cvxpy.multiply(f / scales.z[amdahl], cvxpy.inv_pos(z[amdahl])) <= 1)
    return rows


def _closed(classes: Classes, scales: Menu, h: Any, z: Any) -> list[Any]:
    import cvxpy

    rows: list[Any] = []
    for c, q in zip(*_between(classes, PowerLaw), strict=True):
        rows.append(h[c] >= cvxpy.power(z[c], -q / (1 - q), approx=False))
    for c, f in zip(*_between(classes, Amdahl), strict=True):
        least, more = (1 - f) / scales.h[c], f / scales.z[c]
        rows.append(h[c] >= least + least * more * cvxpy.inv_pos(z[c] - more))
    return rows


def _between(classes: Classes, model: type[PowerLaw] | type[Amdahl]) -> tuple[list[int], Floats]:
    """Return the classes of a model whose shapes are neither 0 nor 1, with the shapes."""
    shapes = classes.shapes()
    places = [c for c in classes.of(model) if 0 < shapes[c] < 1]
    return places, shapes[places]


def _least(classes: Classes, scales: Menu, h: Any, z: Any) -> list[Any]:
    """Return the least hours and GPU-hours. For shapes 0 and 1 they are all rows."""
    power, amdahl = classes.of(PowerLaw), classes.of(Amdahl)
    laws = power + amdahl
    rows: list[Any] = [z[laws] >= 1 / scales.z[laws]] if laws else []
    if amdahl:
        rows.append(h[amdahl] >= (1 - classes.shapes()[amdahl]) / scales.h[amdahl])
    return rows


def _tables(classes: Classes, scales: Menu, h: Any, z: Any) -> list[Any]:
    import cvxpy

    curves = enumerate(classes.curves)
    tables = [(c, curve) for c, curve in curves if isinstance(curve, SpeedTable)]
    pieces = [(c, *side) for c, table in tables for side in sides(*points(table))]
    if not pieces:
        return []
    places, at_none, more = (list(column) for column in zip(*pieces, strict=True))
    own = cvxpy.multiply(np.array(at_none) * scales.h[places], h[places])
    return [own + cvxpy.multiply(np.array(more) * scales.z[places], z[places]) >= 1]


def sides(gpus: Floats, speed: Floats) -> list[tuple[float, float]]:
    """Return the pieces a + c k of the least concave speed-up above a table, to its top."""
    top, now, found = int(speed.argmax()), 0, []
    while now < top:
        slopes = (speed[now + 1 : top + 1] - speed[now]) / (gpus[now + 1 : top + 1] - gpus[now])
        steepest = float(slopes.max())
        found.append((float(speed[now] - steepest * gpus[now]), steepest))
        now += 1 + int(np.flatnonzero(slopes == steepest)[-1])
    return [*found, (float(speed[top]), 0.0)]
