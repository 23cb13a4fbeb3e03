"""Programs in OPB, the format of pseudo-Boolean solvers: whole factors of columns that are 0 or 1.

The format is that of the competitions (O. Roussel and V. Manquinho, Input/output format and solver
requirements for the competitions of pseudo-Boolean solvers, 2012). A bounded column becomes a sum
of weighted bits above its lower bound. The last weight makes the sum end at the upper one, so no
row is needed. Rows and objective are multiplied by their common denominators. Comments describe
each column, and the map back to the objective.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..adapters.integral import Integral, WholeFactors, integral
from ..program import Floats, Matrix
from .names import number, to_file

Bits = list[tuple[int, int]]
"""Weights, and the numbers of their bits, from 1."""


@dataclass(frozen=True, slots=True)
class PseudoBoolean:
    """A program in bits, with the map back."""

    matrix: Matrix
    whole: Integral
    bits: list[Bits]
    """Of each column."""

    def point(self, true: Iterable[int]) -> Floats:
        """Return the point at which just these bits are 1."""
        ones = set(true)
        sums = (sum(weight for weight, bit in bits if bit in ones) for bits in self.bits)
        lows = (low for low, _ in self.whole.ranges)
        return np.array([low + above for low, above in zip(lows, sums, strict=True)], dtype=float)

    def value(self, objective: int) -> float:
        """Return the objective of the program from the objective of the file."""
        return (objective + self._constant(self.whole.cost)) / self.whole.cost.scale + float(
            self.matrix.offset
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines of an OPB file."""
        rows = list(self._rows())
        yield f"* #variable= {max(1, sum(map(len, self.bits)))} #constraint= {len(rows)}"
        constant, scale = self._constant(self.whole.cost), self.whole.cost.scale
        offset = number(self.matrix.offset)
        yield f"* objective of the program = (this one + {constant}) / {scale} + {offset}"
        for name, (low, _), bits in zip(
            self.matrix.columns, self.whole.ranges, self.bits, strict=True
        ):
            yield f"* {to_file(name)} = {low}{''.join(f' + {w} x{bit}' for w, bit in bits)}"
        yield f"min: {self._terms(self.whole.cost)};"
        yield from rows

    def _rows(self) -> Iterator[str]:
        for row in self.whole.rows:
            low, high, constant = row.lower, row.upper, self._constant(row)
            if low is not None and low == high:
                yield f"{self._terms(row)}= {low - constant} ;"
                continue
            if low is not None:
                yield f"{self._terms(row)}>= {low - constant} ;"
            if high is not None:
                yield f"{self._terms(row, -1)}>= {constant - high} ;"

    def _terms(self, row: WholeFactors, sign: int = 1) -> str:
        terms = [
            f"{sign * factor * weight:+d} x{bit} "
            for column, factor in zip(row.columns, row.factors, strict=True)
            for weight, bit in self.bits[column]
            if factor
        ]
        return "".join(terms) or "+0 x1 "

    def _constant(self, row: WholeFactors) -> int:
        """Return the part of a row that the lower bounds of its columns make."""
        pairs = zip(row.columns, row.factors, strict=True)
        return sum(factor * self.whole.ranges[column][0] for column, factor in pairs)


def pseudo_boolean(matrix: Matrix) -> PseudoBoolean:
    """Return a program in bits.

    Raises:
        RefusedError: If a column is continuous or has no end, a number is no simple fraction, or
            a row gets too large.
    """
    whole, used, bits = integral(matrix), 0, []
    for low, high in whole.ranges:
        weights = _weights(high - low)
        bits.append([(weight, used + i) for i, weight in enumerate(weights, start=1)])
        used += len(weights)
    return PseudoBoolean(matrix, whole, bits)


def _weights(most: int) -> list[int]:
    """Return powers of two and a last weight, whose sums are all numbers up to `most`."""
    found, sums = [], 0
    while sums < most:
        found.append(min(sums + 1, most - sums))
        sums += found[-1]
    return found
