"""Times that must be whole numbers of ticks."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from .errors import Problem


def tick_problems(
    path: str, seconds: Decimal | None, tick_s: Decimal, most: int
) -> Iterator[Problem]:
    """Yield a problem unless a time is a whole number of ticks, and not more than `most`."""
    if seconds is None:
        return
    ticks = Fraction(seconds) / Fraction(tick_s)
    if ticks.denominator != 1:
        advice = "round it, or shorten tick_s"
        yield Problem(path, seconds, f"a multiple of tick_s ({tick_s})", advice)
    elif ticks > most:
        expected = f"at most {most:.0e} ticks of {tick_s} s"
        yield Problem(path, seconds, expected, "lengthen tick_s")
