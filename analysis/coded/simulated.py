"""The mean time to the product over many simulated trials, with its confidence interval."""

from collections.abc import Callable, Iterator
from math import inf, sqrt

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ...instances import Bimodal, CodedInstance, CodedPlan, ParetoTime, ShiftedExponential, TaskTime
from ..intervals import LEVEL, Interval

Floats = NDArray[np.float64]

BLOCK = 2**21
"""So many times are drawn at once."""


def draw(law: TaskTime, rng: Generator, shape: tuple[int, int]) -> Floats:
    """Return independent times of a whole task."""
    if isinstance(law, ShiftedExponential):
        return float(law.least_s) + rng.standard_exponential(shape) / float(law.rate_per_s)
    if isinstance(law, ParetoTime):
        return float(law.least_s) * np.exp(rng.standard_exponential(shape) / float(law.tail))
    if isinstance(law, Bimodal):
        late = rng.random(shape) < float(law.slow)
        return np.where(late, float(law.slow_s), float(law.fast_s))
    return rng.choice(np.array(law.times_s, dtype=np.float64), shape)


def known_at(plan: CodedPlan, times: Floats) -> Floats:
    """Return when the product is known, by trial: a row of times for each, in whole tasks."""
    trials, workers = times.shape
    k = plan.parts
    if plan.points:
        reached: Floats = np.partition(times, k - 1, axis=1)[:, k - 1]
        return reached
    # Worker w has part w mod k; the last row of copies may be short.
    copies = np.full((trials, -(-workers // k) * k), np.inf)
    copies[:, :workers] = times
    first = copies.reshape(trials, -1, k).min(axis=1)
    slowest: Floats = first.max(axis=1)
    return slowest


def trials(
    instance: CodedInstance, plan: CodedPlan, rng: Generator, count: int
) -> Iterator[Floats]:
    """Yield the times to the product of so many trials, in blocks that fit into memory."""
    share = float(instance.share(plan.parts))
    most = max(1, BLOCK // instance.workers)
    for start in range(0, count, most):
        shape = (min(most, count - start), instance.workers)
        yield share * known_at(plan, draw(instance.time, rng, shape))


def simulate(
    instance: CodedInstance,
    plan: CodedPlan,
    *,
    count: int,
    seed: int,
    level: float = LEVEL,
    told: Callable[[int], None] | None = None,
) -> Interval:
    """Return the mean of independent trials with Student's t interval.

    Trials are drawn and forgotten block by block; `told` is called with how many are done.
    """
    from scipy.special import stdtrit

    rng, done, mean, squares = default_rng(seed), 0, 0.0, 0.0
    for block in trials(instance, plan, rng, count):
        # Means and sums of squares about them are merged as in Chan, Golub and LeVeque 1983.
        size, own = len(block), float(block.mean())
        apart = own - mean
        squares += float(((block - own) ** 2).sum()) + apart**2 * done * size / (done + size)
        done += size
        mean += apart * size / done
        if told is not None:
            told(done)
    half = inf
    if done > 1:
        spread = sqrt(squares / (done - 1) / done)
        half = float(stdtrit(done - 1, (1 + level) / 2)) * spread
    return Interval(mean=mean, low=mean - half, high=mean + half, count=done, level=level)


def endless_variance(instance: CodedInstance, plan: CodedPlan) -> bool:
    """Say whether the variance is infinite, so that the interval is too narrow."""
    if not isinstance(instance.time, ParetoTime):
        return False
    n, k = instance.workers, plan.parts
    copies = n - k + 1 if plan.points else n // k
    return copies * instance.time.tail <= 2
