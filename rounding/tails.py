"""Where an exponential tail bound reaches a wanted probability, by Lambert's W.

Let X be a sum of independent terms in [0, 1], plus whole constants, with mean mu. Chernoff:
``Pr{X >= s} <= exp(-(s ln(s/mu) - s + mu))`` for s >= mu, and ``Pr{X <= s}`` likewise for
s <= mu. Two readings are needed: the mean for a given s, and s for a given mean.
"""

from math import e, exp, log1p, pi
from sys import float_info

from scipy.special import lambertw, wrightomega


def means(y: float) -> tuple[float, float]:
    """Return the two g with ``g - 1 - ln g = y``: g <= 1 and g >= 1.

    They are ``-W_0(-exp(-1 - y))`` and ``-W_{-1}(-exp(-1 - y))``. With mean ``g s`` the tail
    beyond s is at most ``exp(-s y)``. The Wright omega function is W of an exponential, without
    its underflow; which of the two sides of its cut is which root depends on the last digit.
    """
    roots = [-float(wrightomega(complex(-1 - y, side)).real) for side in (pi, -pi)]
    return max(min(roots), float_info.min), max(roots)


def levels(y: float) -> tuple[float, float]:
    """Return the two q with ``q ln q - q + 1 = y``: q <= 1 and q >= 1.

    The tail beyond ``q mu`` is at most ``exp(-mu y)``. There is no q <= 1 for y >= 1: then 0 is
    returned, below which no sum falls.
    """
    if y < 1:
        below, above = means(-log1p(-y))
        return exp(1 - above), exp(1 - below)
    return 0.0, exp(1 + float(lambertw((y - 1) / e).real))
