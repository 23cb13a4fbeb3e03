"""Directed rounding: exact numbers as floating point, rounded to keep a statement true."""

from fractions import Fraction
from math import inf, nextafter


def below(exact: Fraction) -> float:
    """Return the largest float that is at most the number."""
    near = float(exact)
    return near if Fraction(near) <= exact else nextafter(near, -inf)


def above(exact: Fraction) -> float:
    """Return the least float that is at least the number."""
    return -below(-exact)
