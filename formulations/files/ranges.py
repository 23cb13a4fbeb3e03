"""Rows with two different sides, for formats and readers that know one side only."""

from dataclasses import replace

import numpy as np

from ..program import Flags, Matrix


def ranged(matrix: Matrix) -> Flags:
    """Say which rows have two finite, different sides."""
    finite = np.isfinite(matrix.row_lower) & np.isfinite(matrix.row_upper)
    return np.asarray(finite & (matrix.row_lower != matrix.row_upper))


def split(matrix: Matrix, rows: Flags) -> Matrix:
    """Return the program with such rows as two: the upper side, and as ``name~`` the lower."""
    if not rows.any():
        return matrix
    order = np.repeat(np.arange(len(rows)), 1 + rows)
    second = np.append(False, order[1:] == order[:-1])
    first = rows[order] & ~second
    names = zip(order.tolist(), second.tolist(), strict=True)
    return replace(
        matrix,
        rows=tuple(matrix.rows[i] + ("~" if again else "") for i, again in names),
        a=matrix.a[order],
        row_lower=np.where(first, -np.inf, matrix.row_lower[order]),
        row_upper=np.where(second, np.inf, matrix.row_upper[order]),
    )
