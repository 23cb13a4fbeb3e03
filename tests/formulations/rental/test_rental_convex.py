"""The convex programs of BOA, in both forms, and the dual have the same optimum."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rental_small import amdahl, by_lot, power, rented, stream, table, two_types

from ringyard.analysis.check import check
from ringyard.formulations.adapters.rental_cvxpy import solve_convex
from ringyard.formulations.rental.widths import classes_of
from ringyard.instances import Limits, RentalInstance, SolutionStatus, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.methods import find_method
from ringyard.policies.rental.dual import solve_budget, streams_of
from ringyard.run import solve

CASE = Path(__file__).parents[2] / "cases" / "rental-serial-millionth.json"

EDGES = rented(
    [
        stream("serial", 1, (1, amdahl(0))),
        stream("even", 1, (1, amdahl(1))),
        stream("linear", 1, (1, power(1))),
        stream("dented", 1, (1, table(1, 1.5, 1.5, 2.2)), weight=2),
        stream("root", 1, (1, power(0.5)), (2, amdahl(0.9))),
    ],
    9,
)


@pytest.mark.parametrize("form", ["perspective", "closed"])
@pytest.mark.parametrize(
    "instance", [two_types(2), by_lot(4, 4, epochs=3), EDGES], ids=["paper", "epochs", "edges"]
)
def test_the_program_and_the_dual_agree(instance: RentalInstance, form: Any) -> None:
    budget = float(instance.budget_gpus)
    priced = solve_budget(streams_of(instance), budget)
    convex = solve_convex(classes_of(instance), budget, form)
    assert priced is not None
    assert convex is not None
    assert convex.mean_jct == pytest.approx(priced.mean_jct, rel=1e-7)
    assert convex.price == pytest.approx(priced.gain_h, rel=1e-3)


def test_too_small_a_budget_is_infeasible() -> None:
    assert solve_convex(classes_of(two_types(0.7)), 0.7) is None


def test_the_method_gives_a_plan_within_the_budget() -> None:
    method = find_method("convex:form=closed", "rental")
    instance = two_types(2.5)
    found = method.run(instance, Limits(), np.random.default_rng(0))
    verdict = check(instance, found.schedule)
    assert verdict.valid, verdict.violations
    assert float(verdict.objective) == pytest.approx(0.2798165137614679, rel=1e-7)
    poor = method.run(two_types(0.7), Limits(), np.random.default_rng(0))
    assert (poor.schedule, poor.status) == (None, SolutionStatus.INFEASIBLE)


def test_what_one_real_width_cannot_do_is_refused() -> None:
    method = find_method("convex", "rental")
    assert "use boa" in str(method.refuses(two_types(2, whole=True)))
    assert "'dented' is not concave" in str(method.refuses(EDGES))
    assert "boa-resize" in str(method.refuses(rented(by_lot(1, 1, epochs=2).types, 9, rescale_s=5)))


def test_numbers_of_a_millionth_beside_one_do_no_harm() -> None:
    """With 1.5 GPU-hours for an hour of work at most, f = 0.999999 leaves 3e-6 of it."""
    instance = load(CASE)
    answer = solve(instance, "convex")
    assert answer.valid
    assert float(answer.objective or 0) == pytest.approx(1e-6 + 1e-6 * 0.999999 / 0.500001)
    assert answer.gap is not None
    assert answer.gap < 1e-9


def test_no_time_is_no_answer() -> None:
    found = find_method("convex", "rental").run(
        two_types(2.5), Limits(time_s=0.0), np.random.default_rng(0)
    )
    assert (found.schedule, found.termination) == (None, TerminationReason.TIME_LIMIT)
