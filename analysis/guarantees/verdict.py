"""What a run says about a theorem."""

from enum import StrEnum
from fractions import Fraction


class Verdict(StrEnum):
    """What a value, a certified bound and the best schedule known say about a factor."""

    HOLDS = "holds"
    """The value is at most the factor times a certified bound."""
    VIOLATED = "violated"
    """The value is more than the factor times that of another checked schedule."""
    INCONCLUSIVE = "inconclusive"
    """Neither is shown, or the theorem does not speak of this run."""


def rule(factor: Fraction, value: Fraction, bound: Fraction, best: Fraction) -> Verdict:
    """Hold `value` against a factor; the least makespan lies between `bound` and `best`."""
    if value <= factor * bound:
        return Verdict.HOLDS
    if value > factor * best:
        return Verdict.VIOLATED
    return Verdict.INCONCLUSIVE
