"""Lower bounds that hold whatever a solver's rounding did: duals summed in exact arithmetic.

Any row duals y give one: ``c x = y (A x) + (c - y A) x`` for every point x, and each term on the
right is at least what one of the bounds of its row or column makes of it. So nothing about y
has to be believed; duals near the best give a bound near the best.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, repeat
from math import lcm
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
"""By row; the others are 0."""


def dual_bound(matrix: Matrix, duals: Floats) -> Fraction | None:
    """Return a lower bound on a linear program, and so on the program with integers.

    Duals of a sign that their row cannot have count as 0. Where a reduced cost pulls towards
    an infinite bound, duals are changed a little; None if that does not mend it, as happens
    with many such columns in common rows. Columns with two finite bounds need no mending.
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
    """Say whether a reduced cost pulls its column towards an infinite bound."""
    if cost == 0:
        return False
    return bool(np.isinf((matrix.lower if cost > 0 else matrix.upper)[column]))


def _repaired(matrix: Matrix, y: Duals, reduced: Exact) -> Duals | None:
    """Bring each wrong reduced cost to 0 by one dual of its column; else shrink all duals."""
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
