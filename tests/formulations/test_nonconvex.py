"""The program as printed: genuinely nonlinear, and SCIP finds in it what enumeration finds."""

from dataclasses import replace
from decimal import Decimal

import pyomo.environ as pyo
import pytest
from little import few
from programs_cases import make_instance
from programs_solved import assert_optimum

from ringyard import load
from ringyard.formulations.makespan import nonconvex
from ringyard.formulations.matrix import is_linear
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus


def test_it_has_products_of_degree_three_and_four() -> None:
    model = nonconvex.build(make_instance(), 6)
    assert not is_linear(model)
    assert {row.body.polynomial_degree() for row in model.no_migration.values()} == {3}
    assert {row.body.polynomial_degree() for row in model.busiest.values()} == {4}


def test_every_variable_is_bounded() -> None:
    columns = list(nonconvex.build(make_instance(), 6).component_data_objects(pyo.Var))
    assert all(None not in column.bounds for column in columns)


@pytest.mark.parametrize("form", few(1, ["step", "paper", "max_workers_per_server"]))
def test_scip_agrees_with_enumeration_on_the_instance(form: str) -> None:
    assert_optimum(make_instance(form), nonconvex, nonconvex.build(make_instance(form), 5), "scip")


def test_scip_agrees_with_enumeration_where_rings_share_a_server() -> None:
    contended = load("hand-contend")
    assert_optimum(contended, nonconvex, nonconvex.build(contended, 7), "scip")


def test_scip_agrees_with_enumeration_where_progress_is_rounded_down() -> None:
    floored = replace(make_instance(), progress="floor", slot_s=Decimal("1.7"))
    assert_optimum(floored, nonconvex, nonconvex.build(floored, 6), "scip")


@pytest.mark.parametrize("horizon", [0, 1])
def test_a_horizon_too_short_is_refuted(horizon: int) -> None:
    assert (
        solve(nonconvex.build(make_instance(), horizon), solver="scip").status
        is SolutionStatus.INFEASIBLE
    )


def test_continuous_time_and_fair_sharing_are_refused() -> None:
    assert "continuous" in str(nonconvex.refuses(load("hand-timing-continuous")))
    assert "rings at once" in str(nonconvex.refuses(load("hand-fluid")))
