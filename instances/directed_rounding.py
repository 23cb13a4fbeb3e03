"""Exact numbers as floating point, rounded to the side that keeps a statement true."""

from fractions import Fraction
from math import inf, nextafter


def below(exact: Fraction) -> float:
    """Return the number in floating point, or a little less."""
    near = float(exact)
    return near if Fraction(near) <= exact else nextafter(near, -inf)


def above(exact: Fraction) -> float:
    """Return the number in floating point, or a little more."""
    return -below(-exact)
