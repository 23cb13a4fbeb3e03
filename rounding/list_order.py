"""From a time-indexed point to an order of the jobs: by alpha-points, or by midpoints.

Sources: C. Phillips, C. Stein and J. Wein, Minimizing average completion time in the presence of
release dates, Mathematical Programming 82, 1998; L. A. Hall, A. S. Schulz, D. B. Shmoys and
J. Wein, Scheduling to minimize average completion time, Mathematics of Operations Research 22,
1997, for alpha-points; A. S. Schulz, Scheduling to minimize total weighted completion time, IPCO
1996, and M. Queyranne and A. S. Schulz, Approximation bounds for a general class of precedence
constrained parallel machine scheduling problems, SIAM Journal on Computing 35, 2006, for midpoints.

A point gives each job, a row, a share for each slot: how much of it starts there, or how much is
worked there. A row adds up to 1. The *alpha-point* of a job is the moment at which alpha of it
has been started, or worked, at an even pace within a slot; its *midpoint* is the mean moment: of
what is worked, the mean busy time.

The factors that these papers prove are for weighted sums of completion times, on machines that
take a job each. For the makespan no order is proved to be better than any other; what holds for
all of them is in docs/makespan/lp-rounding.md.
"""

import numpy as np

from .shares import CLOSE, Floats, Ints


def worked(starts: Floats, slots: Ints) -> Floats:
    """Return what is worked in each slot, if job j works for ``slots[j]`` slots from its start on.

    The point must leave room for that: nothing starts later than that before the last slot.
    """
    upto = np.pad(np.cumsum(starts, axis=1), ((0, 0), (1, 0)))
    ends = np.arange(1, starts.shape[1] + 1)
    begins = np.maximum(ends - slots[:, None], 0)
    running = upto[:, 1:] - np.take_along_axis(upto, begins, axis=1)
    return np.asarray(running / slots[:, None], dtype=np.float64)


def alpha_points(shares: Floats, alpha: float) -> Floats:
    """Return for each job the moment, in slots, at which `alpha` of it is reached."""
    upto = np.cumsum(shares, axis=1)
    slot = (upto < alpha - CLOSE).sum(axis=1).clip(max=shares.shape[1] - 1)
    jobs = np.arange(len(shares))
    before = upto[jobs, slot] - shares[jobs, slot]
    part = (alpha - before) / np.maximum(shares[jobs, slot], CLOSE)
    return np.asarray(slot + part.clip(0, 1), dtype=np.float64)


def midpoints(shares: Floats) -> Floats:
    """Return for each job the mean moment, in slots."""
    return np.asarray(shares @ (np.arange(shares.shape[1]) + 0.5), dtype=np.float64)


def alphas(shares: Floats, most: int) -> list[float]:
    """Return the parts that some job reaches at the end of a slot, thinned to `most`."""
    sums = np.unique(np.round(np.cumsum(shares, axis=1), 6))
    sums = sums[(sums > CLOSE) & (sums <= 1)]
    chosen = np.unique(np.linspace(0, sums.size - 1, min(most, sums.size)).astype(np.int64))
    return [float(alpha) for alpha in sums[chosen]]
