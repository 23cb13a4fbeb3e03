"""The linear programs give the optima of enumeration and of the dual, and round trips."""

from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs_breaches import breached
from rental_small import by_lot, power, rented, stream, table, two_types

import ringyard
from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.matrix import set_point
from ringyard.formulations.program import Caps
from ringyard.formulations.rental.widths import _menu, menus_of, speeds
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.instances import InputError, Limits, RefusedError, RentalInstance, SolutionStatus
from ringyard.methods import find_method
from ringyard.policies.rental.dual import solve_budget, streams_of, use_of

CASE = str(Path(__file__).parents[2] / "cases" / "rental-linear-to-a-million.json")


def solved(name: str, instance: RentalInstance) -> tuple[float, Any]:
    """Return the optimum by HiGHS, and the model with it."""
    model = find_formulation(name).build(instance)
    matrix = program_of(model)
    solution = solve(matrix, "highs", Caps())
    assert solution.value is not None
    assert solution.point is not None
    set_point(model, matrix, solution.point)
    return solution.value, model


@pytest.mark.parametrize(
    ("budget", "shared", "pure", "digits"),
    [
        (1.0, 0.69393, 0.73333, 5),
        (1.5, 0.43323, 0.45000, 5),
        (2.0, 0.33333, 0.33333, 5),
        (3.0, 0.246387, 0.246507, 6),
    ],
)
def test_the_example_of_the_paper_with_whole_widths(
    budget: float, shared: float, pure: float, digits: int
) -> None:
    instance = two_types(budget, whole=True)
    assert round(solved("shares", instance)[0], digits) == shared
    assert round(solved("pure", instance)[0], digits) == pure


@pytest.mark.parametrize("seed", range(5))
def test_shares_are_worth_what_the_dual_says(seed: int) -> None:
    instance = by_lot(seed, 6, epochs=1 + seed % 2, whole=True)
    found = solve_budget(streams_of(instance), float(instance.budget_gpus))
    assert found is not None
    value, model = solved("shares", instance)
    assert value == pytest.approx(found.mean_jct, rel=1e-9)
    plan = find_formulation("shares").read(model)
    assert sum(len(one.choices) > 1 for one in plan.types) <= 1
    assert float(check(instance, plan).objective) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_pure_widths_are_the_best_of_all(seed: int) -> None:
    instance = by_lot(seed, 3, whole=True)
    streams = streams_of(instance)
    h, z = use_of(streams, np.array(list(product(range(1, 61), repeat=3)), dtype=float))
    values = (h @ (streams.load * streams.weight))[z @ streams.load <= float(instance.budget_gpus)]
    value, model = solved("pure", instance)
    assert value == pytest.approx(float(values.min()) / streams.worth, rel=1e-9)
    assert max(menu.gpus.max() for menu in menus_of(instance)) <= 60
    plan = find_formulation("pure").read(model)
    assert check(instance, plan).valid


def test_real_widths_of_tables_are_shares_of_their_points() -> None:
    instance = by_lot(3, 4, tables_only=True)
    found = solve_budget(streams_of(instance), float(instance.budget_gpus))
    assert found is not None
    assert solved("shares", instance)[0] == pytest.approx(found.mean_jct, rel=1e-9)


@pytest.mark.parametrize("name", ["shares", "pure-widths", "shares:scip"])
def test_methods_give_plans_within_the_budget(name: str) -> None:
    method = find_method(name, "rental")
    for seed in range(2):
        instance = by_lot(seed, 5, epochs=2, whole=True)
        found = method.run(instance, Limits(), np.random.default_rng(0))
        verdict = check(instance, found.schedule)
        assert verdict.valid, verdict.violations
        assert verdict.objective == found.value
        if found.bound is not None:
            assert float(found.bound.value) == pytest.approx(float(found.value or 0), rel=1e-5)
            assert found.bound.value <= found.value
    poor = method.run(two_types(0.7, whole=True), Limits(), np.random.default_rng(0))
    assert (poor.schedule, poor.status) == (None, SolutionStatus.INFEASIBLE)


def test_a_plan_written_is_the_plan_read() -> None:
    instance = two_types(2.5, whole=True)
    plan = find_method("boa", "rental").run(instance, Limits(), np.random.default_rng(0)).schedule
    program = find_formulation("shares")
    model = program.build(instance)
    program.write(model, plan)
    assert model.mean_completion() == pytest.approx(float(check(instance, plan).objective))
    assert breached(model) == set()
    read = {one.type: {(c.share, c.stretches) for c in one.choices} for one in plan.types}
    again = {
        one.type: {(c.share, c.stretches) for c in one.choices} for one in program.read(model).types
    }
    assert again == read


def test_a_wrong_point_breaks_the_row_of_the_rule() -> None:
    instance = two_types(2.5, whole=True)
    program = find_formulation("shares")
    model = program.build(instance)
    for c, menu in enumerate(model.menus):
        model.share[c, len(menu.gpus) - 1].set_value(1)
    assert breached(model) == {"budget"}
    model.share[0, 0].set_value(0.5)
    model.share[0, len(model.menus[0].gpus) - 1].set_value(0)
    assert "shares" in breached(model)


def test_what_the_programs_cannot_say_is_refused() -> None:
    program = find_formulation("shares")
    assert "use `convex`" in str(program.refuses(two_types(2)))
    stalled = replace(by_lot(1, 2, epochs=2, whole=True), rescale_s=Decimal(5))
    assert "boa-resize" in str(program.refuses(stalled))
    with pytest.raises(InputError, match="time has no end here"):
        program.build(two_types(2, whole=True), 9)
    level = [stream("a", 1, (1, power(0.98))), stream("b", 1, (1, power(0.3)))]
    with pytest.raises(RefusedError, match="more than 50,000 widths"):
        program.build(rented(level, 2.5, whole=True))
    plan = find_method("equal-width:gpus=2", "rental").run(
        two_types(2.5, whole=True), Limits(), np.random.default_rng(0)
    )
    with pytest.raises(InputError, match="No best plan needs it"):
        program.write(program.build(two_types(2.5, whole=True)), plan.schedule)


def test_widths_that_others_beat_are_left_out() -> None:
    """Of a linear speed-up only the widest width is of any use, but for the rounding of k (1/k)."""
    instance: Any = ringyard.load(CASE)
    menus = menus_of(instance)
    assert [menu.gpus[-1] for menu in menus] == [1e6, 149, 1, 1e6]
    assert [len(menu.gpus) for menu in menus] == [2, 20, 1, 2]
    for name in ("shares", "pure-widths"):
        answer = ringyard.solve(instance, name)
        assert answer.valid
        assert answer.gap is not None
        assert answer.gap < 1e-5


def test_menus_lose_nothing_that_is_not_beaten() -> None:
    """Every width of a random table is in the menu, or another takes no more of either."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        curve, gpus = table(1.0, *rng.uniform(0.5, 4, 6).round(3).tolist()), np.arange(1.0, 8)
        h, menu = 1 / speeds(curve, gpus), _menu(curve, gpus)
        for k, hours in zip(gpus, h, strict=True):
            beaten = (menu.h <= hours) & (menu.z <= k * hours)
            assert beaten.any()
            assert beaten.sum() == 1 or k not in menu.gpus
