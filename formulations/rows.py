"""The rows of a matrix, put together: one by one, or from a file reader's result."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..simulation.model import Ints
from .files.names import name_of
from .program import Matrix


def unroll(counts: Ints) -> tuple[Ints, Ints]:
    """Return 0, 0, ..., 1, 1, ... by the counts, and with it 0, 1, ..., 0, 1, ..."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]


Entry = tuple[int, float]
"""A column and its value."""


class GrownRows:
    """Rows as they come. Entries of 0, and rows without entries, are left out."""

    def __init__(self) -> None:
        """Begin without rows."""
        self.names: list[str] = []
        self._sides: list[tuple[float, float]] = []
        self._ends, self._columns, self._values = [0], list[int](), list[float]()

    def add(self, row: str, lower: float, upper: float, entries: Iterable[Entry]) -> None:
        """Append a row."""
        kept = [(column, value) for column, value in entries if value]
        if kept:
            self.names.append(row)
            self._sides.append((lower, upper))
            self._columns += [column for column, _ in kept]
            self._values += [value for _, value in kept]
            self._ends.append(len(self._columns))

    def parts(self, columns: int) -> dict[str, Any]:
        """Return the fields of a `Matrix` with this number of columns."""
        from scipy.sparse import csr_array

        values, at = np.array(self._values, float), np.array(self._columns, np.int64)
        lower, upper = np.array(self._sides, float).reshape(-1, 2).T.copy()
        a = csr_array((values, at, self._ends), shape=(len(self.names), columns))
        return {"rows": tuple(self.names), "a": a, "row_lower": lower, "row_upper": upper}


Sides = Iterable[tuple[float, float]]
"""Lower and upper limits, in the order of rows or columns."""


def assembled(
    columns: Sequence[str],
    rows: Sequence[str],
    entries: tuple[Any, Any, Any],
    *,
    cost: Iterable[float],
    offset: float,
    sides: Sides,
    bounds: Sides,
    whole: Iterable[bool],
) -> Matrix:
    """Return the program. Entries are rows, columns and values, and names come from a file."""
    from scipy.sparse import coo_array

    i, j, values = entries
    shape = (len(rows), len(columns))
    a: Any = coo_array((values, (i, j)), shape=shape, dtype=float).tocsr()
    a.eliminate_zeros()
    a.sort_indices()
    held = np.array(list(sides), dtype=float).reshape(-1, 2)
    limits = np.array(list(bounds), dtype=float).reshape(-1, 2)
    return Matrix(
        columns=tuple(map(name_of, columns)),
        rows=tuple(map(name_of, rows)),
        cost=np.array(list(cost), dtype=float) + 0.0,
        offset=offset + 0.0,
        lower=limits[:, 0].copy(),
        upper=limits[:, 1].copy(),
        integer=np.array(list(whole), dtype=np.bool_),
        a=a,
        row_lower=held[:, 0].copy(),
        row_upper=held[:, 1].copy(),
    )
