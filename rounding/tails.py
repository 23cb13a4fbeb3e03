"""Where an exponential tail bound reaches a wanted probability, by Lambert's W.

Let X be a sum of independent terms in [0, 1], plus whole constants, with mean mu. Chernoff:
``Pr{X >= s} <= exp(-(s ln(s/mu) - s + mu))`` for s >= mu, and ``Pr{X <= s}`` likewise for
s <= mu. Two readings are needed: the mean for a given s, and s for a given mean.

Both are roots of equations, and floating point finds them nearly. They are moved away from 1, where
there is no deviation, until decimals of many digits show that the tail is thin enough.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from math import e, exp, inf, log1p, nextafter, pi
from sys import float_info

from scipy.special import lambertw, wrightomega

DIGITS = Context(prec=40)
"""Decimals that compute the exponent of a tail."""

SPARE = Decimal("1e-35")
"""More than all that they round, as a part of 1 and of the exponent."""


def means(y: float) -> tuple[float, float]:
    """Return the two g with ``g - 1 - ln g = y``, or beyond: g <= 1 and g >= 1.

    They are ``-W_0(-exp(-1 - y))`` and ``-W_{-1}(-exp(-1 - y))``. With mean ``g s`` the tail
    beyond s is at most ``exp(-s y)``. The Wright omega function is W of an exponential, without
    its underflow; which of the two sides of its cut is which root depends on the last digit.
    """
    low, high = _roots(y)
    return _outward(low, y, _of_mean, float_info.min), _outward(high, y, _of_mean, inf)


def _roots(y: float) -> tuple[float, float]:
    low, high = sorted(-float(wrightomega(complex(-1 - y, side)).real) for side in (pi, -pi))
    return max(low, float_info.min), high


def levels(y: float) -> tuple[float, float]:
    """Return the two q with ``q ln q - q + 1 = y``, or beyond: q <= 1 and q >= 1.

    The tail beyond ``q mu`` is at most ``exp(-mu y)``. There is no q <= 1 for y >= 1: then 0 is
    returned, below which no sum falls.
    """
    if y < 1:
        below, above = _roots(-log1p(-y))
        found = exp(1 - above), exp(1 - below)
    else:
        found = 0.0, exp(1 + float(lambertw((y - 1) / e).real))
    return _outward(found[0], y, _of_level, 0.0), _outward(found[1], y, _of_level, inf)


def _of_mean(g: Decimal) -> Decimal:
    return DIGITS.subtract(DIGITS.subtract(g, 1), DIGITS.ln(g))


def _of_level(q: Decimal) -> Decimal:
    return DIGITS.add(DIGITS.subtract(DIGITS.multiply(q, DIGITS.ln(q)), q), 1)


def _outward(root: float, y: float, of: Callable[[Decimal], Decimal], end: float) -> float:
    """Return the first number from a root on towards an end that is surely far enough."""
    if not 0 < y < inf:
        return root if y else 1.0
    wanted = DIGITS.add(DIGITS.multiply(Decimal(y), DIGITS.add(1, SPARE)), SPARE)
    side = min if end < 1 else max
    found, step = side(root, 1.0), nextafter(root, end) - root
    while found != end and of(Decimal(found)) < wanted:
        found = found + step if end == inf else max(found + step, end)
        step *= 2
    return found
