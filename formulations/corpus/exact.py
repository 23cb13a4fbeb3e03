"""Prices a point of a program in fractions: its value, and by how much it misses rows and cones."""

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import isfinite, isqrt
from typing import NamedTuple

import numpy as np

from ...instances import RefusedError
from ..conic import Cone, ConicProgram
from ..exact import entries
from ..files.nl import Arithmetic, NlPart, read_nl
from ..program import Matrix, Nonlinear, Program

Values = Mapping[int, Fraction]
"""Values by column. The other columns are 0."""


class Miss(NamedTuple):
    """By which part of its largest number a row, a bound or an integer is missed, and which one.

    Rows of nonlinear programs are called by their number, from 0.
    """

    amount: Fraction
    where: str


NOTHING = Miss(Fraction(0), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """The value of a point in a program, and its worst misses."""

    value: Fraction
    rows: Miss
    bounds: Miss
    integers: Miss

    @property
    def worst(self) -> Miss:
        """The largest miss of all."""
        return max(self.rows, self.bounds, self.integers)

    def holds(self, tolerance: Fraction = Fraction(0)) -> bool:
        """Return True if the point violates no row by more than a tolerance."""
        return self.worst.amount <= tolerance


class _Limits(NamedTuple):
    """A row or column: its value, its two sides, and the size of its largest coefficient."""

    name: str
    value: Fraction
    low: float
    high: float
    size: float


def priced(program: Program, values: Values) -> Priced:
    """Return the value of a point and its misses.

    Coefficients are the doubles of the program, the point the decimals of its file. A row or bound
    is missed by a part of its largest number (or of 1), as in `formulations/program.py`. An integer
    is missed absolutely.

    Raises:
        RefusedError: If the program has a function whose values are no fractions.
        ZeroDivisionError: If the point is not in the domain of a nonlinear program.
    """
    if isinstance(program, Matrix):
        rows, value, lower, upper, integer = _linear(program, values)
    else:
        rows, value, lower, upper, integer = _nonlinear(program, values)
    columns = program.columns
    limits = (
        _Limits(name, values.get(j, Fraction(0)), low, high, 1.0)
        for j, (name, low, high) in enumerate(zip(columns, lower, upper, strict=True))
    )
    parts = (
        Miss(abs(x - round(x)), columns[j])
        for j, x in values.items()
        if integer[j] and x.denominator != 1
    )
    return Priced(
        value=value, rows=_worst(rows), bounds=_worst(limits), integers=max(parts, default=NOTHING)
    )


def _worst(limits: Iterable[_Limits]) -> Miss:
    worst = NOTHING
    for one in limits:
        sides = ((one.low, 1), (one.high, -1))
        miss = max((_short(one, side, sign) for side, sign in sides), default=Fraction(0))
        if miss > worst.amount:
            worst = Miss(miss, one.name)
    return worst


def _short(one: _Limits, side: float, sign: int) -> Fraction:
    if not isfinite(side):
        return Fraction(0)
    short = sign * (Fraction(side) - one.value)
    if short <= 0:
        return Fraction(0)
    finite = [abs(end) for end in (one.low, one.high) if isfinite(end)]
    return short / Fraction(max(1.0, one.size, *finite))


Read = tuple[Iterator[_Limits], Fraction, list[float], list[float], list[bool]]


def _linear(matrix: Matrix, values: Values) -> Read:
    a, sums = matrix.a.tocsc(), [Fraction(0)] * len(matrix.rows)
    for j, x in values.items():
        for i, entry in entries(a, j):
            sums[i] += entry * x
    cost = sum((Fraction(float(matrix.cost[j])) * x for j, x in values.items()), Fraction(0))
    sizes = abs(matrix.a).max(axis=1).toarray().ravel() if matrix.a.nnz else np.zeros(len(sums))
    sides = (matrix.row_lower.tolist(), matrix.row_upper.tolist(), sizes.tolist())
    rows = (_Limits(*row) for row in zip(matrix.rows, sums, *sides, strict=True))
    bounds = matrix.lower.tolist(), matrix.upper.tolist()
    return rows, cost + Fraction(matrix.offset), *bounds, matrix.integer.tolist()


EXACT = Arithmetic(
    Fraction,
    lambda terms: sum(terms, Fraction(0)),
    {
        "o0": operator.add,
        "o1": operator.sub,
        "o2": operator.mul,
        "o3": operator.truediv,
        "o11": min,
        "o12": max,
        "o15": abs,
        "o16": operator.neg,
        "o54": lambda *terms: sum(terms, Fraction(0)),
    },
)
"""The operators of NL under which fractions stay fractions."""


def _nonlinear(program: Nonlinear, values: Values) -> Read:
    text = read_nl(program.nl)
    known = [values.get(j, Fraction(0)) for j in range(len(program.columns))]
    for shared in text.shared:
        known.append(_value(shared, known))
    sizes = (max(map(abs, part.linear.values()), default=0.0) for part in text.rows)
    parts = enumerate(zip(text.rows, text.row_bounds, sizes, strict=True))
    rows = (_Limits(str(i), _value(part, known), *ends, size) for i, (part, ends, size) in parts)
    lower, upper = ([pair[side] for pair in text.bounds] for side in (0, 1))
    return rows, _value(text.objective, known), lower, upper, text.integer.tolist()


def _value(part: NlPart, known: list[Fraction]) -> Fraction:
    try:
        return Fraction(part.value(known, EXACT))
    except KeyError as error:
        reason = f"the operator {error} of its NL text gives no fractions"
        raise RefusedError(f"a point of this program has no exact value: {reason}") from error


DIGITS = 50

ROOM = Context(prec=DIGITS)
SPARE = Fraction(1, 10 ** (DIGITS - 8))
"""More than the rounding of decimals, relative to the numbers."""

SCALE = 10**30
"""Of roots: they are rounded up to multiples of 1 / `SCALE`."""


def priced_in_cones(program: ConicProgram, values: Values) -> Priced:
    """Return the value of a point and its misses.

    Linear and quadratic cones, and power cones with a fraction as exponent, are checked in
    fractions: a point is inside or not. By how much it is outside is a root, and is rounded up.
    Exponential cones are checked in decimals of `DIGITS` digits, so a point within their rounding
    of the border is treated as outside, by this amount. A cone is missed by a part of its largest
    number, or of 1.
    """
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
        short = _short_of_cone(cone, own)
        if short > 0:
            amount = short / max(Fraction(1), *map(abs, own))
            worst = max(worst, Miss(amount, program.rows[place.start].rpartition("[")[0]))
    total = value + Fraction(program.offset)
    return Priced(value=total, rows=worst, bounds=NOTHING, integers=NOTHING)


def _short_of_cone(cone: Cone, own: list[Fraction]) -> Fraction:
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
