"""A user's program as the method of a family whose own methods solve no programs."""

from functools import partial
from typing import Any

from ..formulations.named import build_named, parts
from ..instances import Outcome
from ..policies.request import ProgramOptions, Request, outcome_of
from .built import solve_built


def run(instance: Any, request: Request[ProgramOptions]) -> Outcome:
    """Return the last schedule of the solver, which the judge prices. It states no bound."""
    found: list[Any] = []
    name = request.options.formulation
    solved = solve_built(
        parts(name)[0], partial(build_named, name, instance), request, None, found.append
    )
    return outcome_of(
        found[-1] if found else None,
        solved.solution.termination,
        solved.solution.note,
        seconds=solved.seconds,
        nodes=solved.solution.nodes,
    )
