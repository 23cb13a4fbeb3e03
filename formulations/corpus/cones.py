"""Prices a point of a conic program: its value in fractions, and by how much it misses a cone.

Linear and quadratic cones, and power cones with a fraction as exponent, are checked in fractions:
a point is inside or not. By how much it is outside is a root, and is rounded up. Exponential cones
are checked in decimals of `DIGITS` digits, so a point within their rounding of the border counts
as outside, by as much. A cone is missed by a part of its largest number, or of 1.
"""

from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt

from ..conic import Cone, ConicProgram
from .exact import NOTHING, Miss, Priced, Values

DIGITS = 50

ROOM = Context(prec=DIGITS)
SPARE = Fraction(1, 10 ** (DIGITS - 8))
"""More than what decimals round, as a part of the numbers."""

SCALE = 10**30
"""Of roots: they are rounded up to multiples of 1 / `SCALE`."""


def priced_in_cones(program: ConicProgram, values: Values) -> Priced:
    """Return what a point is worth and misses."""
    sums = [Fraction(constant) for constant in program.b.tolist()]
    a = program.a.tocoo()
    for i, j, entry in zip(a.row.tolist(), a.col.tolist(), a.data.tolist(), strict=True):
        if j in values:
            sums[i] += Fraction(entry) * values[j]
    costs = zip(program.cost.tolist(), range(len(program.columns)), strict=True)
    value = sum((Fraction(cost) * values.get(j, Fraction(0)) for cost, j in costs), Fraction(0))
    worst = NOTHING
    for cone, place in program.blocks():
        own = sums[place]
        short = _short(cone, own)
        if short > 0:
            amount = short / max(Fraction(1), *map(abs, own))
            worst = max(worst, Miss(amount, program.rows[place.start].rpartition("[")[0]))
    total = value + Fraction(program.offset)
    return Priced(value=total, rows=worst, bounds=NOTHING, integers=NOTHING)


def _short(cone: Cone, own: list[Fraction]) -> Fraction:
    """Return by how much values are outside a cone, 0 if they are inside."""
    if cone.sort == "zero":
        return max(map(abs, own))
    if cone.sort == "positive":
        return max(-min(own), Fraction(0))
    if cone.sort == "quadratic":
        squares = sum(x * x for x in own[1:])
        inside = own[0] >= 0 and own[0] ** 2 >= squares
        return Fraction(0) if inside else _root_above(Fraction(squares)) - own[0]
    if cone.sort == "power":
        assert cone.exponent is not None
        return _short_of_power(cone.exponent, *own)
    return _short_of_exponential(*own)


def _root_above(square: Fraction) -> Fraction:
    scaled = square.numerator * SCALE**2 // square.denominator
    return Fraction(isqrt(scaled) + 1, SCALE)


def _short_of_power(exponent: Fraction, x: Fraction, y: Fraction, z: Fraction) -> Fraction:
    """Compare powers in fractions: x^p y^(n-p) with |z|^n for the exponent p / n."""
    if min(x, y) < 0:
        return max(-min(x, y), abs(z))
    over, under = exponent.numerator, exponent.denominator
    if x**over * y ** (under - over) >= abs(z) ** under:
        return Fraction(0)
    if min(x, y) == 0:
        return abs(z)
    pairs = ((x, exponent), (y, 1 - exponent))
    logs = (ROOM.multiply(ROOM.ln(_decimal(one)), _decimal(part)) for one, part in pairs)
    mean = Fraction(ROOM.exp(ROOM.add(*logs)))
    return max(abs(z) - mean, Fraction(0)) + SPARE * (1 + abs(z))


def _short_of_exponential(bound: Fraction, size: Fraction, power: Fraction) -> Fraction:
    if size <= 0:
        return max(-size, abs(power), SPARE)
    if power == 0:
        return max(size - bound, Fraction(0))
    least = size * Fraction(ROOM.exp(_decimal(power / size)))
    return max(least * (1 + SPARE) - bound, Fraction(0))


def _decimal(value: Fraction) -> Decimal:
    return ROOM.divide(Decimal(value.numerator), Decimal(value.denominator))
