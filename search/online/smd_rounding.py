"""Whole workers and servers from a fractional point of a job's program.

Let the point be xbar >= 1, round ``M xbar`` up or down without bias, and make it 1 where it is
less. With the factor M that SMD prints the result always fits, and takes at most
``max(4, 2 / M)`` times as long; SMD claims ``(24 / M + 4) / delta``, with some probability.
Rounding xbar down instead takes at most twice as long. Proofs: docs/smd.md.
"""

from math import log, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...formulations.online.smd_data import TOLERANCE, SmdJob
from ...formulations.online.sum_of_ratios import needed
from ...formulations.program import Floats
from ...instances import InputError
from ...instances.errors import Problem
from ...rounding import round_independently

Ints = NDArray[np.int64]


def shrink_factor(job: SmdJob, delta: float) -> float:
    """Return ``M = 1 + k - sqrt(k^2 + 2 k)`` with ``k = 3 ln(2 r / delta) / (2 W_b)``.

    r counts the resources that are needed; W_b is the least number of workers, or of servers,
    that one resource allows. Source: SMD.
    """
    if not 0 < delta < 1:
        problem = Problem("delta", delta, "a probability between 0 and 1", "0.1 is a usual choice")
        raise InputError("rounding", [problem])
    rows = needed(job)
    width = min(job.reserved[r] / max(job.worker[r], job.server[r]) for r in rows)
    k = 1.5 * log(2 * len(rows) / delta) / width
    return 1 / (1 + k + sqrt(k * k + 2 * k))


def round_shrunk(point: Floats, factor: float, samples: int, rng: Generator) -> Ints:
    """Return roundings of ``factor * point``, a row each, at least one worker and one server."""
    block = round_independently(point, samples, rng, factor)
    drawn = np.tile(block.base, (samples, 1))
    drawn[:, block.columns] += block.ups
    return np.asarray(np.maximum(drawn, 1))


def round_down(point: Floats) -> Ints:
    """Return the whole parts, at least one worker and one server."""
    return np.asarray(np.maximum(np.floor(point * (1 + TOLERANCE / 2)), 1), dtype=np.int64)
