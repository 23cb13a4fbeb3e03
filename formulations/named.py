"""Programs by a name that may hold a transformation: `disjunctive-hull` for the hull model."""

import logging
from typing import TYPE_CHECKING, Any

from ..extensions.entry_points import brought_as, named
from ..families import Program
from ..instances.errors import InputError
from ..instances.reading.vocabulary import short
from .catalogue import GROUP, Formulation, all_formulations, find_formulation

if TYPE_CHECKING:
    from .adapters.solver import Solver
    from .program import Settings


def parts(name: str) -> tuple[Formulation, str]:
    """Return the formulation, and the name of Pyomo's transformation or an empty text.

    The transformation follows the last dash. The path of a file may have dashes, too.
    """
    plain, dash, change = name.rpartition("-")
    known = {*named(GROUP), *(one.name for one in all_formulations())}
    if name in known or not dash or ":" in change:
        return find_formulation(name), ""
    return find_formulation(plain), f"gdp.{change}"


def find_program(text: str) -> "tuple[str, Solver, Settings] | None":
    """Return a program's name, its solver and options from ``PROGRAM:SOLVER:option=1``.

    Return None if the text names no program.
    """
    from .solver_interface.solve import named_solver

    words = text.split(":")
    count = 2 if words[0].endswith(".py") else 1
    name, solver = ":".join(words[:count]), ":".join(words[count:])
    plain, change = name.rpartition("-")[0], ":" not in name.rpartition("-")[2]
    names = [name, plain] if plain and change else [name]
    known = {*named(GROUP), *(one.name for one in all_formulations())}
    try:
        found = [one for one in names if one in known or _is_program(one)]
    except InputError:
        return None
    if not found or (name not in found and parts(name)[0].form != "disjunctive"):
        return None
    usual = "scip" if parts(name)[0].form == "nonlinear" else "highs"
    return name, *named_solver(solver or usual)


def _is_program(name: str) -> bool:
    one = brought_as(GROUP, name) if ":" in name else None
    return one is not None and isinstance(one.load(), Program)


def build_named(name: str, instance: Any, horizon: int | None = None) -> Any:
    """Return the model of an instance, transformed if its name says so."""
    import pyomo.environ as pyo

    formulation, change = parts(name)
    logging.getLogger("pyomo.core").setLevel(logging.CRITICAL)  # else Ctrl-C leaves its text
    model = formulation.build(instance, horizon)
    if change:
        pyo.TransformationFactory(change).apply_to(model)
    return model


def solvers_of(name: str) -> list[str]:
    """Return the installed solvers that prove optima of a program."""
    from .solver_interface.solve import SOLVERS

    able = [solver for solver in SOLVERS if _need(name) in solver.can]
    return [solver.name for solver in able if solver.installed]


def no_solver(name: str, solver: str) -> str | None:
    """Return why a solver cannot be called for a program, or None if it can."""
    from .solver_interface.solve import find_solver

    chosen = find_solver(solver)
    able = {_need(name)} | ({"local"} if _need(name) == "nonconvex" else set())
    if able.isdisjoint(chosen.can):
        return f"{chosen.name} does not support programs such as {short(name)}"
    return chosen.missing


def _need(name: str) -> str:
    """Return the capability that a program requires of its solver."""
    return "nonconvex" if parts(name)[0].form == "nonlinear" else "milp"
