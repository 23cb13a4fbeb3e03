"""Programs in the LP format that CPLEX began.

A row with two different sides becomes two rows, the second with ``~`` after its name, since
common readers take no double inequalities. Columns come in the order in which rows name them.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ..program import Matrix
from .names import number, ranged, split, to_file

WIDTH = 120
"""Characters after which a line is broken: readers limit its length, CPLEX to 560."""


def lp_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the lines of an LP file."""
    names = [to_file(name) for name in matrix.columns]
    yield "Minimize"
    yield from _wrapped(" obj:", _objective(matrix, names))
    yield "Subject To"
    yield from _rows(split(matrix, ranged(matrix)), names)
    yield "Bounds"
    for name, low, high in zip(names, matrix.lower.tolist(), matrix.upper.tolist(), strict=True):
        if low == high:
            yield f" {name} = {number(low)}"
        elif np.isinf(low) and np.isinf(high):
            yield f" {name} free"
        else:
            yield f" {_limit(low)} <= {name} <= {_limit(high)}"
    yield "General"
    yield from (f" {names[j]}" for j in np.flatnonzero(matrix.integer))
    yield "End"


def _objective(matrix: Matrix, names: list[str]) -> Iterator[str]:
    """Yield the terms of the objective; columns that nothing mentions are named here."""
    unused = np.bincount(matrix.a.indices, minlength=len(names)) == 0
    for j in np.flatnonzero(unused | (matrix.cost != 0)):
        yield _term(matrix.cost[j], names[j])
    if matrix.offset:
        yield _term(matrix.offset, "")


def _rows(matrix: Matrix, names: list[str]) -> Iterator[str]:
    a = matrix.a
    sides = zip(matrix.row_lower.tolist(), matrix.row_upper.tolist(), strict=True)
    for i, (row, (low, high)) in enumerate(zip(matrix.rows, sides, strict=True)):
        span = slice(a.indptr[i], a.indptr[i + 1])
        entries = zip(a.data[span].tolist(), a.indices[span].tolist(), strict=True)
        terms = [_term(value, names[j]) for value, j in entries] or [f"0 {names[0]}"]
        sign, side = (
            ("=", low) if low == high else ("<=", high) if np.isfinite(high) else (">=", low)
        )
        if np.isfinite(side):
            yield from _wrapped(f" {to_file(row)}:", [*terms, f"{sign} {number(side)}"])


def _term(value: float, name: str) -> str:
    sign = "-" if value < 0 else "+"
    size = number(abs(value))
    return f"{sign} {size} {name}".rstrip() if size != "1" or not name else f"{sign} {name}"


def _limit(bound: float) -> str:
    return number(bound) if np.isfinite(bound) else "-inf" if bound < 0 else "+inf"


def _wrapped(head: str, terms: Iterable[str]) -> Iterator[str]:
    """Yield a head and its terms on as many lines as they need."""
    line = head
    for term in terms:
        if len(line) > WIDTH:
            yield line
            line = " "
        line += f" {term}"
    yield line
