"""The limit of coded products for n -> infinity workers: the best k/n, and n times the time.

With k = a n parts, the k-th of n workers finishes at the a-quantile Q(a) of the law. Therefore n
times the expected time tends to Q(a)/a, and with the best code to its minimum over a.
"""

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import gamma

from ...instances import Bimodal, MeasuredTimes, ParetoTime, ShiftedExponential, TaskTime

DIGITS = 60
"""The solution of an equation with a logarithm is computed to this many digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The limit of the best code, and its gain over waiting for all parts."""

    parts: float
    """Best number of parts as a share of the workers."""
    scaled_s: float
    """Expected time, times the number of workers."""
    gain: str
    """Expected uncoded time over expected coded time, for n workers."""


def beta_of(law: ShiftedExponential) -> Decimal:
    """Return the number above 1 with ``beta - ln(beta) = 1 + rate * least``.

    That is ``-W(-exp(-(1 + rate * least)))``, with the lower branch of Lambert's function. Newton's
    steps come down to it from a bound of Chatzigeorgiou 2013.
    """
    with localcontext(Context(prec=DIGITS)):
        excess = law.rate_per_s * law.least_s
        beta = 1 + excess + (2 * excess).sqrt()
        while beta > 1:
            better = beta * (beta.ln() + excess) / (beta - 1)
            if beta - better <= beta.scaleb(8 - DIGITS):
                break
            beta = better
        return beta


def limit_of(law: TaskTime) -> Limit:
    """Return the limit for a law."""
    if isinstance(law, ShiftedExponential):
        beta = beta_of(law)
        scaled = beta / law.rate_per_s
        gain = f"grows as ln n / {beta:.4f}"
        return Limit(parts=float(1 - 1 / beta), scaled_s=float(scaled), gain=gain)
    if isinstance(law, ParetoTime):
        return _of_pareto(law)
    pairs = _quantiles(law)
    parts, time = min(pairs, key=lambda pair: (pair[1] / pair[0], pair[0]))
    last = pairs[-1][1]
    gain = f"tends to {float(last * parts / time):.4g}: bounded, because times are bounded"
    return Limit(parts=float(parts), scaled_s=float(time / parts), gain=gain)


def _of_pareto(law: ParetoTime) -> Limit:
    tail = float(law.tail)
    scaled = (1 + tail) ** (1 / tail) * (1 + tail) / tail
    gain = "is infinite"
    if tail > 1:
        gain = f"grows as {gamma(1 - 1 / tail) / scaled:.4g} n^{1 / tail:.4g}"
    return Limit(parts=tail / (1 + tail), scaled_s=float(law.least_s) * scaled, gain=gain)


def _quantiles(law: Bimodal | MeasuredTimes) -> list[tuple[Fraction, Fraction]]:
    """Return the shares of workers that are done at the times there are, and these times."""
    if isinstance(law, Bimodal):
        slow = Fraction(law.slow)
        pairs = [(1 - slow, Fraction(law.fast_s))] if slow < 1 else []
        return [*pairs, (Fraction(1), Fraction(law.slow_s))] if slow else pairs
    times, count = sorted(map(Fraction, law.times_s)), len(law.times_s)
    return [(Fraction(j, count), time) for j, time in enumerate(times, 1)]
