"""Programs in free MPS, written. `mps_reader.py` reads them."""

from collections.abc import Iterator

import numpy as np

from ..program import Floats, Matrix
from .names import number, ranged, split, to_file


def mps_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the lines of an MPS file.

    The row of the objective is `obj`, and its right-hand side is the offset, negated. Every integer
    column has both bounds written out, because readers differ in what they assume. A row with two
    sides becomes two if no range gives both exactly, as in `names.py`.
    """
    matrix = split(matrix, ranged(matrix) & np.isnan(_widths(matrix)))
    names = [to_file(name) for name in matrix.rows]
    sides = list(zip(names, matrix.row_lower.tolist(), matrix.row_upper.tolist(), strict=True))
    yield "NAME ringyard"
    yield "ROWS"
    yield " N obj"
    yield from (f" {_kind(low, high)} {name}" for name, low, high in sides)
    yield "COLUMNS"
    yield from _columns(matrix, names)
    yield "RHS"
    if matrix.offset:
        yield f" RHS obj {number(-matrix.offset)}"
    for name, low, high in sides:
        side = low if _kind(low, high) in "EG" else high
        if side and np.isfinite(side):
            yield f" RHS {name} {number(side)}"
    yield "RANGES"
    widths = _widths(matrix)
    yield from (f" RNG {names[i]} {number(widths[i])}" for i in np.flatnonzero(ranged(matrix)))
    yield "BOUNDS"
    yield from _bounds(matrix)
    yield "ENDATA"


def _kind(low: float, high: float) -> str:
    if low == high:
        return "E"
    if np.isfinite(low) and np.isfinite(high):
        return "G" if abs(low) <= abs(high) else "L"
    return "G" if np.isfinite(low) else "L" if np.isfinite(high) else "N"


def _widths(matrix: Matrix) -> Floats:
    """Return the ranges from which readers compute the other sides exactly, NaN without a range."""
    low, high = matrix.row_lower, matrix.row_upper
    width = np.subtract(high, low, where=ranged(matrix), out=np.full(len(low), np.nan))
    found: Floats = np.full(len(low), np.nan)
    for guess in (width, np.nextafter(width, 0), np.nextafter(width, np.inf)):
        exact = np.where(np.abs(low) <= np.abs(high), low + guess == high, high - guess == low)
        found[exact & np.isnan(found)] = guess[exact & np.isnan(found)]
    return found


def _columns(matrix: Matrix, rows: list[str]) -> Iterator[str]:
    a = matrix.a.tocsc()
    a.sort_indices()
    ends, entries = a.indptr.tolist(), zip(a.indices.tolist(), a.data.tolist(), strict=True)
    mixed = False
    marks = 0
    for j, (name, cost) in enumerate(zip(matrix.columns, matrix.cost.tolist(), strict=True)):
        if matrix.integer[j] != mixed:
            mixed = not mixed
            marks += 1
            yield f" MARK{marks} 'MARKER' '{'INTORG' if mixed else 'INTEND'}'"
        name = to_file(name)
        count = ends[j + 1] - ends[j]
        if cost or not count:
            yield f" {name} obj {number(cost)}"
        for _ in range(count):
            i, value = next(entries)
            yield f" {name} {rows[i]} {number(value)}"
    if mixed:
        yield f" MARK{marks + 1} 'MARKER' 'INTEND'"


def _bounds(matrix: Matrix) -> Iterator[str]:
    limits = zip(matrix.lower.tolist(), matrix.upper.tolist(), matrix.integer.tolist(), strict=True)
    for name, (low, high, integer) in zip(matrix.columns, limits, strict=True):
        name = to_file(name)
        endless = not np.isfinite(high)
        if low == high:
            yield f" FX BND {name} {number(low)}"
        elif endless and not np.isfinite(low):
            yield f" FR BND {name}"
        else:
            if not np.isfinite(low):
                yield f" MI BND {name}"
            elif low or integer or high < 0:
                yield f" LO BND {name} {number(low)}"
            if not endless:
                yield f" UP BND {name} {number(high)}"
            elif integer:
                yield f" PL BND {name}"
