"""From a Pyomo model to the input of solvers, and from a solver's point back into the model.

Columns and rows come in the order of their declaration and are called as Pyomo calls the
components. Constants of rows are in the rows' bounds, a row with two bounds stays one row, a row
without variables is left out, and a maximised objective is turned. A fixed variable keeps a column,
between equal bounds and in no row. A variable without a row does too.
"""

from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.errors import InfeasibleConstraintException
from pyomo.gdp import Disjunct, Disjunction
from pyomo.repn.plugins.nl_writer import NLWriter
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler
from scipy.sparse import csr_array

from ..instances import RefusedError
from .catalogue import Formulation
from .program import Floats, Matrix, Nonlinear, Program


def is_linear(model: Any) -> bool:
    """Return True if all rows and the objective of a model are linear, and no logic is left."""
    logic = (pyo.LogicalConstraint, Disjunction)
    if any(True for _ in model.component_data_objects(logic, active=True)):
        return False
    algebra = (pyo.Constraint, pyo.Objective)
    parts = model.component_data_objects(algebra, active=True)
    return all(
        (part.body if part.ctype is pyo.Constraint else part.expr).polynomial_degree() in (0, 1)
        for part in parts
    )


def matrix_of(model: Any) -> Matrix:
    """Return a linear model as a matrix."""
    variables = variables_of(model)
    try:
        form = LinearStandardFormCompiler().write(
            model, mixed_form=True, column_order=list(variables.values())
        )
    except InfeasibleConstraintException as error:
        raise RefusedError(f"no point satisfies this program: {error}") from error
    if len(form.objectives) > 1:
        raise RefusedError(f"a program has one objective, but this one has {len(form.objectives)}")
    place = {id(variable): i for i, variable in enumerate(variables.values())}
    used = np.array([place[id(column)] for column in form.columns], dtype=np.int64)
    cost = np.zeros(len(variables))
    cost[used] = form.c.toarray().sum(axis=0)
    names, kept, row_lower, row_upper = _rows(form)
    a = form.A.tocsr()[kept]
    return Matrix(
        columns=tuple(variables),
        rows=tuple(names),
        cost=cost,
        offset=float(sum(form.c_offset)),
        integer=np.array([not one.is_continuous() for one in variables.values()], dtype=np.bool_),
        a=csr_array((a.data, used[a.indices], a.indptr), shape=(len(names), len(variables))),
        row_lower=row_lower,
        row_upper=row_upper,
        **_bounds(list(variables.values())),
    )


def _rows(form: Any) -> tuple[list[str], list[int], Floats, Floats]:
    """Return names, compiled rows and bounds, the two halves of a ranged row joined."""
    kept: list[int] = []
    names: list[str] = []
    lower: list[float] = []
    upper: list[float] = []
    last = None
    for i, ((row, side), rhs) in enumerate(zip(form.rows, form.rhs, strict=True)):
        if row is last:
            lower[-1] = rhs
            continue
        last = row
        kept.append(i)
        names.append(row.name)
        lower.append(-np.inf if side > 0 else rhs)
        upper.append(np.inf if side < 0 else rhs)
    return names, kept, np.array(lower, dtype=float), np.array(upper, dtype=float)


def _bounds(variables: list[Any]) -> dict[str, Floats]:
    pairs = [(one.value, one.value) if one.fixed else one.bounds for one in variables]
    return {
        "lower": np.array([-np.inf if low is None else low for low, _ in pairs], dtype=float),
        "upper": np.array([np.inf if high is None else high for _, high in pairs], dtype=float),
    }


def nonlinear_of(model: Any) -> Nonlinear:
    """Return a model as an NL file, with the columns that some row or objective uses."""
    nl, info = nl_of(model)
    return Nonlinear(columns=tuple(one.name for one in info.variables), nl=nl)


def nl_of(model: Any) -> tuple[bytes, Any]:
    """Return the text of an NL file, and Pyomo's lists of the components in it."""
    text = StringIO()
    info = NLWriter().write(model, text, linear_presolve=False, scale_model=False)
    return text.getvalue().encode("ascii"), info


def set_point(model: Any, program: Program, point: Floats) -> None:
    """Put a point of a program into the model it was made from.

    Fixed variables stay as they are. Variables outside the program become 0.
    """
    values = dict(zip(program.columns, point.tolist(), strict=True))
    for name, variable in variables_of(model).items():
        if not variable.fixed:
            variable.set_value(values.get(name, 0.0), skip_validation=True)


def point_of(model: Any, program: Program) -> Floats:
    """Return the point of a program that stands in a model, with missing values as 0."""
    variables = variables_of(model)
    return np.array([variables[name].value or 0.0 for name in program.columns], dtype=float)


def variables_of(model: Any) -> dict[str, Any]:
    """Return the variables of a model by name, in order of declaration."""
    inside = (pyo.Block, Disjunct)
    return {one.name: one for one in model.component_data_objects(pyo.Var, descend_into=inside)}


def stated_model(instance: Any, formulation: Formulation, horizon: int | None = None) -> Any:
    """Return the model of an instance. Disjunctions become rows with big-M.

    Raises:
        RefusedError: If the program cannot state the instance, or would be too large.
    """
    model = formulation.build(instance, horizon)
    if formulation.form == "disjunctive":
        pyo.TransformationFactory("gdp.bigm").apply_to(model)
    return model


def stated_matrix(instance: Any, formulation: Formulation, horizon: int | None = None) -> Matrix:
    """Return the matrix of an instance, from arrays where the program has such a twin.

    Raises:
        RefusedError: If the program cannot state the instance, would be too large, or is
            nonlinear.
    """
    if formulation.form == "nonlinear":
        raise RefusedError(f"{formulation.name} is not linear: export it as nl, or take another")
    if formulation.twin is None:
        return matrix_of(stated_model(instance, formulation, horizon))
    formulation.check(instance, horizon)
    return formulation.twin(instance, *(() if horizon is None else (horizon,)))


def relaxed(matrix: Matrix) -> Matrix:
    """Return the program without integrality."""
    return replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_))


def relax(model: Any) -> Any:
    """Return a copy of a model without the demand for integers, leaving the model unchanged.

    A model with disjunctions is first made linear, by ``gdp.bigm`` or ``gdp.hull``: those
    give different relaxations.
    """
    return pyo.TransformationFactory("core.relax_integer_vars").create_using(model)
