"""From a recipe to the program."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ...instances import RefusedError
from ...instances.catalogue import load
from ..catalogue import Formulation
from ..conic import ConicProgram
from ..matrix import matrix_of, nonlinear_of, relaxed, set_point, stated_matrix
from ..named import build_named, parts
from ..program import Matrix, Program
from .recipes import ProgramRecipe, special_programs


def formulation_of(recipe: ProgramRecipe) -> Formulation | None:
    """Return the formulation of a recipe, if it is one."""
    return None if recipe.program in special_programs() else parts(recipe.program)[0]


def states_schedules(recipe: ProgramRecipe) -> bool:
    """Say whether every point of the program is a schedule of its instance."""
    formulation = formulation_of(recipe)
    return formulation is not None and formulation.exact and not recipe.relaxed


def model_of(recipe: ProgramRecipe) -> Any:
    """Return the Pyomo model; disjunctions are rows with big-M unless the name says else.

    Raises:
        RefusedError: If the instance has no such program.
    """
    formulation, name = formulation_of(recipe), recipe.program
    if formulation is not None and (formulation.name, formulation.form) == (name, "disjunctive"):
        name = f"{name}-bigm"
    return build_named(name, load(recipe.instance), recipe.number)


def build_any(recipe: ProgramRecipe) -> Program | ConicProgram:
    """Return the program, which may be one in cones.

    Raises:
        RefusedError: If the instance has no such program.
    """
    special = special_programs().get(recipe.program)
    if special is not None and special.conic:
        made: ConicProgram = special.built(load(recipe.instance), recipe.number)
        return made
    return build(recipe)


def build(recipe: ProgramRecipe) -> Program:
    """Return the program.

    Raises:
        RefusedError: If the instance has no such program, or it is one in cones.
    """
    special = special_programs().get(recipe.program)
    if special is not None:
        if special.conic:
            raise RefusedError(f"{recipe.name} is a program in cones; no solver of these takes it")
        made: Matrix = special.built(load(recipe.instance), recipe.number)
        return relaxed(made) if recipe.relaxed else made
    formulation, _ = parts(recipe.program)
    if formulation.form == "nonlinear":
        return nonlinear_of(model_of(recipe))
    if formulation.form == "linear":
        made = stated_matrix(load(recipe.instance), formulation, recipe.number)
    else:
        made = matrix_of(model_of(recipe))
    return relaxed(made) if recipe.relaxed else made


def schedule_of(
    recipe: ProgramRecipe, program: Program, values: Mapping[int, Fraction], model: Any = None
) -> Any:
    """Return the schedule that a point of a program says; None if its points are no schedules.

    `model` is the program's, if it is there already.
    """
    formulation = formulation_of(recipe)
    if formulation is None or not states_schedules(recipe):
        return None
    model, point = model or model_of(recipe), np.zeros(len(program.columns))
    for j, value in values.items():
        point[j] = float(value)
    set_point(model, program, point)
    return formulation.read(model)
