"""Many trials at once: what each worker takes, and when the product is known."""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...instances import Bimodal, CodedInstance, CodedPlan, ParetoTime, ShiftedExponential, TaskTime

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
