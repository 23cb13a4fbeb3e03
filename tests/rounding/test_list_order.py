"""Alpha-points and midpoints by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.rounding.assignment import alpha_points, alphas, midpoints, worked

STARTS = np.array(
    [
        [0.5, 0.0, 0.5, 0.0, 0.0],  # 2 slots long
        [0.0, 1.0, 0.0, 0.0, 0.0],  # 3 slots long
        [0.2, 0.0, 0.0, 0.0, 0.8],  # 1 slot long
    ]
)
"""Half of the first job starts at 0, half at 2; the second at 1; the third mostly at 4."""

SLOTS = np.array([2, 3, 1])
THIRD = 1 / 3


def test_work_follows_the_starts() -> None:
    expected = [
        [0.25, 0.25, 0.25, 0.25, 0],
        [0, THIRD, THIRD, THIRD, 0],
        [0.2, 0, 0, 0, 0.8],
    ]
    assert worked(STARTS, SLOTS) == pytest.approx(np.array(expected))


def test_alpha_points_of_starts_by_hand() -> None:
    # Half of job 0 has started with slot 0, all of it with slot 2; a slot passes at an even pace.
    assert alpha_points(STARTS, 0.5) == pytest.approx([1, 1.5, 4.375])
    assert alpha_points(STARTS, 0.2) == pytest.approx([0.4, 1.2, 1])
    assert alpha_points(STARTS, 1.0) == pytest.approx([3, 2, 5])


def test_alpha_points_of_work_by_hand() -> None:
    work = worked(STARTS, SLOTS)
    assert alpha_points(work, 0.5) == pytest.approx([2, 2.5, 4.375])
    assert alpha_points(work, 1.0) == pytest.approx([4, 4, 5])


def test_midpoints_by_hand() -> None:
    # Mean starts 1, 1 and 3.2; half a slot, then half of what the job takes, comes on top.
    assert midpoints(STARTS) == pytest.approx([1.5, 1.5, 3.7])
    assert midpoints(worked(STARTS, SLOTS)) == pytest.approx([2, 2.5, 3.7])


def test_the_order_changes_with_alpha() -> None:
    first, last = (np.argsort(alpha_points(STARTS, alpha)).tolist() for alpha in (0.2, 1.0))
    assert first == [0, 2, 1]
    assert last == [1, 0, 2]


def test_alphas_are_what_jobs_reach_at_the_ends_of_slots() -> None:
    assert alphas(STARTS, 100) == [0.2, 0.5, 1.0]
    assert alphas(STARTS, 2) == [0.2, 1.0]


@given(st.integers(0, 10**6), st.floats(0.01, 1))
def test_a_whole_point_has_its_own_starts(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    slots = rng.integers(1, 5, size=6)
    start = rng.integers(0, 20, size=6)
    shares = np.zeros((6, 30))
    shares[np.arange(6), start] = 1
    assert alpha_points(shares, alpha) == pytest.approx(start + alpha, abs=1e-4)
    assert alpha_points(worked(shares, slots), alpha) == pytest.approx(
        start + alpha * slots, abs=1e-3
    )
    assert midpoints(worked(shares, slots)) == pytest.approx(start + slots / 2)


@given(st.integers(0, 10**6))
def test_points_come_later_the_more_is_asked(seed: int) -> None:
    shares = np.random.default_rng(seed).dirichlet(np.full(12, 0.3), 5)
    points = [alpha_points(shares, alpha) for alpha in (0.1, 0.3, 0.5, 0.9, 1.0)]
    assert (np.diff(points, axis=0) >= -1e-9).all()
