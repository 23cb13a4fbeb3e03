"""Certified lower bounds on the expected time to a product, for any assignment of work.

Let every worker have one combination of the k parts of the matrix. Fewer than k combinations do not
determine k parts. Hence the product is not known before k workers are done, each of which needs at
least 1/k of the time for the whole matrix. The expected time is at least that of the k-th worker,
times the share. The minimum over all k is a bound, and codes for which any k workers are enough
meet it.
"""

from ..instances import (
    NO_LIMITS,
    Bimodal,
    Bound,
    BoundKind,
    CodedInstance,
    Limits,
    MeasuredTimes,
    ShiftedExponential,
)
from ..policies.coded import best_parts, mean_of, steps_of

MOST_DIGITS = 2_000_000
"""The judge takes up to five seconds for sums of this many."""


def refusal(instance: CodedInstance) -> str | None:
    """Report that the exact sums would be too long, or None."""
    law = instance.time
    if isinstance(law, Bimodal | MeasuredTimes):
        factors = [longer.denominator for _, longer in steps_of(law).ups]
    else:
        slope = law.rate_per_s if isinstance(law, ShiftedExponential) else law.tail
        factors = [slope.as_integer_ratio()[0] * instance.workers]
    digits = instance.workers * sum(len(str(factor)) for factor in factors)
    if digits <= MOST_DIGITS:
        return None
    return (
        f"its exact sums would have {digits:,} digits, more than {MOST_DIGITS:,}, and the sum "
        "cannot be interrupted. Use fewer workers, fewer measured times, or shorter numbers."
    )


def combinatorial_bounds(instance: CodedInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by the workers that must be done, and by the first of them, best first.

    The first needs long sums, for which there may be no time.
    """
    n, found = instance.workers, []
    best = best_parts(instance, limits)
    if best is not None and best.value is not None:
        name = "as many workers as parts"
        why = f"k parts need k workers, and no k is better than {best.parts}"
        found.append(Bound.by(BoundKind.COMBINATORIAL, name, best.value, why, {"rule": name}))
    first = mean_of(instance.time, n, 1)
    why = "no worker finishes before the fastest one with the smallest part of the work"
    value, step = instance.share(n) * (first or 0), {"rule": "first worker"}
    proof = None if first is None else step
    return [*found, Bound.by(BoundKind.COMBINATORIAL, "first worker", value, why, proof)]
