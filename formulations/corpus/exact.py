"""Prices a point of a program in fractions: its value, and by how much it misses what.

Coefficients are the doubles of the program, the point the decimals of its file. A row or bound is
missed by a part of its largest number (or of 1), as in `solver_interface/checker.py`; an integer is
missed absolutely.
"""

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, lcm
from typing import NamedTuple

from ...instances import RefusedError
from ..files.nl import Arithmetic, NlPart, read_nl
from ..program import Matrix, Nonlinear, Program

Values = Mapping[int, Fraction]
"""By column; the others are 0."""


class Miss(NamedTuple):
    """By which part of its largest number a row, a bound or an integer is missed, and which one.

    Rows of nonlinear programs are called by their number, from 0.
    """

    amount: Fraction
    where: str


NOTHING = Miss(Fraction(0), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What a point is worth in a program, and its worst misses."""

    value: Fraction
    rows: Miss
    bounds: Miss
    integers: Miss

    @property
    def worst(self) -> Miss:
        """The largest miss of all."""
        return max(self.rows, self.bounds, self.integers)

    def holds(self, tolerance: Fraction = Fraction(0)) -> bool:
        """Say whether the point misses nothing by more than a tolerance."""
        return self.worst.amount <= tolerance


class _Limits(NamedTuple):
    """What has a value between two sides, and the size of its largest number."""

    name: str
    value: Fraction
    low: float
    high: float
    size: float


def priced(program: Program, values: Values) -> Priced:
    """Return what a point is worth and misses.

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
    below = lcm(*{x.denominator for x in values.values()})
    a, sums = matrix.a.tocsc(), [0] * len(matrix.rows)
    ratios = [value.as_integer_ratio() for value in a.data.tolist()]
    unit = max((bottom for _, bottom in ratios), default=1)
    for j, x in values.items():
        factor = x.numerator * (below // x.denominator)
        for k in range(a.indptr[j], a.indptr[j + 1]):
            top, bottom = ratios[k]
            sums[a.indices[k]] += top * (unit // bottom) * factor
    cost = sum((Fraction(float(matrix.cost[j])) * x for j, x in values.items()), Fraction(0))
    sizes = abs(matrix.a).max(axis=1).toarray().ravel() if ratios else [0.0] * len(sums)
    rows = (
        _Limits(name, Fraction(total, unit * below), low, high, float(size))
        for name, total, low, high, size in zip(
            matrix.rows,
            sums,
            matrix.row_lower.tolist(),
            matrix.row_upper.tolist(),
            sizes,
            strict=True,
        )
    )
    sides = matrix.lower.tolist(), matrix.upper.tolist()
    return rows, cost + Fraction(matrix.offset), *sides, matrix.integer.tolist()


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
    for part in text.shared:
        known.append(_value(part, known))
    rows = (
        _Limits(
            str(i),
            _value(part, known),
            low,
            high,
            max(map(abs, part.linear.values()), default=0.0),
        )
        for i, (part, (low, high)) in enumerate(zip(text.rows, text.row_bounds, strict=True))
    )
    lower, upper = ([pair[side] for pair in text.bounds] for side in (0, 1))
    return rows, _value(text.objective, known), lower, upper, text.integer.tolist()


def _value(part: NlPart, known: list[Fraction]) -> Fraction:
    try:
        return Fraction(part.value(known, EXACT))
    except KeyError as error:
        reason = f"the operator {error} of its NL text gives no fractions"
        raise RefusedError(f"a point of this program has no exact value: {reason}") from error
