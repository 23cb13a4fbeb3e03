"""A linear relaxation of a nonlinear model: each product is a column within its envelope.

Source: McCormick 1976. A product of two sums, each between two numbers, lies between four planes. A
quotient is the column whose product with the divisor is the dividend. Of three factors the first
two are multiplied first. Ranges come from the variables, through sums and products, and no range is
tightened: the result describes the model as written. Integers are left out.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import mul, truediv
from typing import Any, NamedTuple

import numpy as np
import pyomo.environ as pyo
from pyomo.core.expr import numeric_expr as algebra

from ..instances import RefusedError
from .matrix import variables_of
from .program import Matrix
from .rows import GrownRows


class Term(NamedTuple):
    """A constant and multiples of columns, and the least and most that they come to."""

    constant: float
    parts: Mapping[int, float]
    low: float
    high: float

    def times(self, factor: float) -> "Term":
        """Return a multiple."""
        low, high = sorted((factor * self.low, factor * self.high))
        parts = {column: factor * part for column, part in self.parts.items()}
        return Term(factor * self.constant, parts, low, high)


def added(terms: Iterable[Term]) -> Term:
    """Return the sum of terms."""
    constant = low = high = 0.0
    parts: dict[int, float] = {}
    for one in terms:
        constant, low, high = constant + one.constant, low + one.low, high + one.high
        for column, part in one.parts.items():
            parts[column] = parts.get(column, 0.0) + part
    return Term(constant, parts, low, high)


def mccormick(model: Any) -> Matrix:
    """Return the relaxation of a model whose variables all have bounds.

    Raises:
        RefusedError: If a variable in a product has no bounds, or if the model has other functions
            than sums, products and quotients by nonzero numbers.
    """
    return _Relaxation(model).matrix(model)


class _Relaxation:
    """Columns and rows as they come."""

    def __init__(self, model: Any) -> None:
        variables = variables_of(model)
        self._names = list(variables)
        self._place = {id(one): i for i, one in enumerate(variables.values())}
        self._range = [(one.value,) * 2 if one.fixed else _ends(one) for one in variables.values()]
        self._products: dict[Any, Term] = {}
        self._rows = GrownRows()

    def matrix(self, model: Any) -> Matrix:
        """Return rows and objective of the model as a matrix."""
        for row in model.component_data_objects(pyo.Constraint, active=True):
            low, high = pyo.value(row.lower), pyo.value(row.upper)
            self._row(row.name, self._term(row.body), low, high)
        (aim,) = model.component_data_objects(pyo.Objective, active=True)
        goal = self._term(aim.expr).times(1.0 if aim.is_minimizing() else -1.0)
        lower, upper = map(np.array, zip(*self._range, strict=True))
        cost = np.zeros(len(self._names))
        for column, part in goal.parts.items():
            cost[column] = part
        return Matrix(
            columns=tuple(self._names),
            cost=cost,
            offset=goal.constant,
            lower=lower.astype(float),
            upper=upper.astype(float),
            integer=np.zeros(len(self._names), dtype=np.bool_),
            **self._rows.parts(len(self._names)),
        )

    def _row(self, name: str, term: Term, low: float | None, high: float | None) -> None:
        least = -np.inf if low is None else low - term.constant
        most = np.inf if high is None else high - term.constant
        self._rows.add(name, least, most, sorted(term.parts.items()))

    def _term(self, one: Any) -> Term:
        if not hasattr(one, "is_expression_type") or not one.is_potentially_variable():
            value = float(pyo.value(one))
            return Term(value, {}, value, value)
        if one.is_variable_type():
            column = self._place[id(one)]
            return Term(0.0, {column: 1.0}, *self._range[column])
        if isinstance(one, algebra.SumExpression | algebra.LinearExpression):
            return added(map(self._term, one.args))
        if isinstance(one, algebra.NegationExpression):
            return self._term(one.args[0]).times(-1.0)
        if one.is_named_expression_type():
            return self._term(one.expr)
        if isinstance(one, algebra.ProductExpression):
            return self._product(*map(self._term, one.args))
        if isinstance(one, algebra.DivisionExpression):
            return self._quotient(*map(self._term, one.args))
        raise RefusedError(f"a relaxation by envelopes has no {type(one).__name__}: {one}")

    def _product(self, a: Term, b: Term) -> Term:
        for one, other in ((a, b), (b, a)):
            if not any(one.parts.values()):
                return other.times(one.constant)
        if (key := _key(a, b)) not in self._products:
            found = self._products[key] = self._column(mul, a, b)
            self._between(a, b, found)
        return self._products[key]

    def _quotient(self, a: Term, b: Term) -> Term:
        if b.low <= 0 <= b.high:
            raise RefusedError("a relaxation by envelopes has no quotient by a term that may be 0")
        if not any(b.parts.values()):
            return a.times(1 / b.constant)
        if (key := (*_key(a, b), "/")) not in self._products:
            found = self._products[key] = self._column(truediv, a, b)
            self._between(found, b, a)
        return self._products[key]

    def _column(self, of: Callable[[float, float], float], a: Term, b: Term) -> Term:
        ends = [of(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(ends), max(ends)
        if not np.isfinite([low, high]).all():
            raise RefusedError(
                "a relaxation by envelopes needs bounds on every factor of a product"
            )
        self._names.append(f"product[{len(self._products)}]")
        self._range.append((low, high))
        return Term(0.0, {len(self._names) - 1: 1.0}, low, high)

    def _between(self, a: Term, b: Term, product: Term) -> None:
        """Put the product of two terms between the planes through their ends."""
        below, above = ((a.low, b.low), (a.high, b.high)), ((a.low, b.high), (a.high, b.low))
        for i, (x, y) in enumerate((*below, *above)):
            plane = added((b.times(x), a.times(y)))
            gap = added((product, plane.times(-1.0)))
            low, high = (-x * y, None) if i < len(below) else (None, -x * y)
            self._row(f"envelope[{len(self._rows.names)}]", gap, low, high)


def _ends(variable: Any) -> tuple[float, float]:
    low, high = variable.bounds
    return (-np.inf if low is None else low, np.inf if high is None else high)


def _key(a: Term, b: Term) -> tuple[Any, ...]:
    return tuple((one.constant, tuple(sorted(one.parts.items()))) for one in (a, b))
