"""Conditions of files of programs, stated exactly by rows and integer columns."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, isfinite

import numpy as np

from ..program import Matrix
from .names import ProgramReader, split


def with_indicators(
    matrix: Matrix, conditions: Mapping[int, tuple[int, int, int]], reader: ProgramReader
) -> Matrix:
    """Return a program whose rows hold only if a column of 0 or 1 has a value.

    `conditions` has for a row its column, the value and the line in the file. A row with two sides
    becomes two. A side ``a x <= u`` with the condition ``y = 0`` becomes ``a x - m y <= u``, and
    with ``y = 1`` it becomes ``a x + m y <= u + m``, where ``u + m`` is at least the largest
    ``a x``. This is exact, so sums that a double cannot hold are refused.

    Raises:
        InputError: If the column may have other values, if ``a x`` has no bound, or for such sums.
    """
    from scipy.sparse import csr_array

    if not conditions:
        return matrix
    for column, _, reader.line in conditions.values():
        if not (matrix.integer[column] and matrix.lower[column] >= 0 and matrix.upper[column] <= 1):
            raise reader.error(matrix.columns[column], "a column that is 0 or 1")
    chosen = np.zeros(len(matrix.rows), dtype=np.bool_)
    chosen[list(conditions)] = True
    both = chosen & np.isfinite(matrix.row_lower) & np.isfinite(matrix.row_upper)
    old = np.repeat(np.arange(len(chosen)), 1 + both).tolist()
    parts = split(matrix, both)
    _distinct(parts.rows, reader)
    a, lower, upper = parts.a.tolil(), parts.row_lower.copy(), parts.row_upper.copy()
    for i, row in enumerate(old):
        if row not in conditions:
            continue
        column, value, reader.line = conditions[row]
        for side, sign in ((upper, 1), (lower, -1)):
            if isfinite(side[i]):
                room = _room(parts, i, Fraction(float(side[i])), sign, reader)
                entry = Fraction(float(a[i, column])) + (room if value else -room) * sign
                a[i, column] = _double(entry, parts.rows[i], reader)
                moved = Fraction(float(side[i])) + room * sign * value
                side[i] = _double(moved, parts.rows[i], reader)
    return replace(parts, a=csr_array(a), row_lower=lower, row_upper=upper)


def _room(matrix: Matrix, i: int, side: Fraction, sign: int, reader: ProgramReader) -> Fraction:
    """Return a whole number at least as large as the most by which a row can miss a side."""
    span = slice(matrix.a.indptr[i], matrix.a.indptr[i + 1])
    most = Fraction(0)
    entries = zip(matrix.a.data[span].tolist(), matrix.a.indices[span].tolist(), strict=True)
    for value, j in entries:
        end = float((matrix.upper if value * sign > 0 else matrix.lower)[j])
        if not isfinite(end):
            name = matrix.columns[j]
            raise reader.error(f"{name} without a bound", "bounds on all columns of this row")
        most += Fraction(value) * Fraction(end) * sign
    return Fraction(max(0, ceil(most - side * sign)))


def _double(value: Fraction, row: str, reader: ProgramReader) -> float:
    if Fraction(float(value)) != value:
        raise reader.error(f"{row} with the number {float(value)!r}", "sums that a double holds")
    return float(value)


def _distinct(names: tuple[str, ...], reader: ProgramReader) -> None:
    """Raise an error if a name that was made with ``~`` is already in the file."""
    counts = Counter(names)
    for name in counts:
        if counts[name] > 1:
            raise reader.error(name, "another name: this one is needed for what is added")


def with_semicontinuous(
    matrix: Matrix, columns: Mapping[int, int], reader: ProgramReader
) -> Matrix:
    """Return a program in which columns are 0 or within their bounds.

    `columns` has the line in the file for each. A column ``x`` with a lower bound above 0 gets a
    column ``x~`` of 0 or 1, and the rows ``x~``: ``x - upper x~ <= 0`` and ``x~~``:
    ``x - lower x~ >= 0``. With the lower bound 0 there is nothing to add.

    Raises:
        InputError: If the lower bound is below 0 or there is no upper one.
    """
    from scipy.sparse import csr_array, diags_array, hstack, vstack

    added = []
    for j, reader.line in columns.items():
        low, high = float(matrix.lower[j]), float(matrix.upper[j])
        if not 0 <= low <= high:
            found = f"{matrix.columns[j]} from {low:g} to {high:g}"
            raise reader.error(found, "bounds of at least 0, the lower one first")
        if low and not isfinite(high):
            raise reader.error(f"{matrix.columns[j]} without an upper bound", "a finite bound")
        if low:
            added.append(j)
    if not added:
        return matrix
    count, zero = len(added), np.zeros(len(added))
    names = tuple(f"{matrix.columns[j]}~" for j in added)
    rows = (*matrix.rows, *names, *(f"{name}~" for name in names))
    _distinct(matrix.columns + names, reader)
    _distinct(rows, reader)
    own = csr_array((np.ones(count), (np.arange(count), added)), shape=(count, len(matrix.columns)))
    ends = (diags_array(-side[added]) for side in (matrix.upper, matrix.lower))
    blocks = [hstack([matrix.a, csr_array((len(matrix.rows), count))])]
    blocks += [hstack([own, switch]) for switch in ends]
    free = matrix.lower.copy()
    free[added] = 0.0
    return replace(
        matrix,
        columns=matrix.columns + names,
        rows=rows,
        cost=np.append(matrix.cost, zero),
        lower=np.append(free, zero),
        upper=np.append(matrix.upper, zero + 1),
        integer=np.append(matrix.integer, zero == 0),
        a=csr_array(vstack(blocks)),
        row_lower=np.concatenate([matrix.row_lower, zero - np.inf, zero]),
        row_upper=np.concatenate([matrix.row_upper, zero, zero + np.inf]),
    )
