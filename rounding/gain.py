"""Gain factors: scale a fractional point before rounding, with the resulting guarantees.

Let xbar be a point of the linear program, and round ``G xbar`` up or down without bias. With
probability 1 - delta, all of this holds together: the cost is at most ``3 G / delta`` times the
cost of xbar, each cover row reaches ``cover`` times its demand, and each packing row stays within
``packing`` times its capacity. A factor that favours packing makes ``packing`` 1. One that favours
covering makes ``cover`` 1. Proofs: docs/theory/rounding-packing-covering.md.

All numbers that are granted are rounded outward: a cover down, a packing and a cost up.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from math import e, exp, inf, isfinite, log1p, nextafter, pi, sqrt
from sys import float_info
from typing import Literal

from scipy.special import lambertw, wrightomega

from ..instances import InputError
from ..instances.directed_rounding import above, below
from ..instances.errors import Words
from .program import Widths

DIGITS = Context(prec=40)
"""Decimals that compute the exponent of a tail."""

SPARE = Decimal("1e-35")
"""More than all rounding errors as a part of 1 and of the exponent."""


def means(y: float) -> tuple[float, float]:
    """Return the two g with ``g - 1 - ln g = y``, or beyond: g <= 1 and g >= 1.

    They are ``-W_0(-exp(-1 - y))`` and ``-W_{-1}(-exp(-1 - y))``. With mean ``g s`` the tail beyond
    s is at most ``exp(-s y)``. The Wright omega function is W of an exponential, without its
    underflow. The last digit decides which side of its cut gives which root.
    """
    low, high = _roots(y)
    return _outward(low, y, _of_mean, float_info.min), _outward(high, y, _of_mean, inf)


def _roots(y: float) -> tuple[float, float]:
    low, high = sorted(-float(wrightomega(complex(-1 - y, side)).real) for side in (pi, -pi))
    return max(low, float_info.min), high


def levels(y: float) -> tuple[float, float]:
    """Return the two q with ``q ln q - q + 1 = y``, or beyond: q <= 1 and q >= 1.

    Let X be a sum of independent terms in [0, 1], plus whole constants, with mean mu. Chernoff:
    ``Pr{X >= s} <= exp(-(s ln(s/mu) - s + mu))`` for s >= mu, and ``Pr{X <= s}`` likewise for
    s <= mu. Two readings are needed: the mean for a given s, and s for a given mean.

    Both are roots of equations, and floating point finds them nearly. They are moved away from 1,
    the point without deviation, until decimals of many digits show that the tail is thin enough.

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


Side = Literal["packing", "covering"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GainFactor:
    """A gain factor with the guarantees of its theorem and the hypotheses that are not met."""

    form: Literal["printed", "chernoff"]
    factor: float
    delta: float
    cover: float
    """Every cover row reaches this part of its demand."""
    packing: float
    """Every packing row stays within this multiple of its capacity."""
    cover_unmet: str | None = None
    """The hypothesis of the statement about cover rows, if it does not hold."""
    packing_unmet: str | None = None

    @property
    def cost(self) -> float:
        """Return the factor within which the cost stays: 3 G / delta, by Markov's inequality."""
        return above(3 * Fraction(self.factor) / _written(self.delta))

    @property
    def unmet(self) -> str | None:
        """Name the hypotheses that are not met, if any."""
        return "; ".join(filter(None, (self.packing_unmet, self.cover_unmet))) or None


def chernoff_gain(widths: Widths, delta: float, favours: Side) -> GainFactor:
    """Return the factor for which the favoured rows hold, by Chernoff's bound itself.

    ``G - 1 - ln G = ln(3 r / delta) / W_b`` with G <= 1 for packing, and ``ln(3 m / delta) / W_a``
    with G >= 1 for covering. Source: Hoeffding 1963, adapted by Ringyard. No hypothesis is needed.
    """
    pack, cover = _logs(widths, delta)
    if favours == "packing":
        gain = chosen_gain(widths, delta, means(_over(pack, widths.packing))[0])
        return replace(gain, packing=1.0)
    return replace(chosen_gain(widths, delta, means(_over(cover, widths.cover))[1]), cover=1.0)


def chosen_gain(widths: Widths, delta: float, factor: float) -> GainFactor:
    """Return the promise of a chosen factor, by Chernoff's bound.

    ``cover = G q`` with ``q ln q - q + 1 = ln(3 m / delta) / (G W_a)``, q <= 1, and ``packing``
    likewise with r, W_b and q >= 1. Source: Hoeffding 1963, adapted by Ringyard.
    """
    if not (isfinite(factor) and factor > 0):
        raise InputError.of(
            "gain", "factor", Words(f"{factor:g}"), "a number above 0", "1 is a usual choice"
        )
    pack, cover = _logs(widths, delta)
    return GainFactor(
        form="chernoff",
        factor=factor,
        delta=delta,
        cover=_times(factor, levels(_over(cover, widths.cover, factor))[0], below),
        packing=_times(factor, levels(_over(pack, widths.packing, factor))[1], above),
    )


def printed_gain(widths: Widths, delta: float, favours: Side) -> GainFactor:
    """Return the factor as the papers print it, with the hypotheses of its tail bounds checked.

    For packing ``G = 1 + k - sqrt(k^2 + 2 k)`` with ``k = 3 ln(3 r / delta) / (2 W_b)``, and for
    covering ``G = 1 + k + sqrt(k^2 + 2 k)`` with ``k = ln(3 m / delta) / W_a``. Their bounds
    ``exp(-eps^2 mu / 3)`` above and ``exp(-eps^2 mu / 2)`` below a mean mu need eps <= 1. Source:
    PD-ORS (online scheduling and placement of parameter-server training jobs). SMD has the first
    with ``2 r / delta``.
    """
    pack, cover = _logs(widths, delta)
    if favours == "packing":
        k = 1.5 * pack / widths.packing
        factor = 1 / (1 + k + sqrt(k * k + 2 * k))
        below = sqrt(_over(2 * cover, widths.cover, factor))
        needs = _needs("W_b >= 6 ln(3r/delta)", widths.packing, 6 * pack)
        reach = _needs("G W_a >= 2 ln(3m/delta)", factor * widths.cover, 2 * cover)
        granted = max(0.0, 1 - below) * factor, 1.0
    else:
        k = cover / widths.cover
        factor = 1 + k + sqrt(k * k + 2 * k)
        above = sqrt(_over(3 * pack, widths.packing, factor))
        needs = _needs("G W_b >= 3 ln(3r/delta)", factor * widths.packing, 3 * pack)
        reach = None
        granted = 1.0, (1 + above) * factor
    return GainFactor(
        form="printed",
        factor=factor,
        delta=delta,
        cover=granted[0],
        packing=granted[1],
        cover_unmet=reach,
        packing_unmet=needs,
    )


def _logs(widths: Widths, delta: float) -> tuple[float, float]:
    """Return ln(3 r / delta) and ln(3 m / delta), or a little more."""
    if not 0 < delta < 1:
        expected, advice = "a probability between 0 and 1", "0.1 is a usual choice"
        raise InputError.of("gain", "delta", Words(f"{delta:g}"), expected, advice)
    each = 3 / _written(delta)
    return (
        _log_above(each * max(widths.packing_rows, 1)),
        _log_above(each * max(widths.cover_rows, 1)),
    )


def _log_above(number: Fraction) -> float:
    with localcontext(prec=40, rounding=ROUND_CEILING):
        ratio = Decimal(number.numerator) / Decimal(number.denominator)
        return above(Fraction(ratio.ln().next_plus()))


def _written(number: float) -> Fraction:
    """Return the number that a person wrote, such as 1/10 for 0.1."""
    return Fraction(repr(float(number)))


def _over(log: float, width: float, factor: float = 1.0) -> float:
    """Return a logarithm over the least mean of a row, or a little more."""
    if not 0 < width < inf:
        return 0.0 if width else inf
    return above(Fraction(log) / (Fraction(factor) * Fraction(width)))


def _times(factor: float, level: float, rounded: Callable[[Fraction], float]) -> float:
    return rounded(Fraction(factor) * Fraction(level)) if isfinite(level) else level


def _needs(text: str, left: float, right: float) -> str | None:
    return None if left >= right else f"{text}, and {left:.4g} < {right:.4g}"
