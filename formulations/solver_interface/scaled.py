"""A matrix in other units, so that solvers with absolute tolerances see numbers near 1.

Rows, continuous columns and the objective are multiplied by powers of two, which rounds nothing.
Integer columns stay as they are. A program whose numbers are plain is not touched.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..program import Floats, Matrix, Solution

PLAIN = 1e-5, 1e7
"""Between these, numbers other than 0 are left as they are."""

GROSS = 0.1
"""By this part of what a row asks for no point misses it, whatever the units."""

ROUNDS = 4
"""Rows and columns are scaled in turn."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """A program, and what leads back from its points: ``row``, ``column`` and ``cost`` multiply."""

    matrix: Matrix
    row: Floats
    column: Floats
    cost: float

    def into(self, point: Floats) -> Floats:
        """Return a point of the program as it was in the new units."""
        return point / self.column if point.shape == self.column.shape else point

    def back(self, point: Floats) -> Floats:
        """Return a point of this program in the units of before."""
        return point * self.column

    def holds(self, point: Floats) -> bool:
        """Return False if a point of this program misses a row by most of what the row asks for.

        Where the unit of a column is large, all that a row asks for can be less than tolerances.
        """
        terms = self.matrix.a.multiply(self.into(point)).tocsr()
        rows, size = np.asarray(terms.sum(axis=1)), np.asarray(abs(terms).sum(axis=1))
        for side, miss in (
            (self.matrix.row_lower, self.matrix.row_lower - rows),
            (self.matrix.row_upper, rows - self.matrix.row_upper),
        ):
            asked = np.where(np.isfinite(side), np.abs(side), 0.0)
            if ((asked > 0) & (miss > GROSS * np.maximum(asked, size))).any():
                return False
        return True

    def told(self, watch: Callable[[Floats, float], object]) -> Callable[[Floats, float], object]:
        """Return what passes points that hold, and values, on in the units of before."""

        def pass_on(point: Floats, value: float) -> None:
            if self.holds(self.back(point)):
                watch(self.back(point), value / self.cost)

        return pass_on

    def answer(self, found: Solution) -> Solution:
        """Return an answer in the units of before; by how much it misses is left as it is."""
        return replace(
            found,
            point=None if found.point is None else self.back(found.point),
            value=None if found.value is None else found.value / self.cost,
            bound=None if found.bound is None else found.bound / self.cost,
            duals=None if found.duals is None else found.duals * self.row / self.cost,
        )


def scaled(matrix: Matrix) -> Scaled:
    """Return a program in units in which its numbers are near 1."""
    row, column = np.ones(len(matrix.rows)), np.ones(len(matrix.columns))
    a, sizes = matrix.a.copy(), np.abs(matrix.a.data)
    rows, columns = np.repeat(np.arange(len(row)), np.diff(a.indptr)), a.indices
    if _plain(sizes) and _plain(np.abs(matrix.cost)):
        return Scaled(matrix, row, column, 1.0)
    for _ in range(0 if _plain(sizes) else ROUNDS):
        middle = _middle(sizes * row[rows], columns, len(column))
        column = np.where(matrix.integer, 1.0, 1 / middle)
        row = 1 / _middle(sizes * column[columns], rows, len(row))
    a.data = a.data * row[rows] * column[columns]
    largest = np.abs(matrix.cost * column).max(initial=0.0)
    cost = float(1 / _power(np.array([largest or 1.0]))[0])
    return Scaled(
        replace(
            matrix,
            cost=matrix.cost * column * cost,
            offset=matrix.offset * cost,
            lower=matrix.lower / column,
            upper=matrix.upper / column,
            a=a,
            row_lower=matrix.row_lower * row,
            row_upper=matrix.row_upper * row,
        ),
        row,
        column,
        cost,
    )


def _plain(numbers: Floats) -> bool:
    some = numbers[numbers > 0]
    return bool(some.size == 0 or (some.min() >= PLAIN[0] and some.max() <= PLAIN[1]))


def _middle(entries: Floats, places: NDArray[np.int64], count: int) -> Floats:
    """Return a power of two between the least and the largest entry of each place; 1 for none."""
    least, largest = np.full(count, np.inf), np.zeros(count)
    held = entries > 0
    np.minimum.at(least, places[held], entries[held])
    np.maximum.at(largest, places[held], entries[held])
    found = largest > 0
    between = np.sqrt(np.where(found, least, 1.0)) * np.sqrt(np.where(found, largest, 1.0))
    return _power(between)


def _power(numbers: Floats) -> Floats:
    """Return the nearest powers of two."""
    powers: Floats = np.exp2(np.round(np.log2(numbers)))
    return powers
