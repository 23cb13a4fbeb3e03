"""What a run says about a theorem."""

from enum import StrEnum
from fractions import Fraction


class FactorVerdict(StrEnum):
    """What a value, a certified bound and the best schedule known say about a factor."""

    HOLDS = "holds"
    """The value is at most the factor times a certified bound."""
    VIOLATED = "violated"
    """The value is more than the factor times that of another checked schedule."""
    INCONCLUSIVE = "inconclusive"
    """Neither is shown, or the theorem does not speak of this run."""


def rule(
    factor: Fraction, value: Fraction, bound: Fraction, best: Fraction, *, most: bool = False
) -> FactorVerdict:
    """Check `value` against a factor; the optimum lies between `bound` and `best`.

    The value is to be at most factor times the optimum, or, where the objective is to be `most`,
    the optimum at most factor times the value.
    """
    holds = bound <= factor * value if most else value <= factor * bound
    if holds:
        return FactorVerdict.HOLDS
    broken = best > factor * value if most else value > factor * best
    return FactorVerdict.VIOLATED if broken else FactorVerdict.INCONCLUSIVE
