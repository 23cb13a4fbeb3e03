"""Mixed programs: widths by hand, rows that hold, and input that is refused."""

from fractions import Fraction
from math import nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from rounding.mixed_programs import mixed_programs

from ringyard.instances import InputError
from ringyard.rounding.program import MixedProgram, check_point

GOOD: dict[str, Any] = {
    "cost": [1, 2],
    "cover": [[1, 2], [0, 0]],
    "demand": [6, 0],
    "packing": [[4, 1], [0, 2], [0, 5]],
    "capacity": [10, 7, 0],
}


def test_widths_by_hand() -> None:
    # Cover: 6/2. Packing: 10/4 and 7/2; the last row allows nothing and does not count.
    widths = MixedProgram(**GOOD).widths
    assert (widths.cover, widths.packing) == (3.0, 2.5)
    assert (widths.cover_rows, widths.packing_rows) == (2, 3)


def test_widths_of_a_placement_are_the_papers() -> None:
    # PD-ORS: W_a = min(W, W / gamma); W_b = min over machines of F, C / alpha, C / beta.
    workers, gamma, most, alpha, beta = 24.0, 3.0, 40.0, 2.0, 5.0
    rooms = np.array([9.0, 14.0])
    program = MixedProgram(
        cost=np.ones(4),
        cover=np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]]),
        demand=np.array([workers, workers / gamma]),
        packing=np.array([[alpha, 0, beta, 0], [0, alpha, 0, beta], [1, 1, 0, 0]]),
        capacity=np.array([*rooms, most]),
    )
    assert program.widths.cover == min(workers, workers / gamma)
    # 9 / 5 has no end in binary: what is granted rests on no more than that.
    assert program.widths.packing == nextafter(1.8, 0) < Fraction(9, 5)
    assert (program.demand.size, program.capacity.size) == (2, 3)


def test_without_rows_widths_are_infinite() -> None:
    none = np.zeros((0, 2))
    program = MixedProgram(
        cost=np.ones(2), cover=none, demand=np.zeros(0), packing=none, capacity=np.zeros(0)
    )
    assert (program.widths.cover, program.widths.packing) == (np.inf, np.inf)
    assert program.holds(np.zeros(2))


def test_amounts_that_miss() -> None:
    program = MixedProgram(**GOOD)
    x = np.array([2, 1])
    assert program.missing(x).tolist() == [2, 0]
    assert program.excess(x).tolist() == [0, 0, 5]
    assert not program.holds(x)


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("cost", [1, -2], "cost[1]: found -2"),
        ("cost", [[1, 2]], "cost: found shape (1, 2)"),
        ("cover", [[1, np.nan], [0, 0]], "cover[0][1]: found nan"),
        ("demand", [6, np.inf], "demand[1]: found inf"),
        ("packing", [[4, 1]], "packing: found shape (1, 2), expected shape (3, 2)"),
        ("packing", [[4, 1], [0], [0, 5]], "packing: found "),
        ("cost", ["x", 1], "cost: found could not convert"),
        ("capacity", [10, 7, -1], "capacity[2]: found -1"),
    ],
)
def test_bad_numbers_are_refused_with_their_place(field: str, value: Any, where: str) -> None:
    with pytest.raises(InputError) as caught:
        MixedProgram(**GOOD | {field: value})
    assert where in str(caught.value)


@given(mixed_programs())
def test_points_of_the_relaxation_pass(case: Any) -> None:
    program, point = case
    check_point(program, point)


@pytest.mark.parametrize(
    ("point", "where"),
    [
        ([3.0, 0.0], "cover[0]"),
        ([0.0, 3.0], "packing[2]"),
        ([-1.0, 4.0], "point[0]"),
        ([1.0], "point: found shape (1,)"),
    ],
)
def test_other_points_are_refused(point: list[float], where: str) -> None:
    with pytest.raises(InputError) as caught:
        check_point(MixedProgram(**GOOD), np.array(point))
    assert where in str(caught.value)
