"""Where column generation begins: rows without columns, and how prices are rounded."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from .program import Matrix

SCALE = 10**9
"""Prices are whole multiples of one part in this many."""

CLOSE = 1e-6
"""A column enters a program if it is worth more than its cost by this."""


def covering(least: Sequence[float], most: Sequence[float] = ()) -> Matrix:
    """Return a program without columns: rows of at least, then rows of at most so much."""
    count, none = len(least) + len(most), np.empty(0)
    return Matrix(
        columns=(),
        rows=tuple(f"row{i}" for i in range(count)),
        cost=none,
        offset=0.0,
        lower=none,
        upper=none,
        integer=np.empty(0, dtype=np.bool_),
        a=csr_array((count, 0)),
        row_lower=np.array([*least, *([-np.inf] * len(most))]),
        row_upper=np.array([*([np.inf] * len(least)), *most]),
    )
