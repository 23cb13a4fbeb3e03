"""Programs by number, of all formulations, from instances with nasty numbers and then changed.

Changes are those at which presolves have erred: rows left out, rows in other units, costs drawn
anew, columns fixed, freed, turned or made whole, near ties, and sides moved so that a point holds.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
from exact import tiny_instance
from family_draws import DRAWN
from family_draws import drawn as nasty_other
from pyomo.common.errors import PyomoException

from ringyard.families import FAMILIES
from ringyard.formulations.catalogue import all_formulations
from ringyard.formulations.exact import Point, activity, holds
from ringyard.formulations.named import build_named
from ringyard.formulations.program import Matrix
from ringyard.formulations.solver_interface.solve import program_of, scaled
from ringyard.instances.errors import RingyardError

MOST = 1500
"""Coefficients of a program; with more, engines take too long."""

ATTEMPTS = 30
"""Draws of an instance for one formulation."""

VARIANTS = 10
"""Programs made of one instance: itself, and changes of it."""

NAMES = tuple(
    (one.family, name)
    for one in all_formulations()
    if one.form != "nonlinear"
    for name in (
        ["disjunctive-bigm", "disjunctive-hull"] if one.name == "disjunctive" else [one.name]
    )
)
"""Families and programs, also with their transformations."""

Change = Callable[[Matrix, np.random.Generator], Matrix]


def instance_of(family: str, seed: int, index: int) -> Any:
    """Draw a small instance, as nasty as the family's drawing code makes them."""
    if family == "makespan":
        return tiny_instance(seed, index)
    if family in DRAWN and index % 2:
        return nasty_other(family, seed, index)
    draw = FAMILIES[family].drawn
    assert draw is not None
    return draw(seed, index)


@lru_cache(maxsize=1)
def base(seed: int, index: int) -> tuple[str, Matrix]:
    """Return the first program of drawn instances that is none too large.

    Where many in turn cannot be stated, the next formulation is taken.
    """
    for attempt in count():
        family, name = NAMES[(index + attempt // ATTEMPTS) % len(NAMES)]
        rng = np.random.default_rng([seed, index, attempt])
        horizon = int(rng.integers(2, 9)) if family in ("makespan", "trace") else None
        try:
            drawn = instance_of(family, seed, int(rng.integers(10**6)))
            made = program_of(build_named(name, drawn, horizon))
        except (RingyardError, PyomoException):  # Pyomo takes no row without columns.
            continue
        if isinstance(made, Matrix) and made.columns and made.a.nnz <= MOST:
            return f"{name}, horizon {horizon}" if horizon else name, made
    raise AssertionError("unreachable")


def program(seed: int, index: int) -> tuple[str, Matrix, Point | None]:
    """Return what a program is, itself, and a point that holds if one is planted."""
    rng = np.random.default_rng([seed, index])
    what, made = base(seed, index // VARIANTS)
    number = 0 if index % VARIANTS == 0 else int(rng.integers(1, 5))
    chosen = rng.choice(sorted(CHANGES), number, replace=False).tolist()
    for change in chosen:
        made = CHANGES[change](made, rng)
    made, point = planted(made, rng) if number and rng.random() < 0.4 else (made, None)
    told = [what, *chosen, *["planted"] * bool(point)]
    small = scaled(made)
    if small.matrix is not made:
        made, point = small.matrix, None if point is None else _into(point, small.column)
    return ", ".join(told), made, point if point and holds(made, point) else None


def _into(point: Point, column: Any) -> Point:
    return tuple(x / Fraction(float(factor)) for x, factor in zip(point, column, strict=True))


def planted(made: Matrix, rng: np.random.Generator) -> tuple[Matrix, Point | None]:
    """Move the sides of rows until a drawn point holds."""
    low = np.where(np.isfinite(made.lower), made.lower, np.minimum(made.upper, 0.0) - 3)
    high = np.where(np.isfinite(made.upper), made.upper, np.maximum(low, 0.0) + 3)
    high = np.where(rng.random(len(low)) < 0.5, low, high)
    drawn = np.rint(low + (high - low) * rng.random(len(low)))
    values = np.clip(drawn, np.ceil(made.lower), np.floor(made.upper))
    if not np.isfinite(values).all():
        return made, None
    point = tuple(map(Fraction, values.tolist()))
    sums = [activity(made, i, point) for i in range(len(made.rows))]
    if any(Fraction(float(total)) != total for total in sums):
        return made, None
    there = np.array([float(total) for total in sums])
    moved = replace(
        made,
        row_lower=np.minimum(made.row_lower, there),
        row_upper=np.maximum(made.row_upper, there),
    )
    equal = (made.row_lower == made.row_upper) & (made.row_lower != there)
    moved.row_lower[equal] = moved.row_upper[equal] = there[equal]
    return moved, point if holds(moved, point) else None


def some(size: int, rng: np.random.Generator) -> Any:
    """Draw places: few, or half of them."""
    return rng.random(size) < rng.choice([0.05, 0.2, 0.5])


def fewer_rows(made: Matrix, rng: np.random.Generator) -> Matrix:
    kept = np.flatnonzero(~some(len(made.rows), rng))
    return replace(
        made,
        rows=tuple(made.rows[i] for i in kept),
        a=made.a[kept],
        row_lower=made.row_lower[kept],
        row_upper=made.row_upper[kept],
    )


def other_units(made: Matrix, rng: np.random.Generator) -> Matrix:
    size = len(made.rows)
    units = np.where(some(size, rng), rng.choice([1e-3, 0.1, 3, 7, 1e3, 1 / 3], size), 1.0)
    a = made.a.copy()
    a.data = a.data * np.repeat(units, np.diff(a.indptr))
    return replace(made, a=a, row_lower=made.row_lower * units, row_upper=made.row_upper * units)


def other_costs(made: Matrix, rng: np.random.Generator) -> Matrix:
    size = len(made.columns)
    new = rng.integers(-9, 10, size) * rng.choice([1.0, 1.0, 1 / 3, 1e3])
    return replace(made, cost=np.where(some(size, rng), new, made.cost))


def no_costs(made: Matrix, rng: np.random.Generator) -> Matrix:
    return replace(made, cost=np.where(some(len(made.columns), rng), 0.0, made.cost))


def fixed(made: Matrix, rng: np.random.Generator) -> Matrix:
    side = made.lower if rng.random() < 0.5 else made.upper
    where = some(len(side), rng) & np.isfinite(side)
    return replace(
        made,
        lower=np.where(where, side, made.lower),
        upper=np.where(where, side, made.upper),
    )


def freed(made: Matrix, rng: np.random.Generator) -> Matrix:
    where = some(len(made.columns), rng)
    if rng.random() < 0.5:
        return replace(made, upper=np.where(where, np.inf, made.upper))
    return replace(made, lower=np.where(where, -np.inf, made.lower))


def turned(made: Matrix, rng: np.random.Generator) -> Matrix:
    """Put minus the column in the place of some columns."""
    where = some(len(made.columns), rng)
    a = made.a.copy()
    a.data = np.where(where[a.indices], -a.data, a.data)
    return replace(
        made,
        a=a,
        cost=np.where(where, -made.cost, made.cost),
        lower=np.where(where, -made.upper, made.lower),
        upper=np.where(where, -made.lower, made.upper),
    )


def whole(made: Matrix, rng: np.random.Generator) -> Matrix:
    return replace(made, integer=made.integer | some(len(made.columns), rng))


def loose(made: Matrix, rng: np.random.Generator) -> Matrix:
    where = some(len(made.columns), rng) | (rng.random() < 0.3)
    return replace(made, integer=made.integer & ~where)


def near_ties(made: Matrix, rng: np.random.Generator) -> Matrix:
    a = made.a.copy()
    factor = 1 + rng.choice([-1e-10, 1e-10, 1e-4, -1e-4, 1e-3], a.nnz)
    a.data = np.where(some(a.nnz, rng), a.data * factor, a.data)
    return replace(made, a=a)


def other_sides(made: Matrix, rng: np.random.Generator) -> Matrix:
    step = rng.choice([-1.0, 1.0, 0.5, 1e-3], len(made.rows)) * some(len(made.rows), rng)
    return replace(made, row_lower=made.row_lower + step, row_upper=made.row_upper + step)


def shuffled(made: Matrix, rng: np.random.Generator) -> Matrix:
    rows, columns = rng.permutation(len(made.rows)), rng.permutation(len(made.columns))
    a = made.a[rows][:, columns].tocsr()
    a.sort_indices()
    return replace(
        made,
        rows=tuple(made.rows[i] for i in rows),
        columns=tuple(made.columns[j] for j in columns),
        a=a,
        cost=made.cost[columns],
        lower=made.lower[columns],
        upper=made.upper[columns],
        integer=made.integer[columns],
        row_lower=made.row_lower[rows],
        row_upper=made.row_upper[rows],
    )


CHANGES: dict[str, Change] = {
    "fewer rows": fewer_rows,
    "other units": other_units,
    "other costs": other_costs,
    "no costs": no_costs,
    "fixed": fixed,
    "freed": freed,
    "turned": turned,
    "whole": whole,
    "loose": loose,
    "near ties": near_ties,
    "other sides": other_sides,
    "shuffled": shuffled,
}
"""By name; up to four are made."""
