"""Rows of a matrix that grow one by one."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

Entry = tuple[int, float]
"""A column and its value."""


class GrownRows:
    """Rows as they come; entries of zero, and rows without entries, are left out."""

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
        """Return what a `Matrix` of so many columns has of them."""
        values, at = np.array(self._values, float), np.array(self._columns, np.int64)
        lower, upper = np.array(self._sides, float).reshape(-1, 2).T.copy()
        a = csr_array((values, at, self._ends), shape=(len(self.names), columns))
        return {"rows": tuple(self.names), "a": a, "row_lower": lower, "row_upper": upper}
