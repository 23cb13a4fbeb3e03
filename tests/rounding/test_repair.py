"""Repair: packing first, then cover, everything logged."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import mixed_programs

from ringyard.rounding.program import MixedProgram
from ringyard.rounding.repair import Repair, drop, fill, repair

POINTS = st.lists(st.integers(0, 6), min_size=6, max_size=6)


def program(**fields: Any) -> MixedProgram:
    """Return a program of three columns, two resources and one demand."""
    given = {
        "cost": [1, 2, 5],
        "cover": [[1, 1, 1]],
        "demand": [6],
        "packing": [[1, 0, 2], [0, 1, 0]],
        "capacity": [4, 3],
    }
    return MixedProgram(**given | fields)


def logged(case: MixedProgram, before: Any, after: Repair) -> bool:
    """Return True if the log accounts for every unit and for the cost."""
    x = np.array(before)
    for column, units in after.changes:
        x[column] += units
    extra = float(case.cost @ (after.x - np.array(before)))
    return bool((x == after.x).all()) and after.extra_cost == pytest.approx(extra)


def test_the_unit_that_relieves_most_is_dropped_first() -> None:
    # Row 0 holds 8 of 4. A unit of column 2 takes 2 away, one of column 0 takes 1; both cover 1.
    after = drop(program(), np.array([2, 3, 3]))
    assert after.changes == ((2, -2),)
    assert after.x.tolist() == [2, 3, 1]
    assert after.extra_cost == -10


def test_among_equals_the_dearest_unit_is_dropped() -> None:
    case = program(packing=[[1, 1, 1], [0, 0, 0]])
    assert drop(case, np.array([2, 2, 2])).changes == ((2, -2),)


def test_a_unit_that_covers_nothing_goes_before_all_others() -> None:
    case = program(cover=[[0, 1, 1]], packing=[[1, 5, 5], [0, 0, 0]])
    assert drop(case, np.array([1, 1, 0])).changes[0] == (0, -1)


def test_cover_is_filled_with_the_cheapest_unit_that_fits() -> None:
    # Column 0 costs 1 and fits four times, column 1 costs 2 and fits three times.
    after = fill(program(), np.array([0, 0, 0]))
    assert after.changes == ((0, 4), (1, 2))
    assert (after.extra_cost, after.problem) == (8, None)


def test_decimals_do_not_cost_a_unit_more() -> None:
    # In floating point, 0.14 / 0.02 is a little more than 7.
    cents = program(cover=[[0.02, 0, 0]], demand=[0.14], packing=[[0.3, 0, 0], [0, 1, 0]])
    assert fill(cents, np.array([0, 0, 0])).changes == ((0, 7),)


def test_what_cannot_be_covered_is_said() -> None:
    after = fill(program(demand=[9]), np.array([0, 0, 0]))
    assert after.x.tolist() == [4, 3, 0]
    assert after.problem == "no unit that fits adds to cover row 0, short by 2"


def test_both_are_logged_together() -> None:
    after = repair(program(), np.array([9, 0, 0]))
    assert after.changes == ((0, -5), (1, 2))
    assert after.extra_cost == -1


@given(mixed_programs(), POINTS)
def test_dropping_makes_everything_fit_and_only_drops(case: Any, numbers: list[int]) -> None:
    mixed, _ = case
    x = np.array(numbers[: mixed.cost.size])
    after = drop(mixed, x)
    assert not mixed.excess(after.x).any()
    assert ((after.x >= 0) & (after.x <= x)).all()
    assert logged(mixed, x, after)
    if not mixed.excess(x).any():
        assert after.changes == ()


@given(mixed_programs(), POINTS)
def test_filling_covers_or_says_why_and_breaks_no_row(case: Any, numbers: list[int]) -> None:
    mixed, _ = case
    x = drop(mixed, np.array(numbers[: mixed.cost.size])).x
    after = fill(mixed, x)
    assert not mixed.excess(after.x).any()
    assert (after.x >= x).all()
    assert logged(mixed, x, after)
    assert (after.problem is None) == (not mixed.missing(after.x).any())
    if after.problem:
        # No single unit that fits would help.
        short = mixed.missing(after.x) > 0
        for column in range(mixed.cost.size):
            more = after.x.copy()
            more[column] += 1
            helps = mixed.cover[short, column].any()
            assert mixed.excess(more).any() or not helps


@given(mixed_programs(), POINTS)
def test_repair_leaves_valid_points_alone(case: Any, numbers: list[int]) -> None:
    mixed, _ = case
    x = np.array(numbers[: mixed.cost.size])
    after = repair(mixed, x)
    assert logged(mixed, x, after)
    if mixed.holds(x):
        assert after.changes == ()
