"""Least squares with few coefficients, none of them negative."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def least_squares(rows: Floats, values: Floats) -> Floats:
    """Return the coefficients >= 0 that bring ``rows @ coefficients`` closest to the values.

    Every choice of coefficients that are not zero is tried; the best of those without a negative
    one is the answer, since it is the free optimum of its own choice.
    """
    count = rows.shape[1]
    best, error = np.zeros(count), float(values @ values)
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            own = rows[:, chosen]
            found = np.linalg.lstsq(own, values, rcond=None)[0]
            miss = values - own @ found
            if (found >= 0).all() and miss @ miss < error:
                best, error = np.zeros(count), float(miss @ miss)
                best[list(chosen)] = found
    return best
