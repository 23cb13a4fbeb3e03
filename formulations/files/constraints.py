"""Constraint models as MiniZinc, and as the JSON form of CP-SAT's model, without OR-Tools.

Both files hold the same numbers. MiniZinc's variables are ``x0``, ``x1``, .., with their names as
comments. Its output is a line ``name value`` for each, which `ringyard import sol` reads.
"""

import json
from collections.abc import Iterator
from typing import Any

from ..constraints import (
    All,
    Clause,
    Constraint,
    ConstraintModel,
    Cumulative,
    ExactlyOne,
    Linear,
    Maximum,
    Task,
    sides,
)
from .names import to_file

AND, OR = " /\\ ", " \\/ "


def minizinc_lines(model: ConstraintModel, title: str) -> Iterator[str]:
    """Yield the lines of a MiniZinc model."""
    yield f"% {to_file(title)}"
    yield 'include "cumulative.mzn";'  # Some packages' globals.mzn does not compile.
    for place, (name, low, high) in enumerate(model.variables):
        yield f"var {low}..{high}: x{place}; % {to_file(name)}"
    for constraint in model.constraints:
        yield from (f"constraint {text};" for text in _minizinc(constraint))
    yield "solve satisfy;"
    yield "output ["
    for place, name in enumerate(model.names):
        yield f'  "{to_file(name)} \\(x{place})\\n",'
    yield "];"


def _minizinc(constraint: Constraint) -> Iterator[str]:
    match constraint:
        case Linear(terms, low, high, when):
            total, condition = _total(terms), _condition(when)
            if low is not None and low == high:
                yield f"{condition}{total} = {low}"
            else:
                if low is not None:
                    yield f"{condition}{total} >= {low}"
                if high is not None:
                    yield f"{condition}{total} <= {high}"
        case Clause(literals):
            yield OR.join(map(_literal, literals))
        case All(literals, when):
            yield f"{_condition(when)}({AND.join(map(_literal, literals))})"
        case ExactlyOne(literals):
            yield f"{' + '.join(f'bool2int({_literal(one)})' for one in literals)} = 1"
        case Maximum(terms, variables):
            yield f"{_total(terms)} = max([{_listed(variables)}])"
        case Cumulative(tasks, capacity):
            for task in tasks:
                when = () if task.present is None else (task.present,)
                yield f"{_condition(when)}x{task.start} + x{task.length} = x{task.end}"
            starts, lengths = ([task[part] for task in tasks] for part in (0, 1))
            units = ", ".join(map(_units, tasks))
            yield f"cumulative([{_listed(starts)}], [{_listed(lengths)}], [{units}], {capacity})"


def _total(terms: tuple[tuple[int, int], ...]) -> str:
    return " + ".join(f"{factor}*x{variable}" for variable, factor in terms) or "0"


def _condition(when: tuple[int, ...]) -> str:
    return f"({AND.join(map(_literal, when))}) -> " if when else ""


def _literal(literal: int) -> str:
    return f"x{literal} = 1" if literal >= 0 else f"x{~literal} = 0"


def _listed(variables: Any) -> str:
    return ", ".join(f"x{one}" for one in variables)


def _units(task: Task) -> str:
    """Return what a task holds: nothing, if it is not there."""
    units = str(task.units) if task.variable is None else f"x{task.variable}"
    return units if task.present is None else f"{units}*bool2int({_literal(task.present)})"


def cp_json(model: ConstraintModel, title: str) -> str:
    """Return the JSON text of a ``CpModelProto``."""
    variables = [
        {"name": name, "domain": [str(low), str(high)]} for name, low, high in model.variables
    ]
    constraints: list[dict[str, Any]] = []
    for constraint in model.constraints:
        if isinstance(constraint, Cumulative):
            constraints += _cumulative(constraint, len(constraints))
        else:
            constraints.append(_proto(constraint))
    proto = {"name": title, "variables": variables, "constraints": constraints}
    return json.dumps(proto, indent=1) + "\n"


def _proto(constraint: Constraint) -> dict[str, Any]:
    match constraint:
        case Linear(terms, when=when):
            domain = sides(constraint)
            row = {**_expression(terms), "domain": [str(side) for side in domain]}
            return {**_when(when), "linear": row}
        case Clause(literals):
            return {"boolOr": {"literals": list(literals)}}
        case All(literals, when):
            return {**_when(when), "boolAnd": {"literals": list(literals)}}
        case ExactlyOne(literals):
            return {"exactlyOne": {"literals": list(literals)}}
        case Maximum(terms, variables):
            parts = [_expression(((one, 1),)) for one in variables]
            return {"linMax": {"target": _expression(terms), "exprs": parts}}
        case Cumulative():
            raise AssertionError("a cumulative is several constraints")


def _when(literals: tuple[int, ...]) -> dict[str, Any]:
    return {"enforcementLiteral": list(literals)} if literals else {}


def _expression(terms: tuple[tuple[int, int], ...]) -> dict[str, Any]:
    factors = [str(factor) for _, factor in terms]
    return {"vars": [variable for variable, _ in terms], "coeffs": factors}


def _cumulative(constraint: Cumulative, place: int) -> Iterator[dict[str, Any]]:
    """Yield the intervals of tasks, which count as constraints from `place` on, and the limit."""
    needs = []
    for task in constraint.tasks:
        parts = zip(("start", "size", "end"), task[:3], strict=True)
        when = () if task.present is None else (task.present,)
        yield {**_when(when), "interval": {name: _expression(((x, 1),)) for name, x in parts}}
        fixed = {"offset": str(task.units)}
        needs.append(fixed if task.variable is None else _expression(((task.variable, 1),)))
    limit = {"offset": str(constraint.capacity)}
    intervals = list(range(place, place + len(needs)))
    yield {"cumulative": {"capacity": limit, "intervals": intervals, "demands": needs}}
