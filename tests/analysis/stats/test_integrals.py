"""Integrals by hand, in pieces, and against a sum over small steps."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_rows import failed, run

from ringyard.analysis.stats.means import (
    primal_dual_integral,
    primal_integral,
    relative_gap,
    steps_of,
)
from ringyard.instances.errors import InputError

STEPS = [(2, 20, 5), (4, 10, None), (6, 10, 8)]

TRAJECTORIES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 50), st.none() | st.integers(0, 50)), max_size=8
).map(lambda steps: sorted(steps, key=lambda step: step[0]))


def test_gaps_are_relative_to_the_larger_value() -> None:
    gaps = [relative_gap(*pair) for pair in [(0, 0), (10, 10), (10, 8), (8, 10), (-1, 2), (0, 3)]]
    assert gaps == [0, 0, 0.2, 0.2, 1, 1]


def test_primal_by_hand() -> None:
    # 1 for 2 s, then (20 - 10) / 20 for 2 s, then 0.
    assert primal_integral(STEPS, 10, sense="min", limit=10) == 2 + 1
    # Against a bound of 8: 1, then 12 / 20, then 2 / 10 for the other 6 s.
    assert primal_integral(STEPS, 8, sense="min", limit=10) == pytest.approx(2 + 1.2 + 1.2)


def test_primal_dual_by_hand() -> None:
    # 1 for 2 s; 15 / 20 for 2 s; 5 / 10 for 2 s, the bound being still 5; 2 / 10 for 4 s.
    found = primal_dual_integral(STEPS, sense="min", limit=10)
    assert found == pytest.approx(2 + 1.5 + 1 + 0.8)


def test_where_much_is_better() -> None:
    steps = [(1, 5, 20), (3, 8, 10), (5, 10, None)]
    assert primal_integral(steps, 10, sense="max", limit=9) == pytest.approx(1 + 1 + 0.4)
    # 1; 15 / 20 for 2 s; 2 / 10 for 2 s; then value and bound meet.
    assert primal_dual_integral(steps, sense="max", limit=9) == pytest.approx(1 + 1.5 + 0.4)


def test_without_an_incumbent_it_is_the_limit() -> None:
    assert primal_integral([], 10, sense="min", limit=30) == 30
    assert primal_integral([(40, 10, 10)], 10, sense="min", limit=30) == 30
    assert primal_dual_integral([(0, 10, None)], sense="min", limit=30) == 30


def test_only_the_best_so_far_counts() -> None:
    worse = [(0, 10, 10), (5, 20, 3)]
    assert primal_integral(worse, 10, sense="min", limit=9) == 0
    assert primal_dual_integral(worse, sense="min", limit=9) == 0


@given(TRAJECTORIES, st.integers(1, 50), st.sampled_from(["min", "max"]))
def test_it_is_the_sum_over_seconds(
    steps: list[tuple[int, int, int | None]], reference: int, sense: str
) -> None:
    limit, better = 30, min if sense == "min" else max
    tighter = max if sense == "min" else min
    primal = both = 0.0
    for second in range(limit):
        known = [(value, bound) for at, value, bound in steps if at <= second]
        if not known:
            primal, both = primal + 1, both + 1
            continue
        value = better(v for v, _ in known)
        bounds = [b for _, b in known if b is not None]
        primal += relative_gap(value, reference)
        both += relative_gap(value, tighter(bounds)) if bounds else 1
    assert primal_integral(steps, reference, sense=sense, limit=limit) == pytest.approx(primal)
    assert primal_dual_integral(steps, sense=sense, limit=limit) == pytest.approx(both)


@given(TRAJECTORIES, st.sampled_from([0.5, 4.0]))
def test_it_scales_with_time_and_not_with_the_objective(
    steps: list[tuple[int, int, int | None]], factor: float
) -> None:
    slower = [(factor * at, 3 * value, bound) for at, value, bound in steps]
    one = primal_integral(steps, 7, sense="min", limit=30)
    assert primal_integral(slower, 21, sense="min", limit=30 * factor) == pytest.approx(
        factor * one
    )


def test_an_integral_without_an_end_is_refused() -> None:
    for limit in (inf, 0, float(np.nan)):
        with pytest.raises(InputError, match="State the time limit"):
            primal_integral(STEPS, 10, sense="min", limit=limit)


def test_steps_out_of_order_are_refused() -> None:
    with pytest.raises(InputError, match=r"\[1\]: found 2, expected seconds of at least 3"):
        primal_integral([(3, 4, None), (2, 5, None)], 4, sense="min", limit=9)


def test_steps_of_rows() -> None:
    assert steps_of(run(trajectory=STEPS)) == STEPS
    assert steps_of(run()) == [(5.0, 10, 10)]
    assert steps_of(failed(trajectory=STEPS)) == []
