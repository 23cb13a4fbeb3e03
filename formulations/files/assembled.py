"""From what a reader of files has found to the matrix."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from ..program import Matrix
from .names import name_of

Sides = Iterable[tuple[float, float]]
"""Lower and upper limits, in the order of rows or columns."""


def assembled(
    columns: Sequence[str],
    rows: Sequence[str],
    entries: Sequence[tuple[int, int, float]],
    *,
    cost: Iterable[float],
    offset: float,
    sides: Sides,
    bounds: Sides,
    whole: Iterable[bool],
) -> Matrix:
    """Return the program; entries say row, column and value, and names are those in a file."""
    i, j, values = zip(*entries, strict=True) if entries else ((), (), ())
    shape = (len(rows), len(columns))
    a: Any = coo_array((values, (i, j)), shape=shape, dtype=float).tocsr()
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
