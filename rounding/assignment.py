"""Shares of jobs, rounded: on machines to an assignment, over time to an order of the jobs.

A share is how many units of a job go to a machine: parts of one unit for a job that goes to one
machine, whole units and a part for a ring over several. A row adds up to a whole number. Solvers
return shares with few significant digits. In millionths, rows add up exactly.

Sources: C. Phillips, C. Stein and J. Wein, Minimizing average completion time in the presence of
release dates, Mathematical Programming 82, 1998; L. A. Hall, A. S. Schulz, D. B. Shmoys and
J. Wein, Scheduling to minimize average completion time, Mathematics of Operations Research 22,
1997, for alpha-points; A. S. Schulz, Scheduling to minimize total weighted completion time, IPCO
1996, and M. Queyranne and A. S. Schulz, Approximation bounds for a general class of precedence
constrained parallel machine scheduling problems, SIAM Journal on Computing 35, 2006, for midpoints.

A point gives each job, a row, a share for each slot: how much of it starts there, or how much is
worked there. A row adds up to 1. The *alpha-point* of a job is the moment at which alpha of it has
been started or worked, at an even pace within a slot. Its *midpoint* is the mean moment. For work,
this is the mean busy time.

The factors that these papers prove are for weighted sums of completion times, on machines that
process one job at a time. No order is proved better than another for the makespan.
docs/theory/lp-rounding.md gives the guarantees of all orders.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from ..instances import InputError
from ..instances.errors import Problem, Words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PARTS = 1_000_000
"""Parts of a unit."""

CLOSE = 1e-5
"""By how much a row may miss its whole number, and a share one that it is meant to be."""


def whole_and_parts(shares: Floats) -> tuple[Ints, Ints]:
    """Return whole units and the remaining parts. The parts of a row add up to whole units.

    Whole values and zeros stay as they are, and no part exceeds a unit.

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
    found = Words(", ".join(f"{share:g}" for share in shares[job]))
    expected = "numbers of at least 0 that add up to a whole one"
    return Problem(f"shares[{job}]", found, expected, "take them from a solved program")


def round_by_slots(shares: Floats, work: Floats) -> Ints:
    """Return whole units for each job and machine.

    Sources: J. K. Lenstra, D. B. Shmoys and E. Tardos, Approximation algorithms for scheduling
    unrelated parallel machines, Mathematical Programming 46, 1990, for basic points; D. B. Shmoys
    and E. Tardos, An approximation algorithm for the generalized assignment problem, Mathematical
    Programming 62, 1993, for any point, by the slots used here. Rings over several machines are
    Ringyard's extension.

    Job j puts ``shares[j, m]`` units on machine m, and each unit loads it by ``work[j, m]``. Whole
    units stay. The parts left on a machine are put into slots of one unit, the largest work first,
    a part over two slots where need be. Then every unit left of a job goes into a slot in which it
    has a part, on different machines, and no slot takes two: a flow, which exists because the parts
    are one in fractions.

    Theorem. The load of machine m becomes at most the load of the shares plus the largest ``work[j,
    m]`` of its parts. If the shares keep a limit T, and no job with a part on a machine runs longer
    than T there, loads are at most 2 T. With the least such T, this is twice the least largest
    load. Proof: docs/theory/lp-rounding.md.
    """
    whole, parts = whole_and_parts(shares)
    jobs, machines = np.nonzero(parts)
    if jobs.size:
        taken = _matched(jobs, parts.sum(axis=1) // PARTS, *_slots(parts, work))
        whole[jobs[taken], machines[taken]] += 1
    return whole


def _slots(parts: Ints, work: Floats) -> tuple[Ints, Ints]:
    """Return parts, by number along the rows, and the slots that each of them reaches into."""
    number = np.cumsum(parts > 0).reshape(parts.shape) - 1
    held, slots, count = [], [], 0
    for machine in range(parts.shape[1]):
        jobs = np.flatnonzero(parts[:, machine])
        jobs = jobs[np.argsort(-work[jobs, machine], kind="stable")]
        amounts = parts[jobs, machine]
        upto = np.cumsum(amounts)
        first, last = (upto - amounts) // PARTS, (upto - 1) // PARTS
        two = last > first
        held += [number[jobs, machine], number[jobs[two], machine]]
        slots += [first + count, last[two] + count]
        count += int(last.max(initial=-1)) + 1
    return np.concatenate(held), np.concatenate(slots)


def _matched(jobs: Ints, units: Ints, held: Ints, slots: Ints) -> Ints:
    """Return the parts that become units, from a flow of jobs over parts into slots."""
    first_part, first_slot = 1 + units.size, 1 + units.size + jobs.size
    sink = first_slot + int(slots.max()) + 1
    parts, filled = first_part + np.arange(jobs.size), first_slot + np.unique(slots)
    tails = [np.zeros_like(units), 1 + jobs, first_part + held, filled]
    heads = [1 + np.arange(units.size), parts, first_slot + slots, np.full_like(filled, sink)]
    most = np.concatenate([units, np.ones(jobs.size + held.size + filled.size, dtype=np.int64)])
    places = (np.concatenate(tails), np.concatenate(heads))
    network = csr_array((most.astype(np.int32), places), shape=(sink + 1, sink + 1))
    flow = csr_array(maximum_flow(network, 0, sink).flow)
    return np.flatnonzero(np.asarray(flow[1 + jobs, parts]) > 0)


def round_by_chance(shares: Floats, rng: Generator) -> Ints:
    """Return whole units for each job and machine, drawn once.

    Source: P. Raghavan and C. D. Thompson, Randomized rounding, Combinatorica 7, 1987. The tail
    bound in this form, and rings over several machines, are Ringyard's extension.

    Job j puts ``shares[j, m]`` units on machine m in the mean, and each unit loads it by ``work[j,
    m]``. Whole units stay. The remaining parts of a job, at least one unit together, are drawn at
    once: every machine gets one or no unit, with the probability of its part. Jobs draw
    independently.

    Theorem. Let f be the load of the whole units on machine m, mu the mean load of the parts, and a
    the largest ``work[j, m]`` among them. With probability at least 1 - delta, the load of every
    one of M machines is below ``f + q mu``, or is f without parts. Here q >= 1 and ``q ln q - q + 1
    = (a / mu) ln(M / delta)``, that is ``q = exp(1 + W_0(((a / mu) ln(M / delta) - 1) / e))``.
    Proof: docs/theory/lp-rounding.md.
    """
    whole, parts = whole_and_parts(shares)
    drawn = rng.integers(PARTS, size=(len(parts), 1))
    upto = np.cumsum(parts, axis=1)
    return whole + np.diff((upto - drawn + PARTS - 1) // PARTS, axis=1, prepend=0)


def worked(starts: Floats, slots: Ints) -> Floats:
    """Return the work of each slot, if job j works for ``slots[j]`` slots from its start on.

    The point must leave room for this delay: no job starts later than this before the last slot.
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
