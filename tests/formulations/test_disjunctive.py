"""Big-M and hull models come by transformation, and both have the optimum of the instance."""

import pyomo.environ as pyo
import pytest
from little import few
from programs_breaches import breached
from programs_cases import make_instance, three
from programs_solved import assert_optimum

from ringyard import load
from ringyard.formulations.makespan import disjunctive
from ringyard.formulations.matrix import is_linear
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus

TRANSFORMATIONS = ("gdp.bigm", "gdp.hull")


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("form", few(1, ["paper", "step", "max_workers_per_server"]))
def test_highs_agrees_with_enumeration(transformation: str, form: str) -> None:
    model = disjunctive.build(make_instance(form), 5)
    pyo.TransformationFactory(transformation).apply_to(model)
    assert is_linear(model)
    assert_optimum(make_instance(form), disjunctive, model, "highs")


def test_two_rings_that_share_a_server() -> None:
    model = disjunctive.build(load("hand-contend"), 7)
    pyo.TransformationFactory("gdp.bigm").apply_to(model)
    assert_optimum(load("hand-contend"), disjunctive, model, "highs")


def test_a_written_schedule_stays_feasible_in_the_big_m_model() -> None:
    model = disjunctive.build(make_instance(), 8)
    disjunctive.write(model, three())
    pyo.TransformationFactory("gdp.bigm").apply_to(model)
    assert breached(model) == set()


def test_a_horizon_too_short_is_refuted() -> None:
    model = disjunctive.build(make_instance(), 1)
    pyo.TransformationFactory("gdp.bigm").apply_to(model)
    assert solve(model).status is SolutionStatus.INFEASIBLE
