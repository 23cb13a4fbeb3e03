"""A matrix whose numbers are fractions, stated in whole numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isfinite, lcm

import numpy as np

from ...instances import RefusedError, SolutionStatus, TerminationReason
from ..program import Floats, Matrix, Nonlinear, Program, Solution
from ..stated import Stated, fixed
from .solver import claim

LARGEST_DENOMINATOR = 10**6
"""A number stands for the fraction of at most this denominator that rounds to it."""

LARGEST_SUM = 2**62
"""No row may be able to grow beyond this."""

EXACTLY: Stated = {
    "row tolerance": fixed("exact"),
    "integer tolerance": fixed("exact"),
    "infeasibility tolerance": fixed("exact"),
    "threads": fixed("1"),
    "algorithm": fixed("clause learning"),
}
"""Settings of a solver that computes in whole numbers and takes no options."""


@dataclass(frozen=True, slots=True)
class WholeFactors:
    """Whole factors of some columns. Their sum stays between limits, and None is no limit."""

    columns: list[int]
    factors: list[int]
    lower: int | None
    upper: int | None
    scale: int
    """The factor by which the row was multiplied."""


@dataclass(frozen=True, slots=True)
class Integral:
    """A program in whole numbers."""

    ranges: list[tuple[int, int]]
    rows: list[WholeFactors]
    cost: WholeFactors


@dataclass(frozen=True, slots=True)
class Inequality:
    """Whole factors of columns that are not fixed. Their sum may not exceed a limit."""

    columns: list[int]
    factors: list[int]
    most: int


def integral(matrix: Matrix, largest: int = LARGEST_SUM) -> Integral:
    """Return a program in whole numbers, each row scaled by its common denominator.

    Raises:
        RefusedError: If a column is continuous or has no end, a number is no simple fraction, or
            a column or a row could grow beyond `largest`.
    """
    ranges = [_range(matrix, column, largest) for column in range(len(matrix.columns))]
    rows = []
    for i, name in enumerate(matrix.rows):
        span = slice(matrix.a.indptr[i], matrix.a.indptr[i + 1])
        limits = float(matrix.row_lower[i]), float(matrix.row_upper[i])
        columns, data = matrix.a.indices[span].tolist(), matrix.a.data[span]
        rows.append(_row(name, columns, data, limits, ranges, largest))
    used = matrix.cost.nonzero()[0]
    free = (-float("inf"), float("inf"))
    cost = _row("cost", used.tolist(), matrix.cost[used], free, ranges, largest)
    return Integral(ranges, rows, cost)


def inequalities(whole: Integral) -> Iterator[Inequality]:
    """Yield the rows as inequalities, one for each side.

    Fixed columns are taken out, since constraint solvers fail on rows without variables.
    """
    for row in whole.rows:
        fixed, columns, factors = 0, [], []
        for column, factor in zip(row.columns, row.factors, strict=True):
            low, high = whole.ranges[column]
            if factor == 0 or low == high:
                fixed += factor * low
            else:
                columns.append(column)
                factors.append(factor)
        if row.upper is not None:
            yield Inequality(columns, factors, row.upper - fixed)
        if row.lower is not None:
            yield Inequality(columns, [-factor for factor in factors], fixed - row.lower)


def cost_range(whole: Integral) -> tuple[int, int]:
    """Return between which numbers the cost lies, by the ends of its columns."""
    ends = [
        sorted(factor * end for end in whole.ranges[column])
        for column, factor in zip(whole.cost.columns, whole.cost.factors, strict=True)
    ]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def searched(
    program: Matrix, termination: TerminationReason, point: Floats | None, note: str
) -> Solution:
    """Return the claims of a search for the best point, or the reason why it stopped."""
    if termination is not TerminationReason.DONE:
        return claim(termination, note, point)
    if point is None:
        return claim(SolutionStatus.INFEASIBLE)
    value = float(program.cost @ point) + program.offset
    return claim(SolutionStatus.OPTIMAL, point=point, bound=value)


def refuses(program: Program, largest: int = LARGEST_SUM) -> str | None:
    """Return why a solver for whole numbers cannot treat `program`, or None."""
    if isinstance(program, Nonlinear):
        return "it accepts linear rows only"
    try:
        integral(program, largest)
    except RefusedError as error:
        return f"it needs whole numbers: {error}"
    return None


def _range(matrix: Matrix, column: int, largest: int) -> tuple[int, int]:
    low, high = float(matrix.lower[column]), float(matrix.upper[column])
    if not matrix.integer[column]:
        raise RefusedError(f"{matrix.columns[column]} is continuous")
    if not (isfinite(low) and isfinite(high)):
        raise RefusedError(f"{matrix.columns[column]} has no bounds")
    if max(abs(low), abs(high)) > largest:
        raise RefusedError(f"{matrix.columns[column]} goes beyond {largest:.1e}")
    return ceil(low), floor(high)


def _row(
    name: str,
    columns: list[int],
    data: Floats,
    limits: tuple[float, float],
    ranges: list[tuple[int, int]],
    largest: int,
) -> WholeFactors:
    whole, scale = _whole(name, data)
    most = sum(
        abs(factor) * max(map(abs, ranges[column]))
        for factor, column in zip(whole, columns, strict=True)
    )
    if most > largest:
        raise RefusedError(f"{name} needs numbers beyond {largest:.1e} to be whole")
    low, high = (_fraction(name, end) * scale if isfinite(end) else None for end in limits)
    # Limits that the row cannot reach have no effect, but might not fit into 64 bits.
    lower = None if low is None or low <= -most else min(ceil(low), most + 1)
    upper = None if high is None or high >= most else max(floor(high), -most - 1)
    return WholeFactors(columns, whole, lower, upper, scale)


def _whole(name: str, data: Floats) -> tuple[list[int], int]:
    """Return the numbers times their common denominator, and that denominator."""
    if (data == np.rint(data)).all():
        return [int(number) for number in data.tolist()], 1
    factors = [_fraction(name, number) for number in data.tolist()]
    scale = lcm(*(factor.denominator for factor in factors))
    return [int(factor * scale) for factor in factors], scale


def _fraction(name: str, number: float) -> Fraction:
    found = _nearest(number)
    if float(found) != number:
        raise RefusedError(f"{name} holds {number!r}, which is not a simple fraction")
    return found


@lru_cache(maxsize=100_000)
def _nearest(number: float) -> Fraction:
    return Fraction(number).limit_denominator(LARGEST_DENOMINATOR)
