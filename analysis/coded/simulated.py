"""The mean time to the product over simulated trials, with its confidence interval."""

from collections.abc import Callable
from math import inf, sqrt

from numpy.random import default_rng

from ...instances import CodedInstance, CodedPlan, ParetoTime
from ...simulation.coded.trials import trials
from ..intervals import LEVEL, Interval


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
