"""Intervals for any statistic, by drawing clusters of values again (Efron 1987; Field, Welsh 2007).

Runs of one instance with different seeds are not independent: they are drawn together.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf, isfinite
from typing import Literal, TypeVar

import numpy as np

from ..intervals import LEVEL
from .refusals import check_numbers, refusal

Item = TypeVar("Item")
Kind = Literal["bca", "percentile"]

RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A statistic with its interval, which is the whole line if there is but one cluster."""

    value: float
    low: float
    high: float
    clusters: int
    level: float
    kind: Kind

    @property
    def bounded(self) -> bool:
        """Say whether there were clusters enough for an interval."""
        return isfinite(self.low) and isfinite(self.high)


def bootstrap(
    items: Sequence[Item],
    statistic: Callable[[list[Item]], float],
    rng: np.random.Generator,
    *,
    clusters: Sequence[Hashable] | None = None,
    kind: Kind = "bca",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Return a statistic of items and its interval; without `clusters` each item is one."""
    if not items:
        raise refusal("bootstrap", "items", list(items), "at least one", "there is nothing to draw")
    names = range(len(items)) if clusters is None else clusters
    groups: dict[Hashable, list[Item]] = {}
    for name, item in zip(names, items, strict=True):
        groups.setdefault(name, []).append(item)
    parts, value, count = list(groups.values()), statistic(list(items)), len(groups)
    low, high = -inf, inf
    if count > 1:
        draws = rng.integers(count, size=(resamples, count))
        found = [statistic(list(chain.from_iterable(parts[i] for i in draw))) for draw in draws]
        if kind == "percentile":
            low, high = percentile_interval(found, level)
        else:
            others = (chain.from_iterable(parts[:i] + parts[i + 1 :]) for i in range(count))
            low, high = bca_interval(
                value, found, [statistic(list(rest)) for rest in others], level
            )
    return Estimate(value=value, low=low, high=high, clusters=count, level=level, kind=kind)


def percentile_interval(found: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """Return the quantiles of what was found in resamples."""
    return _quantiles(found, (1 - level) / 2, (1 + level) / 2)


def bca_interval(
    value: float, found: Sequence[float], left_out: Sequence[float], level: float = LEVEL
) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval (Efron 1987).

    `left_out` are the values of the statistic without one cluster each.
    """
    from scipy.special import ndtr, ndtri

    numbers = np.array(check_numbers("bootstrap", found))
    below = float(np.mean(numbers < value) + np.mean(numbers <= value)) / 2
    if not 0 < below < 1:
        advice = "take the percentile interval"
        raise refusal("bootstrap", "value", value, "a value amid those of the resamples", advice)
    bias = float(ndtri(below))
    away = np.mean(left_out) - np.array(check_numbers("bootstrap", left_out))
    spread = float(np.sum(away**2)) ** 1.5
    bend = float(np.sum(away**3)) / (6 * spread) if spread else 0.0
    ends = (bias + float(ndtri(chance)) for chance in ((1 - level) / 2, (1 + level) / 2))
    low, high = (float(ndtr(bias + end / (1 - bend * end))) for end in ends)
    return _quantiles(numbers, low, high)


def _quantiles(found: Sequence[float] | np.ndarray, low: float, high: float) -> tuple[float, float]:
    ends = np.quantile(check_numbers("bootstrap", map(float, found)), (low, high))
    return float(ends[0]), float(ends[1])
