"""A fluid relaxation over intervals: parts of jobs in intervals, and the means of when they work.

Source: Ringyard, after the mean busy times of Goemans, Queyranne, Schulz, Skutella and Wang 2002.

Let M_j be the mean time at which the work of job j is done. It never does more than R_j in a tick,
so it ends at M_j + W_j / (2 R_j) or later, and never before its earliest end alone. Within an
interval all its work is taken to be done in the first tick in which it can be. The optimum is
therefore at most the sum of the ends of every schedule.

Data: G GPUs, and for job j the release r_j, work W_j, best rate R_j, least ticks p_j, and the size
s_j, the half GPUs times ticks that its work takes at least. Interval k goes from tick b_k to
b_(k+1). The last one, K, has no end. If jobs may run in some regions only, there are pools u of G_u
GPUs to which the jobs J_u are bound. A job that goes through phases counts as if it always had its
best rates.

Variables
    part[j, k] in [0, u_jk]: part of the work of job j done in interval k, if r_j < b_(k+1). Here
        u_jk = min(1, R_j (b_(k+1) - max(b_k, r_j)) / W_j), and u_jK = 1
    end[j] in [r_j + p_j, b_K + p_j + 1]: the tick at which job j ends

Objective
    all_ends: minimise sum_j end[j]

Constraints
    all_work[j]: sum_k part[j, k] = 1
    half_after_mean[j]: end[j] - sum_k (max(b_k, r_j) + 1/2) part[j, k] >= W_j / (2 R_j)
    gpus_fit[k]: sum_j s_j part[j, k] <= 2 G (b_(k+1) - b_k), for k < K
    regions_fit[u, k]: sum_(j in J_u) s_j part[j, k] <= 2 G_u (b_(k+1) - b_k), for k < K and each
        pool

Size: |J| (K + 1) variables, 2 |J| + K rows.
"""

from fractions import Fraction
from math import ceil

import numpy as np
from scipy.sparse import coo_array

from ...instances import TraceInstance
from ...simulation.model import Ints
from ..program import Matrix
from .demand import demands, pools

Starts = tuple[int, ...]
"""The first tick of every interval."""


def interval_starts(instance: TraceInstance, intervals: int) -> Starts:
    """Return intervals of equal length, or single ticks, from the first release on.

    The endless one begins when all jobs could have ended if they shared GPUs in any parts.
    """
    jobs = demands(instance)
    first = min(job.release for job in jobs)
    last = max(job.release + job.ticks for job in jobs)
    for pool in pools(instance):
        filled = Fraction(first)
        for job in sorted((jobs[j] for j in pool.jobs), key=lambda job: job.release):
            filled = max(filled, Fraction(job.release)) + Fraction(job.size, pool.halves)
        last = max(last, ceil(filled))
    length = max(1, -((first - last) // intervals))
    return tuple(range(first, last + length, length))


def twin(instance: TraceInstance, starts: Starts) -> Matrix:
    """Return the matrix of the relaxation over the intervals that begin at these ticks."""
    jobs = [job.relaxed for job in demands(instance)]
    bounds, last = np.array(starts), len(starts) - 1
    release = np.array([job.release for job in jobs])
    first = np.searchsorted(bounds, release, side="right") - 1
    counts = len(starts) - first
    owner = np.repeat(np.arange(len(jobs)), counts)
    interval = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts - first, counts)
    since = np.maximum(bounds[interval], release[owner])
    until = np.append(bounds[1:], bounds[-1])[interval]
    rate, work, size = (
        np.array([float(getattr(job, name)) for job in jobs]) for name in ("rate", "work", "size")
    )
    done = rate[owner] * (until - since)
    full = (done >= work[owner]) | (interval == last)
    inside = np.flatnonzero(interval < last)
    pooled = _pool_rows(instance, owner, interval, last)
    at, every = np.arange(len(owner)), np.arange(len(jobs))
    least = np.array([job.ticks for job in jobs])
    blocks = [
        (owner, at, np.ones(len(at))),
        (len(jobs) + owner, at, -(since + 0.5)),
        (len(jobs) + every, len(at) + every, np.ones(len(jobs))),
        (2 * len(jobs) + interval[inside], at[inside], size[owner[inside]]),
        *(
            (np.full(len(some), 2 * len(jobs) + last + row), some, size[owner[some]])
            for row, some in enumerate(pooled.values())
        ),
    ]
    rows, columns, values = map(np.concatenate, zip(*blocks, strict=True))
    shape = (2 * len(jobs) + last + len(pooled), len(at) + len(jobs))
    a = coo_array((values, (rows, columns)), shape=shape).tocsr()
    a.eliminate_zeros()
    ones, none = np.ones(len(jobs)), np.full(last + len(pooled), -np.inf)
    fits = [pools(instance)[u].halves * (starts[k + 1] - starts[k]) for u, k in pooled]
    return Matrix(
        columns=(
            *(f"part[{j},{k}]" for j, k in zip(owner, interval, strict=True)),
            *(f"end[{j}]" for j in every),
        ),
        rows=(
            *(f"all_work[{j}]" for j in every),
            *(f"half_after_mean[{j}]" for j in every),
            *(f"gpus_fit[{k}]" for k in range(last)),
            *(f"regions_fit[{u},{k}]" for u, k in pooled),
        ),
        cost=np.concatenate([np.zeros(len(at)), ones]),
        lower=np.concatenate([np.zeros(len(at)), release + least]),
        upper=np.concatenate(
            [np.where(full, 1.0, np.nextafter(done / work[owner], 1.0)), bounds[-1] + least + 1]
        ),
        integer=np.zeros(len(at) + len(jobs), dtype=np.bool_),
        a=a,
        row_lower=np.concatenate([ones, np.nextafter(work / (2 * rate), 0.0), none]),
        row_upper=np.concatenate(
            [ones, np.full(len(jobs), np.inf), 2.0 * instance.gpus * np.diff(bounds), fits]
        ),
    )


def _pool_rows(
    instance: TraceInstance, owner: Ints, interval: Ints, last: int
) -> dict[tuple[int, int], Ints]:
    """Return the columns of every row `regions_fit`, by the number of its pool and its interval."""
    found: dict[tuple[int, int], Ints] = {}
    for u, pool in enumerate(pools(instance)[1:], start=1):
        own = np.flatnonzero(np.isin(owner, pool.jobs) & (interval < last))
        order = own[np.argsort(interval[own], kind="stable")]
        ks, first = np.unique(interval[order], return_index=True)
        parts = np.split(order, first[1:])
        found |= {(u, int(k)): part for k, part in zip(ks, parts, strict=False)}
    return found


def twin_of(instance: TraceInstance, intervals: int) -> Matrix:
    """Return the program whose intervals `interval_starts` chooses."""
    return twin(instance, interval_starts(instance, intervals))
