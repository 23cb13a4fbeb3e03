"""What prices prove: an upper bound by `dual_bound.py`, and what the jobs would take at them."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np

from ...instances import Limits
from ...simulation.online.model import Floats
from .asks import Market
from .pricing import OfferMix, add_loads, by_envelopes, by_table

TINY = 1e-150
"""Lower prices count as 0, so that nothing underflows."""


@dataclass(frozen=True, slots=True, eq=False)
class PricedBound:
    """The bound that prices give, with its two sums, and what the jobs would take."""

    value: Fraction
    sold: float
    """All that there is, at these prices."""
    gains: float
    """What the jobs have left of their utilities."""
    load: Floats
    """What they would take, by slot, group and resource."""


def evaluate(offered: Market, prices: Floats, limits: Limits) -> PricedBound | None:
    """Return the bound of prices[slot, group, resource]; None if the time is up before."""
    prices = np.ascontiguousarray(np.where(prices < TINY, 0.0, prices))
    mix = OfferMix(*(np.zeros(offered.slots, dtype) for dtype in (np.int64, np.int64, float)))
    load, gains = np.zeros_like(prices), []
    for ask in offered.jobs:
        if limits.over():
            return None
        best = by_table if ask.parts else by_envelopes
        gain, end = best(prices, ask, mix)
        gains.append(gain)
        if end >= 0:
            add_loads(prices, ask, mix, end, load)
    sold, left = fsum((prices * offered.capacity).ravel()), fsum(gains)
    slack = Fraction(offered.margin)
    value = (Fraction(sold) + Fraction(left) + 2 * slack * Fraction(offered.hope)) * (1 + slack)
    return PricedBound(value, sold, left, load)
