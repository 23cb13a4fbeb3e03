"""Independent rounding: every column goes up or down by itself."""

import numpy as np
from numpy.random import Generator

from .block import RoundingBlock, pieces, split
from .program import Floats


def round_independently(
    point: Floats, samples: int, rng: Generator, factor: float = 1.0
) -> RoundingBlock:
    """Round ``factor * point`` up with the probability of its fraction, else down, many times.

    The mean of a column is its scaled value, and columns are independent; see `gain.py` for what
    follows. Only fractional columns need random numbers. Source: Raghavan and Thompson 1987.
    """
    base, columns, fractions = split(point, factor)
    ups = np.empty((samples, columns.size), dtype=np.bool_)
    for part in pieces(samples, columns.size):
        np.less(rng.random(ups[part].shape), fractions, out=ups[part])
    return RoundingBlock(base=base, columns=columns, ups=ups)
