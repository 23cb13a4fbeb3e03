"""Prices a point of a program and measures by how much it misses it; no solver helps."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..program import Flags, Floats, Matrix

TOLERANCE = 1e-6
"""What a point may miss a row by, relative to the row's largest number or 1; an integer a whole
number by; and two objective values may differ by, relatively."""

ENDLESS = 1e20
"""Solvers mean infinity by numbers of this size."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checker:
    """The bounds of columns and rows, and functions for what stands in between."""

    lower: Floats
    upper: Floats
    integer: Flags
    row_lower: Floats
    row_upper: Floats
    largest: Floats
    """The largest coefficient of each row."""
    rows: Callable[[Floats], Floats]
    value: Callable[[Floats], float]

    @property
    def crossed(self) -> bool:
        """Whether bounds alone exclude every point."""
        low = np.where(self.integer, np.ceil(self.lower), self.lower)
        high = np.where(self.integer, np.floor(self.upper), self.upper)
        return bool((low > high).any() or (self.row_lower > self.row_upper).any())

    def violation(self, point: Floats) -> float:
        """Return the largest miss of a row, a bound or integrality, infinite for NaN."""
        if point.shape != self.lower.shape or not (np.abs(point) < ENDLESS).all():
            return np.inf
        rows = _outside(self.rows(point), self.row_lower, self.row_upper)
        scale = np.maximum(self.largest, _size(self.row_lower, self.row_upper))
        columns = _outside(point, self.lower, self.upper) / _size(self.lower, self.upper)
        integers = np.abs(point - np.round(point))[self.integer]
        worst = max(float(part.max(initial=0.0)) for part in (rows / scale, columns, integers))
        return np.inf if np.isnan(worst) else worst

    def settle(self, point: Floats) -> tuple[Floats, float]:
        """Return the point, integers made whole where that keeps it valid, and its violation."""
        miss = self.violation(point)
        if miss == np.inf:
            return point, miss
        whole = np.where(self.integer, np.round(point), point)
        rounded = self.violation(whole)
        return (whole, rounded) if rounded <= TOLERANCE else (point, miss)


def matrix_checker(matrix: Matrix) -> Checker:
    """Return the checker of a matrix."""
    filled = matrix.a.nnz > 0
    return Checker(
        lower=matrix.lower,
        upper=matrix.upper,
        integer=matrix.integer,
        row_lower=matrix.row_lower,
        row_upper=matrix.row_upper,
        largest=abs(matrix.a).max(axis=1).toarray().ravel() if filled else np.zeros(1),
        rows=lambda point: np.asarray(matrix.a @ point),
        value=lambda point: float(matrix.cost @ point) + matrix.offset,
    )


def _outside(values: Floats, lower: Floats, upper: Floats) -> Floats:
    return np.maximum(np.maximum(lower - values, values - upper), 0.0)


def _size(lower: Floats, upper: Floats) -> Floats:
    """Return the size of finite bounds, at least 1."""
    finite = [np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper)]
    return np.maximum(1.0, np.maximum(*finite))
