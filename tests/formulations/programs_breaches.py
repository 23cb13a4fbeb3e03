"""Which components of a Pyomo model a point in its variables breaks, without any solver."""

from collections.abc import Iterator
from typing import Any

import pyomo.environ as pyo
from pyomo.gdp import Disjunct, Disjunction

TOLERANCE = 1e-9


def breached(model: Any) -> set[str]:
    """Return the local names of broken rows, and of variables out of their bounds."""
    return {
        *(row.parent_component().local_name for row in rows(model) if broken(row)),
        *(column.parent_component().local_name for column in columns(model) if astray(column)),
        *(either.parent_component().local_name for either in choices(model) if not decided(either)),
    }


def rows(model: Any) -> Iterator[Any]:
    """Yield the constraints that count: of disjuncts, those of the chosen ones."""
    yield from model.component_data_objects(pyo.Constraint, active=True)
    for case in model.component_data_objects(Disjunct, active=True):
        if case.binary_indicator_var.value == 1:
            yield from case.component_data_objects(pyo.Constraint, active=True)


def columns(model: Any) -> Iterator[Any]:
    yield from model.component_data_objects(pyo.Var)


def choices(model: Any) -> Iterator[Any]:
    yield from model.component_data_objects(Disjunction, active=True)


def broken(row: Any) -> bool:
    value = pyo.value(row.body)
    low, high = pyo.value(row.lower), pyo.value(row.upper)
    slack = TOLERANCE * max(1.0, abs(low or 0.0), abs(high or 0.0))
    return (low is not None and value < low - slack) or (high is not None and value > high + slack)


def astray(column: Any) -> bool:
    value, (low, high) = column.value, column.bounds
    whole = not column.is_continuous()
    return (
        (low is not None and value < low - TOLERANCE)
        or (high is not None and value > high + TOLERANCE)
        or (whole and value != round(value))
    )


def decided(either: Any) -> bool:
    chosen = sum(case.binary_indicator_var.value for case in either.disjuncts)
    return bool(chosen == 1)
