"""Relaxing gives a copy without integers, whose optimum is not above that of the program."""

import pyomo.environ as pyo
import pytest
from programs_cases import make_instance

from ringyard import load
from ringyard.formulations.makespan import disjunctive, linearised, nonconvex
from ringyard.formulations.matrix import relax
from ringyard.formulations.solver_interface.solve import solve


def integers(model: pyo.ConcreteModel) -> int:
    return sum(not column.is_continuous() for column in model.component_data_objects(pyo.Var))


@pytest.mark.parametrize("module", [nonconvex, linearised])
def test_the_model_itself_stays_as_it_is(module: object) -> None:
    model = module.build(make_instance(), 6)
    before = integers(model)
    assert integers(relax(model)) == 0
    assert integers(model) == before > 0


def test_relaxing_keeps_the_bounds_of_columns() -> None:
    relaxed = relax(linearised.build(make_instance(), 6))
    assert relaxed.gpus["a", "s0"].bounds == (0, 1)
    assert relaxed.makespan_slots.bounds == (0, 6)


def test_the_linearisation_is_stronger_than_big_m_and_never_above_the_optimum() -> None:
    instance = load("hand-contend")
    strong = solve(relax(linearised.build(instance, 7))).value
    big_m = disjunctive.build(instance, 7)
    pyo.TransformationFactory("gdp.bigm").apply_to(big_m)
    weak = solve(relax(big_m)).value
    assert weak is not None
    assert strong is not None
    assert weak < strong <= 7
