"""How surely two methods differ: a test of many differences, and its correction for many tests.

Wilcoxon's signed-rank test of whether differences lie as much above 0 as below.

Sources: Wilcoxon 1945; for differences of 0, Pratt 1959.
Holm's correction of many tests at once (Holm 1979).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from .refusals import check_numbers


def holm(chances: Sequence[float]) -> list[float]:
    """Return adjusted p: rejecting those of at most a keeps any false rejection rarer than a."""
    adjusted = [0.0] * len(chances)
    worst = 0.0
    for place, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - place) * chances[i]))
        adjusted[i] = worst
    return adjusted


EXACT = 200
"""Up to this many differences other than 0, p is exact; beyond, by the normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRank:
    """Sums of the ranks of positive and of negative differences, and the two-sided p."""

    plus: float
    minus: float
    count: int
    zeros: int
    p: float
    exact: bool

    @property
    def effect(self) -> float:
        """The matched-pairs rank-biserial correlation: 1 if all are above 0, -1 if below."""
        whole = self.plus + self.minus
        return (self.plus - self.minus) / whole if whole else 0.0


def signed_rank(differences: Iterable[float], *, exact: int = EXACT) -> SignedRank:
    """Test differences; zeros take part in the ranking, and then have no sign.

    Equal sizes share the mean of their ranks, and sizes are equal that agree in twelve digits.
    """
    numbers = check_numbers("signed ranks", differences)
    doubled = _doubled_ranks([float(f"{abs(d):.12g}") for d in numbers])
    there = [(rank, d) for rank, d in zip(doubled, numbers, strict=True) if d]
    plus, minus = (sum(rank for rank, d in there if sign * d > 0) for sign in (1, -1))
    ranks, is_exact = [rank for rank, _ in there], len(there) <= exact
    return SignedRank(
        plus=plus / 2,
        minus=minus / 2,
        count=len(numbers),
        zeros=len(numbers) - len(there),
        p=_exact_p(ranks, min(plus, minus)) if is_exact else _normal_p(ranks, plus - minus),
        exact=is_exact,
    )


def _doubled_ranks(sizes: list[float]) -> list[int]:
    """Return twice the rank of every size, which is whole."""
    ordered = np.sort(sizes)
    below, upto = (np.searchsorted(ordered, sizes, side) for side in ("left", "right"))
    return [int(rank) for rank in below + upto + 1]


def _exact_p(ranks: list[int], least: int) -> float:
    """Return twice the part of all sign patterns whose positive ranks sum to at most `least`."""
    chances = np.zeros(sum(ranks) + 1)
    chances[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    return min(1.0, 2 * float(chances[: least + 1].sum()))


def _normal_p(ranks: list[int], difference: int) -> float:
    """Return p from mean 0 and variance of a sum of ranks with random signs; no correction."""
    deviation = sqrt(sum(rank * rank for rank in ranks))
    return erfc(abs(difference) / deviation / sqrt(2))
