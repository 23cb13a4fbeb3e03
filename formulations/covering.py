"""The start of column generation: rows without columns, and the rounding of prices."""

from collections.abc import Sequence
from math import inf

from .adapters.highs import IncrementalLP

SCALE = 10**9
"""Prices are whole multiples of one part in this many."""

CLOSE = 1e-6
"""A column enters a program if it is worth more than its cost by this."""


def covering(least: Sequence[float], most: Sequence[float] = ()) -> IncrementalLP:
    """Return a program without columns: rows of at least, then rows of at most so much."""
    program = IncrementalLP()
    for bound in least:
        program.add_row((), (), bound)
    for bound in most:
        program.add_row((), (), -inf, bound)
    return program
