"""Independent rounding: up or down with exact chances, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import Floats, roundings

from ringyard.analysis.intervals import clopper_pearson
from ringyard.instances import InputError
from ringyard.rounding.randomized import round_independently

POINT = np.array([0.25, 3.0, 2.9, 0.0, 1.5])
POINTS = st.lists(st.floats(0, 50), min_size=1, max_size=8).map(np.array)


@given(POINTS, st.sampled_from([0.3, 1.0, 2.5]))
def test_every_column_is_rounded_up_or_down(point: Floats, factor: float) -> None:
    block = round_independently(point, 20, np.random.default_rng(0), factor)
    points = np.array([block.point(i) for i in range(20)])
    assert (np.abs(points - factor * point) < 1).all()


def test_every_outcome_comes_as_often_as_it_should() -> None:
    draws = 100_000
    block = round_independently(POINT, draws, np.random.default_rng(1))
    assert block.base.tolist() == [0, 3, 2, 0, 1]
    assert block.columns.tolist() == [0, 2, 4]
    for x, chance in roundings(POINT):
        ups = (x - block.base)[block.columns].astype(bool)
        low, high = clopper_pearson(int((block.ups == ups).all(axis=1).sum()), draws, 0.9999)
        assert low < chance < high


def test_the_same_seed_gives_the_same_points() -> None:
    blocks = [round_independently(POINT, 100, np.random.default_rng(7)) for _ in range(2)]
    assert np.array_equal(blocks[0].ups, blocks[1].ups)
    other = round_independently(POINT, 100, np.random.default_rng(8))
    assert not np.array_equal(blocks[0].ups, other.ups)


def test_a_solvers_noise_is_not_rounded() -> None:
    point = np.array([3 - 1e-12, 1e-13, 2 + 1e-11, 1e6 * (1 + 1e-12)])
    block = round_independently(point, 5, np.random.default_rng(0))
    assert block.columns.size == 0
    assert block.point(4).tolist() == [3, 0, 2, 1_000_000]


def test_sparse_rows_agree_with_the_points() -> None:
    rows = np.kron(np.eye(8), np.ones(10))
    point = np.random.default_rng(4).random(80)
    limits = rows @ point + 1
    block = round_independently(point, 500, np.random.default_rng(5))
    points = np.array([block.point(i) for i in range(500)])
    found = block.beyond(rows, limits)
    assert found.tolist() == (points @ rows.T > limits).any(axis=1).tolist()
    assert 0 < found.sum() < 500


@given(POINTS)
def test_values_and_rows_beyond_limits_agree_with_the_points(point: Floats) -> None:
    draws, rng = 30, np.random.default_rng(3)
    block = round_independently(point, draws, rng)
    rows = rng.integers(-2, 4, (3, point.size)).astype(float)
    limits = rows @ point + np.array([0.3, 1.0, -0.2])
    points = np.array([block.point(i) for i in range(draws)])
    assert block.values(rows[0]) == pytest.approx(points @ rows[0])
    assert block.beyond(rows, limits).tolist() == (points @ rows.T > limits).any(axis=1).tolist()


@pytest.mark.parametrize("value", [-0.5, np.nan, np.inf, 1e300])
def test_points_that_cannot_be_rounded_are_refused(value: float) -> None:
    with pytest.raises(InputError, match=r"point\[1\]"):
        round_independently(np.array([1.0, value]), 1, np.random.default_rng(0))
