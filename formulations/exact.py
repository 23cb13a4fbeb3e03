"""Points of a program in fractions, checked without any rounding; no solver helps.

The numbers of a program are its doubles, which are fractions. A solver's point misses rows by its
tolerance, so fractions near it are tried: itself, simple ones, and the point at which the rows and
bounds that are tight there hold with equality.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isfinite

import numpy as np

from .dual import entries
from .program import Floats, Matrix

Point = tuple[Fraction, ...]

NEAR = 1e-5
"""A row or bound counts as tight within this part of its largest number, or of 1."""

SIMPLE = (1, 1000, 10**6)
"""Largest denominators of simple fractions."""

LARGEST = 400
"""Tight rows of more columns are not solved."""


def activity(program: Matrix, row: int, point: Sequence[Fraction]) -> Fraction:
    """Return what a row adds up to."""
    return sum((factor * point[j] for j, factor in entries(program.a, row)), Fraction(0))


def holds(program: Matrix, point: Sequence[Fraction]) -> bool:
    """Say whether a point satisfies all rows, bounds and integers exactly."""
    columns = zip(point, program.lower.tolist(), program.upper.tolist(), strict=True)
    if not all(_between(value, low, high) for value, low, high in columns):
        return False
    if any(point[j].denominator != 1 for j in np.flatnonzero(program.integer).tolist()):
        return False
    sides = zip(program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    return all(_between(activity(program, i, point), *side) for i, side in enumerate(sides))


def value(program: Matrix, point: Sequence[Fraction]) -> Fraction:
    """Return the objective at a point."""
    used = np.flatnonzero(program.cost).tolist()
    worth = sum((Fraction(float(program.cost[j])) * point[j] for j in used), Fraction(0))
    return worth + Fraction(program.offset)


def exact_point(program: Matrix, point: Floats) -> Point | None:
    """Return a point in fractions near a solver's point that holds exactly, or None."""
    if point.shape != program.lower.shape or not np.isfinite(point).all():
        return None
    whole = [
        Fraction(round(x) if integer else x)
        for x, integer in zip(point.tolist(), program.integer.tolist(), strict=True)
    ]
    near = [_clipped(program, [x.limit_denominator(most) for x in whole]) for most in SIMPLE]
    for guess in (_clipped(program, whole), *near):
        if holds(program, guess):
            return tuple(guess)
    corner = _corner(program, whole)
    return tuple(corner) if corner is not None and holds(program, corner) else None


def _between(value: Fraction, low: float, high: float) -> bool:
    return not (isfinite(low) and value < Fraction(low)) and not (
        isfinite(high) and value > Fraction(high)
    )


def _clipped(program: Matrix, point: list[Fraction]) -> list[Fraction]:
    """Return the point moved between its bounds."""
    lower, upper = program.lower.tolist(), program.upper.tolist()
    found = []
    for x, low, high in zip(point, lower, upper, strict=True):
        x = max(x, Fraction(low)) if isfinite(low) else x
        found.append(min(x, Fraction(high)) if isfinite(high) else x)
    return found


def _corner(program: Matrix, point: list[Fraction]) -> list[Fraction] | None:
    """Return the point at which what is tight holds with equality, integers and bounds first."""
    lower, upper = program.lower.tolist(), program.upper.tolist()
    fixed, free = {}, []
    for j, x in enumerate(point):
        tight = [b for b in (lower[j], upper[j]) if isfinite(b) and _near(x, b)]
        if program.integer[j] or tight:
            fixed[j] = x if program.integer[j] else Fraction(tight[0])
        else:
            free.append(j)
    if len(free) > LARGEST:
        return None
    known = [fixed.get(j, x) for j, x in enumerate(point)]
    for j, x in _solved(_tight(program, known, set(free)), known).items():
        known[j] = x
    return known


def _near(x: Fraction, side: float) -> bool:
    return abs(float(x) - side) <= NEAR * max(1.0, abs(side))


Equation = tuple[dict[int, Fraction], Fraction]


def _tight(program: Matrix, known: list[Fraction], free: set[int]) -> Iterator[Equation]:
    """Yield the tight rows as equations in the free columns, equalities first."""
    low, high = program.row_lower, program.row_upper
    for i in [*np.flatnonzero(low == high).tolist(), *np.flatnonzero(low != high).tolist()]:
        total = activity(program, i, known)
        sides = [side for side in (float(low[i]), float(high[i])) if isfinite(side)]
        side = next((side for side in sides if _near(total, side)), None)
        body = {j: factor for j, factor in entries(program.a, i) if j in free}
        if side is not None and body:
            yield body, Fraction(side) - total + sum(f * known[j] for j, f in body.items())


def _solved(equations: Iterator[Equation], known: list[Fraction]) -> dict[int, Fraction]:
    """Solve equations by elimination; one that contradicts those before it is left out.

    Columns that stay free keep the values that they have.
    """
    pivots: dict[int, Equation] = {}
    for body, side in equations:
        for j, (row, right) in pivots.items():
            if factor := body.get(j):
                body = {
                    k: v
                    for k in body.keys() | row.keys()
                    if (v := body.get(k, Fraction(0)) - factor * row.get(k, Fraction(0)))
                }
                side -= factor * right
        if body:
            j = max(body, key=lambda k: (abs(body[k]), -k))
            pivots[j] = {k: v / body[j] for k, v in body.items()}, side / body[j]
    found: dict[int, Fraction] = {}
    for j in reversed(pivots):
        body, side = pivots[j]
        others = ((k, v) for k, v in body.items() if k != j)
        found[j] = side - sum((v * found.get(k, known[k]) for k, v in others), Fraction(0))
    return found
