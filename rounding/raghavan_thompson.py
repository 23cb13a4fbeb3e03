"""Randomised rounding of an assignment: every job draws its machines by its shares.

Source: P. Raghavan and C. D. Thompson, Randomized rounding, Combinatorica 7, 1987. The tail
bound in this form, and rings over several machines, are ours.

Job j puts ``shares[j, m]`` units on machine m in the mean, each of which loads it by
``work[j, m]``. Whole units stay. The parts left of a job, one unit or more together, are drawn
at once: every machine gets one of them or none, with the probability of its part. Jobs draw
independently.

Theorem. Let f be what the whole units load machine m by, mu the mean load of the parts, and a
the largest ``work[j, m]`` among them. With probability at least 1 - delta, the load of every one
of M machines is below ``f + q mu``, or is f where there are no parts; here q >= 1 and
``q ln q - q + 1 = (a / mu) ln(M / delta)``, that is
``q = exp(1 + W_0(((a / mu) ln(M / delta) - 1) / e))``. Proof: docs/makespan/lp-rounding.md.
"""

from math import log

import numpy as np
from numpy.random import Generator

from .shares import PARTS, Floats, Ints, whole_and_parts
from .tails import levels


def round_by_chance(shares: Floats, rng: Generator) -> Ints:
    """Return whole units for each job and machine, drawn once."""
    whole, parts = whole_and_parts(shares)
    drawn = rng.integers(PARTS, size=(len(parts), 1))
    upto = np.cumsum(parts, axis=1)
    return whole + np.diff((upto - drawn + PARTS - 1) // PARTS, axis=1, prepend=0)


def load_bounds(shares: Floats, work: Floats, delta: float) -> Floats:
    """Return for each machine what its load stays below, all but with probability `delta`."""
    whole, parts = whole_and_parts(shares)
    fixed, means = (whole * work).sum(axis=0), (parts * work).sum(axis=0) / PARTS
    largest = np.where(parts > 0, work, 0.0).max(axis=0)
    each = log(means.size / delta)
    random = [
        mean * levels(most / mean * each)[1] if mean > 0 else 0.0
        for mean, most in zip(means.tolist(), largest.tolist(), strict=True)
    ]
    return np.asarray(fixed + np.array(random), dtype=np.float64)
