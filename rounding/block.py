"""Many roundings of one point, kept as what differs: which fractional columns went up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .program import TOLERANCE, Flags, Floats, Ints, check_numbers

CHUNK = 1 << 15
"""Entries worked on at once: a quarter of a megabyte stays in a core's own memory."""

SPARSE = 0.2
"""Rows with fewer entries than this part are multiplied as a sparse matrix."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundingBlock:
    """Roundings of one point: ``base``, plus 1 in those of ``columns`` that went up."""

    base: Ints
    columns: Ints
    ups: Flags
    """One row per rounding, one column per fractional column."""

    def point(self, index: int) -> Ints:
        """Return one rounding."""
        x = self.base.copy()
        x[self.columns] += self.ups[index]
        return x

    def values(self, weights: Floats) -> Floats:
        """Return ``weights @ x`` for every rounding."""
        found = np.empty(len(self.ups))
        for part in pieces(len(found), self.columns.size):
            found[part] = self.ups[part] @ weights[self.columns]
        return found + weights @ self.base

    def beyond(self, rows: Floats, limits: Floats) -> Flags:
        """Say for every rounding whether some row has ``rows @ x > limits``.

        Rows that hold even at the worst rounding are not computed.
        """
        limits = limits + TOLERANCE * np.abs(limits)
        fixed, moving = rows @ self.base, rows[:, self.columns]
        risky = fixed + np.maximum(moving, 0).sum(axis=1) > limits
        moving, left = moving[risky], (limits - fixed)[risky, None]
        found = np.zeros(len(self.ups), dtype=np.bool_)
        if not risky.any():
            return found
        few = np.count_nonzero(moving) < moving.size * SPARSE
        factor: Any = csr_array(moving) if few else moving
        for part in pieces(len(found), sum(moving.shape)):
            ups = self.ups[part].T.astype(np.float64)
            found[part] = (factor @ ups > left).any(axis=0)
        return found


def split(point: Floats, factor: float = 1.0) -> tuple[Ints, Ints, Floats]:
    """Return the whole parts of a scaled point, its fractional columns and their fractions.

    A number as close to a whole one as a solver's noise is taken as whole.
    """
    scaled = factor * np.asarray(point, dtype=np.float64)
    check_numbers(scaled)
    scaled = np.maximum(scaled, 0)
    nearest = np.rint(scaled)
    whole = np.abs(scaled - nearest) <= TOLERANCE * np.maximum(scaled, 1)
    base = np.where(whole, nearest, np.floor(scaled))
    columns = np.flatnonzero(~whole)
    return base.astype(np.int64), columns, scaled[columns] - base[columns]


def pieces(count: int, width: int) -> Iterator[slice]:
    """Cut a range of rows into slices of about `CHUNK` entries."""
    step = max(1, CHUNK // max(width, 1))
    return (slice(at, min(at + step, count)) for at in range(0, count, step))
