"""What padding adds: the mean of the longest queue of a set, not that of a mean queue."""

from math import comb

import numpy as np

from .rates import Setting, queue_mean

FAR = 12
"""A law is cut off this many standard deviations, and as many rows, above its mean."""


def padded_mean(setting: Setting) -> float:
    """Return the sums sent on average if queues have independent Poisson lengths.

    They are binomial, and a row in one queue is in no other; with many queues that matters little.
    """
    sizes = range(2, setting.workers + 1)
    return sum(
        comb(setting.workers, size) * longest(float(queue_mean(setting, size)), size)
        for size in sizes
    )


def longest(mean: float, queues: int) -> float:
    """Return the mean of the longest of some Poisson queues: the sum of P(longer than x)."""
    from scipy.special import pdtr

    at = np.arange(int(mean + FAR * mean**0.5) + FAR)
    return float(np.sum(-np.expm1(queues * np.log(np.maximum(pdtr(at, mean), 1e-300)))))
