"""The hull of the union of linear programs: one of them has to be done.

Source: Balas 1985. Each program has a share of at least 0, and the shares add up to 1. Its columns
are its own times its share, so the share stands beside the sides of its rows and bounds. The value
is the least of the programs' values, if no cost falls without end; a program whose points are
bounded, and that has none, gets no share.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csr_array, eye_array, hstack, vstack

from .program import Floats, Matrix


def union_hull(programs: Mapping[str, Matrix]) -> Matrix:
    """Return the linear program over the hull of programs; integers are not asked for."""
    parts = list(programs.values())
    scaled = block_diag([_scaled(one) for one in parts])
    ends = np.cumsum([len(one.columns) + 1 for one in parts]) - 1
    shares = csr_array((np.ones(len(ends)), ends, [0, len(ends)]), shape=(1, scaled.shape[1]))
    names = (
        name
        for key, one in programs.items()
        for name in (*(f"{key}.{column}" for column in one.columns), f"share[{key}]")
    )
    zeros = np.zeros(scaled.shape[0])
    return Matrix(
        columns=tuple(names),
        rows=(*(f"row[{i}]" for i in range(zeros.size)), "shares"),
        cost=np.concatenate([np.append(one.cost, one.offset) for one in parts]),
        lower=np.concatenate([np.append(np.minimum(one.lower, 0.0), 0.0) for one in parts]),
        upper=np.full(scaled.shape[1], np.inf),
        integer=np.zeros(scaled.shape[1], dtype=np.bool_),
        a=csr_array(vstack([scaled, shares])),
        row_lower=np.append(np.full(zeros.size, -np.inf), 1.0),
        row_upper=np.append(zeros, 1.0),
    )


def _scaled(program: Matrix) -> csr_array:
    """Return rows that are at most 0 in a program's columns times its share, and the share."""
    parts: list[Any] = [hstack([a, csr_array(-side.reshape(-1, 1))]) for a, side in _sides(program)]
    return csr_array(vstack(parts))


def _sides(program: Matrix) -> Iterator[tuple[Any, Floats]]:
    """Yield rows and bounds as ``a @ x <= side``."""
    own = csr_array(eye_array(len(program.columns)))
    for a, low, high in (
        (program.a, program.row_lower, program.row_upper),
        (own, program.lower, program.upper),
    ):
        for sign, side in ((-1.0, low), (1.0, high)):
            known = np.isfinite(side)
            if known.any():
                yield sign * a[known], sign * side[known]
