"""Bounds and points of a program in exact arithmetic, which hold whatever a solver's rounding did.

Any row duals y give one: ``c x = y (A x) + (c - y A) x`` for every point x, and each term on the
right is at least what one of the bounds of its row or column allows. No assumption about y is
needed, and duals near the best give a bound near the best.

The numbers of a program are its doubles, which are fractions. A solver's point misses rows by its
tolerance, so fractions near it are tried: itself, simple ones, and the point at which the rows and
bounds that are tight there hold with equality.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, repeat
from math import isfinite, lcm
from typing import Any, NamedTuple

import numpy as np

from .program import Floats, Matrix


class Exact(NamedTuple):
    """Numbers as integers over one denominator."""

    above: list[int]
    below: int

    def dot(self, other: "Exact") -> Fraction:
        """Return the sum of products."""
        products = (x * y for x, y in zip(self.above, other.above, strict=True))
        return Fraction(sum(products), self.below * other.below)


Duals = dict[int, Fraction]
"""Duals by row. The other rows have dual 0."""


def dual_bound(matrix: Matrix, duals: Floats) -> Fraction | None:
    """Return a lower bound on a linear program, and so on the program with integers.

    Duals of a sign that their row cannot have are set to 0. If a reduced cost pulls towards an
    infinite bound, duals are changed a little. The result is None if this fails, as with many such
    columns in common rows. Columns with two finite bounds need no mending.
    """
    y = _signed(matrix, duals)
    reduced = _reduced(matrix, y)
    if any(_wrong(matrix, j, cost) for j, cost in enumerate(reduced.above)):
        repaired = _repaired(matrix, y, reduced)
        if repaired is None:
            return None
        y = {i: value for i, value in repaired.items() if value}
        reduced = _reduced(matrix, y)
    sides = [matrix.row_lower[i] if value > 0 else matrix.row_upper[i] for i, value in y.items()]
    used = [j for j, cost in enumerate(reduced.above) if cost]
    bounds = [(matrix.lower if reduced.above[j] > 0 else matrix.upper)[j] for j in used]
    columns = Exact([reduced.above[j] for j in used], reduced.below)
    rows = _exact(value.as_integer_ratio() for value in y.values())
    return Fraction(matrix.offset) + rows.dot(_floats(sides)) + columns.dot(_floats(bounds))


def _exact(ratios: Iterable[tuple[int, int]]) -> Exact:
    pairs = list(ratios)
    below = lcm(*{bottom for _, bottom in pairs})
    return Exact([top * (below // bottom) for top, bottom in pairs], below)


def _floats(values: Iterable[float]) -> Exact:
    return _exact(float(value).as_integer_ratio() for value in values)


def _signed(matrix: Matrix, duals: Floats) -> Duals:
    sides = np.where(duals > 0, matrix.row_lower, matrix.row_upper)
    usable = np.isfinite(duals) & np.isfinite(sides) & (duals != 0)
    return {int(i): Fraction(float(duals[i])) for i in np.flatnonzero(usable)}


def _reduced(matrix: Matrix, y: Duals) -> Exact:
    """Return ``c - y A``."""
    part = matrix.a[np.array(list(y), dtype=np.int64)]
    entries, cost = _floats(part.data.tolist()), _floats(matrix.cost.tolist())
    weights = _exact(value.as_integer_ratio() for value in y.values())
    sums = [0] * len(matrix.columns)
    lengths = np.diff(part.indptr).tolist()
    by_entry = chain.from_iterable(map(repeat, weights.above, lengths))
    for column, entry, weight in zip(part.indices.tolist(), entries.above, by_entry, strict=True):
        sums[column] += entry * weight
    below = lcm(cost.below, entries.below * weights.below)
    more, less = below // cost.below, below // (entries.below * weights.below)
    return Exact([more * c - less * s for c, s in zip(cost.above, sums, strict=True)], below)


def _wrong(matrix: Matrix, column: int, cost: int | Fraction) -> bool:
    """Return True if a reduced cost pulls its column towards an infinite bound."""
    if cost == 0:
        return False
    return bool(np.isinf((matrix.lower if cost > 0 else matrix.upper)[column]))


def _repaired(matrix: Matrix, y: Duals, reduced: Exact) -> Duals | None:
    """Bring each wrong reduced cost to 0 by one dual of its column, otherwise shrink all duals."""
    endless = np.flatnonzero(np.isinf(matrix.lower) | np.isinf(matrix.upper)).tolist()
    costs = {j: Fraction(reduced.above[j], reduced.below) for j in endless}
    found, by_column = dict(y), matrix.a.tocsc()
    for j in endless:
        if _wrong(matrix, j, costs[j]):
            for i, entry in entries(by_column, j):
                if _shifted(matrix, found, costs, i, costs[j] / entry):
                    break
    if any(_wrong(matrix, j, costs[j]) for j in endless):
        return _shrunk(matrix, found, costs)
    return found


def entries(a: Any, i: int) -> Iterator[tuple[int, Fraction]]:
    """Yield the entries of row i of a csr matrix, or of column i of a csc matrix."""
    span = slice(a.indptr[i], a.indptr[i + 1])
    for place, value in zip(a.indices[span].tolist(), a.data[span].tolist(), strict=True):
        if value:
            yield place, Fraction(value)


def _shifted(
    matrix: Matrix, y: Duals, costs: dict[int, Fraction], row: int, step: Fraction
) -> bool:
    """Add a step to one dual, unless its sign or a cost that was right would be wrong then."""
    value = y.get(row, Fraction(0)) + step
    side = (matrix.row_lower if value > 0 else matrix.row_upper)[row]
    if value and not np.isfinite(side):
        return False
    after = {k: costs[k] - step * a for k, a in entries(matrix.a, row) if k in costs}
    if any(
        _wrong(matrix, k, cost) and not _wrong(matrix, k, costs[k]) for k, cost in after.items()
    ):
        return False
    y[row] = value
    costs.update(after)
    return True


def _shrunk(matrix: Matrix, y: Duals, costs: dict[int, Fraction]) -> Duals | None:
    """Multiply all duals by the largest factor up to 1 that leaves no reduced cost wrong."""
    low, high = Fraction(0), Fraction(1)
    for j, reduced in costs.items():
        cost = Fraction(matrix.cost[j])
        pull = cost - reduced
        # cost - factor * pull must not fall below 0, nor rise above it.
        for sign, bound in ((1, matrix.upper[j]), (-1, matrix.lower[j])):
            if np.isfinite(bound):
                continue
            if sign * pull > 0:
                high = min(high, cost / pull)
            elif sign * pull < 0:
                low = max(low, cost / pull)
            elif sign * cost < 0:
                return None
    return {i: value * high for i, value in y.items()} if low <= high else None


Point = tuple[Fraction, ...]

NEAR = 1e-5
"""A row or bound is tight within this part of its largest number, or of 1."""

SIMPLE = (1, 1000, 10**6)
"""Largest denominators of simple fractions."""

LARGEST = 400
"""Tight rows of more columns are not solved."""


def activity(program: Matrix, row: int, point: Sequence[Fraction]) -> Fraction:
    """Return the value of a row at a point."""
    return sum((factor * point[j] for j, factor in entries(program.a, row)), Fraction(0))


def holds(program: Matrix, point: Sequence[Fraction]) -> bool:
    """Return True if a point satisfies all rows, bounds and integers exactly."""
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
    """Return the point where tight rows and bounds are equalities, integers and bounds first."""
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
    """Solve equations by elimination, without an equation that contradicts earlier ones.

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
