"""Certified lower bounds on the expected time to a product, whatever the workers multiply.

Say that every worker has one combination of the k parts of the matrix. Fewer than k combinations
do not determine k parts; so the product is not known before k workers are done, each of whom takes
at least the k-th part of his time for everything. The expected time is at least that of the k-th
worker, times the share. The least of that over all k is a bound, and codes for which any k workers
are enough meet it.
"""

from ...instances import Bound, BoundKind, CodedInstance
from ...policies.coded.best import best_parts
from ...policies.coded.order import mean_of


def combinatorial_bounds(instance: CodedInstance) -> list[Bound]:
    """Return the bounds by the workers that must be done, and by the first of them, best first."""
    n, found = instance.workers, []
    best = best_parts(instance)
    if best is not None:
        parts, value = best
        found.append(
            Bound(
                value=value,
                kind=BoundKind.COMBINATORIAL,
                name="as many workers as parts",
                argument=f"k parts need k workers, and no k is better than {parts}",
            )
        )
    first = mean_of(instance.time, n, 1)
    found.append(
        Bound(
            value=instance.share(n) * (first or 0),
            kind=BoundKind.COMBINATORIAL,
            name="first worker",
            argument="no worker is done before the first of all, with the smallest part there is",
        )
    )
    return found
