"""Means over instances in families, each of equal weight, and their intervals.

Programs of one instance are alike, and so are instances of one family. A family therefore has the
same weight as any other, an instance the same as any other of its family, and a program the same
as any other of its instance. Chance is in the choice of instances: intervals are percentiles of
bootstrap samples of instances, drawn within each family (Efron and Tibshirani 1993).
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import exp, log
from statistics import fmean

import numpy as np

Place = tuple[str, str, Hashable]
"""The family, the instance and the program of a value."""

Nested = Mapping[str, Mapping[str, float]]
"""The mean of each instance of each family."""

RESAMPLES = 2_000


def nested(values: Sequence[float], places: Sequence[Place]) -> Nested:
    """Return the mean of each instance, over its programs, and of each of these over its values."""
    parts: dict[str, dict[str, dict[Hashable, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for value, (family, instance, program) in zip(values, places, strict=True):
        parts[family][instance][program].append(value)
    return {
        family: {name: fmean(map(fmean, held.values())) for name, held in instances.items()}
        for family, instances in parts.items()
    }


def equal_mean(found: Nested) -> float:
    """Return the mean with equal weight for families, and for instances within each."""
    return fmean(fmean(instances.values()) for instances in found.values())


def logs_of(values: Iterable[float], shift: float) -> list[float]:
    """Return the logarithms whose mean a shifted geometric mean is."""
    return [log(max(1.0, value + shift)) for value in values]


def equal_shifted_mean(
    values: Sequence[float], places: Sequence[Place], shift: float
) -> tuple[float, float, float]:
    """Return the shifted geometric mean and the ends of its 95 % interval."""
    found = nested(logs_of(values, shift), places)
    rng, means = np.random.default_rng(0), np.zeros(RESAMPLES)
    for instances in found.values():
        logs = np.array(list(instances.values()))
        means += logs[rng.integers(len(logs), size=(RESAMPLES, len(logs)))].mean(axis=1)
    low, high = np.quantile(means / len(found), [0.025, 0.975])
    mean, low, high = (exp(one) - shift for one in (equal_mean(found), low, high))
    return mean, min(low, mean), max(high, mean)  # Rounding may lead out of the values.
