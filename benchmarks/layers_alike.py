"""Whether two loaded programs are the same up to the order of rows and columns.

Each column and row gets a number from what it is; then, four times over, from that number and the
entries and numbers of what it meets. Equal programs have equal numbers; of different ones, only
such as look alike four steps around every column escape. A row and its negation are the same:
both become rows with an upper side only.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

ROUNDS = 4

DIGITS = 12
"""What is compared of a number; files of some layers have fifteen."""


def fingerprint(program: Any) -> tuple[Counter[int], Counter[int]]:
    """Return the numbers of a program's columns and rows; they are the same in every process."""
    a, most = _at_most(program)
    vectors = (program.cost, program.lower, program.upper, program.integer)
    columns = [hash(tuple(_short(own))) for own in zip(*vectors, strict=True)]
    rows = [hash(limit) for limit in _short(most)]
    turned = csr_array(a.T)
    for _ in range(ROUNDS):
        rows, columns = _met(a, rows, columns), _met(turned, columns, rows)
    return Counter(columns), Counter(rows)


def _at_most(program: Any) -> tuple[Any, Any]:
    """Return rows that have an upper side only, and these; an equation becomes two."""
    a = csr_array(program.a, dtype=float, copy=True)
    a.sum_duplicates()
    a.eliminate_zeros()
    high, low = np.isfinite(program.row_upper), np.isfinite(program.row_lower)
    sides = np.concatenate([program.row_upper[high], -program.row_lower[low]])
    return csr_array(vstack([a[high], -a[low]])), sides


def _met(a: Any, own: list[int], others: list[int]) -> list[int]:
    """Return new numbers of rows, from their own and those of the columns that they meet."""
    found = []
    for i, number in enumerate(own):
        entries = slice(a.indptr[i], a.indptr[i + 1])
        met = zip(_short(a.data[entries]), a.indices[entries].tolist(), strict=True)
        found.append(hash((number, *sorted((value, others[j]) for value, j in met))))
    return found


def _short(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") + 0.0 for value in values]
