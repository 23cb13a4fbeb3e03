"""Theorems about coded products: the best code, and the loss without a code.

Proofs: `docs/theory/reserved-coded-shuffle.md`.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...instances import CodedInstance, ShiftedExponential
from ..coded import beta_of
from . import Guarantee, Hypothesis, best, only

ROUNDING = Decimal("1e-25")
"""An upper bound on the rounding error of beta, even close to 1."""


def _other_law(instance: Any, _: Any) -> str | None:
    if not isinstance(instance, CodedInstance):
        return f"the instance is of kind {instance.kind}"
    law = instance.time
    return None if isinstance(law, ShiftedExponential) else f"the law is {law.model}"


def log_factor(instance: CodedInstance) -> Fraction:
    """Return an upper bound on the expected uncoded time over the minimum."""
    law, n = instance.time, instance.workers
    if not isinstance(law, ShiftedExponential):
        raise TypeError(f"no factor is known for the law {law.model}")
    from ...policies.coded import harmonic

    slowest = Fraction(law.rate_per_s) * Fraction(law.least_s) + harmonic(range(1, n + 1))
    below = max(beta_of(law) - ROUNDING, Decimal(1))
    return instance.share(n) * (n + 1) * slowest / Fraction(below)


BEST = Hypothesis(name="the best number of parts", unmet=only("parts", None))
EXPONENTIAL = Hypothesis(name="a shifted exponential law", unmet=_other_law)

CODED: tuple[Guarantee, ...] = (
    Guarantee(
        name="mds-bound",
        statement="1: a code with k parts waits for k workers",
        source="Ringyard, after Lee et al. 2018 (arXiv 1512.02673)",
        proved=True,
        hypotheses=(BEST,),
        factor=best,
        methods=("mds",),
    ),
    Guarantee(
        name="log-n",
        statement="(1 + 1/n) (mu least + H_n) / beta, with beta - ln beta = 1 + mu least",
        source="Ringyard, after Lee et al. 2018 (arXiv 1512.02673)",
        proved=True,
        hypotheses=(EXPONENTIAL,),
        factor=log_factor,
        methods=("uncoded",),
    ),
)
