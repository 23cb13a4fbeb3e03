"""Shares of jobs on machines, a row for each job: what is whole, and the rest in millionths.

A share is how many units of a job go to a machine: parts of one unit for a job that goes to one
machine, whole units and a part for a ring over several. A row adds up to a whole number.
Solvers give shares to some digits only; in millionths, rows add up without an error.
"""

import numpy as np
from numpy.typing import NDArray

from ..instances import InputError
from ..instances.errors import Problem, Words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PARTS = 1_000_000
"""Parts of a unit."""

CLOSE = 1e-5
"""By how much a row may miss its whole number, and a share one that it is meant to be."""


def whole_and_parts(shares: Floats) -> tuple[Ints, Ints]:
    """Return whole units, and the parts left: those of a row are whole units together.

    What is whole stays so, zeros stay zeros, and no part exceeds a unit.

    Raises:
        InputError: If a row does not add up to a whole number, or a share is below 0.
    """
    whole = np.floor(shares + CLOSE)
    rest = np.maximum(shares - whole, 0.0)
    sums = shares.sum(axis=1)
    faulty = ~(np.abs(sums - np.rint(sums)) <= CLOSE) | (whole < 0).any(axis=1)
    if faulty.any():
        raise InputError("rounding", [_problem(int(np.argmax(faulty)), shares)])
    left = np.rint(sums) - whole.sum(axis=1)
    scale = left / np.maximum(rest.sum(axis=1), CLOSE)
    upto = np.rint(np.cumsum(rest * scale[:, None], axis=1) * PARTS).astype(np.int64)
    return whole.astype(np.int64), np.diff(upto, axis=1, prepend=0)


def _problem(job: int, shares: Floats) -> Problem:
    told = Words(", ".join(f"{share:g}" for share in shares[job]))
    expected = "numbers of at least 0 that add up to a whole one"
    return Problem(f"shares[{job}]", told, expected, "take them from a solved program")
