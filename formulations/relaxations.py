"""Stronger relaxations of small programs: products of rows, and the hull of a union."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import block_diag, csr_array, eye_array, hstack, vstack

from ..instances import RefusedError
from .program import Floats, Matrix

MOST_COLUMNS = 150
"""Programs of more columns have too many products of two."""


def lifted(program: Matrix) -> Matrix:
    """Return the linear program of a program and the products of its columns.

    Source: Sherali and Adams 1990, the first level, and 1999 for columns that are not 0/1. With a
    positive semidefinite matrix of products, Lovasz and Schrijver 1991. Each row and each bound is
    multiplied by x_k less its lower bound, and by its upper bound less x_k, for every column k. A
    product of two columns is a new column. A 0/1 column times itself is the column.

    Raises:
        RefusedError: If it has more than `MOST_COLUMNS` columns, or one without bounds.
    """
    count, place = len(program.columns), products(program)
    total = int(place.max()) + 1
    more = list(_rows(program, place, total))
    low, high = (_by_products(program, place, least, total) for least in (True, False))
    a = vstack([_padded(program.a, total), *(one.a for one in more)]).tocsr()
    return Matrix(
        columns=(*program.columns, *(f"product[{i}]" for i in range(total - count))),
        rows=tuple(f"row[{i}]" for i in range(a.shape[0])),
        cost=np.concatenate([program.cost, np.zeros(total - count)]),
        offset=program.offset,
        lower=low,
        upper=high,
        integer=np.zeros(total, dtype=np.bool_),
        a=a,
        row_lower=np.concatenate(
            [program.row_lower, *(np.full(len(one.most), -np.inf) for one in more)]
        ),
        row_upper=np.concatenate([program.row_upper, *(one.most for one in more)]),
    )


def products(program: Matrix) -> Any:
    """Return by two columns where their product stands.

    Raises:
        RefusedError: If it has more than `MOST_COLUMNS` columns, or one without bounds.
    """
    count = len(program.columns)
    if count > MOST_COLUMNS:
        raise RefusedError(f"it has {count:,} columns, and {MOST_COLUMNS} are multiplied at most")
    if not np.isfinite([program.lower, program.upper]).all():
        raise RefusedError("it has a column without bounds to multiply by")
    binary = program.integer & (program.lower >= 0) & (program.upper <= 1)
    place = np.full((count, count), -1)
    place[binary, binary] = np.flatnonzero(binary)
    above = [(k, j) for k in range(count) for j in range(k, count) if place[k, j] < 0]
    for free, (k, j) in enumerate(above, count):
        place[k, j] = place[j, k] = free
    return place


def _by_products(program: Matrix, place: Any, least: bool, total: int) -> Floats:
    """Return the lower, or the upper, bounds of columns and products."""
    ends = [program.lower, program.upper]
    corners = np.array([np.outer(one, other) for one in ends for other in ends])
    found = np.zeros(total)
    found[place] = corners.min(axis=0) if least else corners.max(axis=0)
    found[: len(program.columns)] = ends[0] if least else ends[1]
    return found


class _Rows(NamedTuple):
    a: Any
    most: Floats


def _padded(rows: Any, total: int) -> Any:
    return hstack([rows, csr_array((rows.shape[0], total - rows.shape[1]))]).tocsr()


def _rows(program: Matrix, place: Any, total: int) -> Iterator[_Rows]:
    """Yield all rows and bounds, as ``b - a @ x >= 0``, times each distance to a bound."""
    count = len(program.columns)
    plain = vstack([program.a, eye_array(count)]).tocsr()
    ends = (
        (1.0, np.concatenate([program.row_upper, program.upper])),
        (-1.0, np.concatenate([program.row_lower, program.lower])),
    )
    for k in range(count):
        to = (np.arange(count), place[k])
        times = plain @ csr_array((np.ones(count), to), shape=(count, total))
        for sign, bounds in ends:
            known = np.isfinite(bounds)
            b, a, ax = bounds[known] * sign, sign * plain[known], sign * times[known]
            b_x = csr_array((b, (np.arange(len(b)), np.full(len(b), k))), shape=ax.shape)
            # (b - a x)(x_k - l) = b x_k - a x x_k - l b + l a x, and so with u - x_k.
            padded = _padded(a, total)
            low, high = program.lower[k], program.upper[k]
            yield _Rows(ax - b_x - low * padded, -low * b)
            yield _Rows(b_x - ax + high * padded, high * b)


def union_hull(programs: Mapping[str, Matrix]) -> Matrix:
    """Return the linear program over the hull of programs, without integrality.

    Source: Balas 1985. Each program has a share of at least 0, and the shares add up to 1. Its
    columns are the program's columns times its share, so the share multiplies the sides of its rows
    and bounds. The value is the least of the programs' values, if no cost falls without end. A
    bounded infeasible program gets share 0.
    """
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
