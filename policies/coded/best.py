"""The best number of parts, if any so many workers are enough for the product."""

from fractions import Fraction

import numpy as np

from ...instances import CodedInstance
from .order import Floats, mean_of, means_of, rounding


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


def best_parts(instance: CodedInstance) -> tuple[int, Fraction] | None:
    """Return the best number of parts, the least of them, and its expected time; both exact.

    None if every expected time is infinite. Floating point leaves those numbers to be compared as
    fractions that its rounding could have put before the best.
    """
    kept = parts_worth_having(instance)
    near = times_by_parts(instance)[np.array(kept) - 1]
    chosen = np.flatnonzero(
        near <= near.min() * (1 + 3 * rounding(instance.time, instance.workers))
    )
    found: tuple[int, Fraction] | None = None
    for k in (kept[i] for i in chosen):
        mean = mean_of(instance.time, instance.workers, k)
        if mean is not None:
            value = instance.share(k) * mean
            if found is None or value < found[1]:
                found = k, value
    return found
