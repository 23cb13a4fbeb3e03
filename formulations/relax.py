"""Relaxing: integers become continuous within their bounds; a transformation of a built model."""

from typing import Any

import pyomo.environ as pyo


def relax(model: Any) -> Any:
    """Return a copy of a model without the demand for integers; the model stays as it is.

    A model with disjunctions is first made linear, by ``gdp.bigm`` or ``gdp.hull``: those
    give different relaxations.
    """
    return pyo.TransformationFactory("core.relax_integer_vars").create_using(model)
