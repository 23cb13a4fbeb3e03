"""Solve a program, and hold what it gives against enumeration and the judge."""

from typing import Any

from ringyard.analysis.check import check
from ringyard.formulations.matrix import set_point
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.instances import MakespanInstance, SolutionStatus
from ringyard.policies.request import Request
from ringyard.search.makespan.exact.enumeration import run


def assert_optimum(instance: MakespanInstance, module: Any, model: Any, solver: str) -> None:
    """Assert that the solver proves the optimum, at a point that is a schedule that long."""
    program = program_of(model)
    found = solve(program, solver=solver)
    assert found.status is SolutionStatus.OPTIMAL
    set_point(model, program, found.point)
    verdict = check(instance, module.read(model))
    assert verdict.valid
    assert verdict.makespan == round(found.value or 0)
    assert verdict.makespan == run(instance, Request()).value
