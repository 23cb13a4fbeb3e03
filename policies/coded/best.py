"""The best number of parts, if any that many workers are enough for the product."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...instances import NO_LIMITS, CodedInstance, Limits
from .order import Floats, mean_of, means_of, rounding


class BestParts(NamedTuple):
    """The best number of parts, and its expected time."""

    parts: int
    value: Fraction | None
    """None if there was no time to compare it with those that look as good."""


def parts_worth_having(instance: CodedInstance) -> list[int]:
    """Return the numbers of parts, but for those with which a part is no smaller than with fewer.

    Waiting for fewer workers with the same task never takes longer.
    """
    shares = [instance.share(k) for k in range(1, instance.workers + 1)]
    return [k for k, now in enumerate(shares, 1) if k == 1 or now < shares[k - 2]]


def times_by_parts(instance: CodedInstance) -> Floats:
    """Return the expected times of codes with 1 to n parts, nearly."""
    n = instance.workers
    shares = [float(instance.share(k)) for k in range(1, n + 1)]
    return np.array(shares) * means_of(instance.time, n)


def best_parts(instance: CodedInstance, limits: Limits = NO_LIMITS) -> BestParts | None:
    """Return the best number of parts, the least of them, and its expected time; both exact.

    None if every expected time is infinite. Floating point leaves those numbers to be compared as
    fractions that its rounding could have put before the best; they are, as long as there is time.
    """
    kept = parts_worth_having(instance)
    near = times_by_parts(instance)[np.array(kept) - 1]
    chosen = np.flatnonzero(
        near <= near.min() * (1 + 3 * rounding(instance.time, instance.workers))
    )
    found: BestParts | None = None
    for k in (kept[i] for i in chosen):
        if limits.over() and np.isfinite(near.min()):
            return BestParts(kept[int(near.argmin())], None)
        mean = mean_of(instance.time, instance.workers, k)
        if mean is not None:
            value = instance.share(k) * mean
            if found is None or found.value is None or value < found.value:
                found = BestParts(k, value)
    return found
