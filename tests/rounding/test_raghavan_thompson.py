"""Drawing machines by shares: means, independence, and the load bound by exact convolution."""

from collections import Counter
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.instances import InputError
from ringyard.rounding.assignment import (
    PARTS,
    Floats,
    Ints,
    round_by_chance,
    whole_and_parts,
)
from ringyard.rounding.gain import levels


def loads_by_chance(shares: Floats, work: Floats, delta: float) -> Floats:
    """Return for each machine what its load stays below, all but with probability `delta`."""
    whole, parts = whole_and_parts(shares)
    fixed, means = (whole * work).sum(axis=0), (parts * work).sum(axis=0) / PARTS
    largest = np.where(parts > 0, work, 0.0).max(axis=0)
    each = log(means.size / delta)
    random = [
        mean * levels(most / mean * each)[1] if mean > 0 else 0.0
        for mean, most in zip(means.tolist(), largest.tolist(), strict=True)
    ]
    return np.asarray(fixed + np.array(random), dtype=np.float64)


@st.composite
def points(draw: st.DrawFn, most_units: int = 1) -> tuple[Floats, Floats]:
    """Draw shares, whose rows add up to a whole number of units, and works."""
    jobs, machines = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    units = rng.integers(1, most_units + 1, size=(jobs, 1))
    shares = rng.dirichlet(np.full(machines, draw(st.sampled_from([0.1, 0.5, 5]))), jobs) * units
    whole = rng.random((jobs, 1)) < 0.3
    rounded = np.zeros_like(shares)
    rounded[:, rng.integers(machines)] = units[:, 0]
    return np.where(whole, rounded, shares), rng.integers(1, 20, size=(jobs, machines)) * 1.0


def distribution(whole: Ints, parts: Ints, work: Floats) -> dict[int, float]:
    """Return the exact distribution of the load of one machine, as jobs draw independently."""
    found = {0: 1.0}
    for fixed, part, units in zip(whole, parts, work, strict=True):
        longer: Counter[int] = Counter()
        for (load, chance), up in product(found.items(), (0, 1)):
            weight = part / PARTS if up else 1 - part / PARTS
            longer[load + int((fixed + up) * units)] += chance * weight
        found = dict(longer)
    return found


@given(points(most_units=6), st.integers(0, 10**6))
def test_every_share_goes_up_or_down_and_every_row_keeps_its_units(
    drawn: tuple[Floats, Floats], seed: int
) -> None:
    shares, _ = drawn
    rounded = round_by_chance(shares, np.random.default_rng(seed))
    assert (rounded.sum(axis=1) == np.rint(shares.sum(axis=1))).all()
    whole, parts = whole_and_parts(shares)
    assert ((rounded == whole) | ((rounded == whole + 1) & (parts > 0))).all()


@given(points(), st.sampled_from([0.01, 0.1, 0.5]))
def test_a_machine_exceeds_its_bound_no_more_often_than_its_part_of_delta(
    drawn: tuple[Floats, Floats], delta: float
) -> None:
    shares, work = drawn
    whole, parts = whole_and_parts(shares)
    for m, bound in enumerate(loads_by_chance(shares, work, delta)):
        loads = distribution(whole[:, m], parts[:, m], work[:, m])
        # Without parts the load is the bound itself, and nothing is left to chance.
        above = sum(chance for load, chance in loads.items() if load >= bound + 1e-9)
        assert above <= delta / shares.shape[1] * (1 + 1e-9)


def test_all_loads_together_keep_their_bounds_but_for_delta() -> None:
    """Nine jobs on two machines: all 512 outcomes are weighed, each with its probability."""
    light, delta = np.linspace(0.05, 0.5, 9), 0.5
    shares, work = np.column_stack([light, 1 - light]), np.ones((9, 2))
    bounds, chances, broken = loads_by_chance(shares, work, delta), 0.0, 0.0
    for chosen in product(range(2), repeat=9):
        chance = np.prod(shares[np.arange(9), chosen])
        chances += chance
        broken += chance * bool((np.bincount(chosen, minlength=2) >= bounds).any())
    assert chances == pytest.approx(1)
    assert 0 < broken <= delta


@settings(max_examples=30)
@given(points())
def test_the_bound_is_where_the_tail_reaches_the_part_of_delta(
    drawn: tuple[Floats, Floats],
) -> None:
    """Without Lambert's W: put back, the bound gives exp(-mu (q ln q - q + 1) / a) = delta / M."""
    shares, work = drawn
    whole, parts = whole_and_parts(shares)
    bounds = loads_by_chance(shares, work, 0.1)
    for m, bound in enumerate(bounds):
        fixed, mean = whole[:, m] @ work[:, m], parts[:, m] @ work[:, m] / PARTS
        if mean == 0:
            assert bound == fixed
            continue
        q, most = (bound - fixed) / mean, work[parts[:, m] > 0, m].max()
        assert q >= 1
        assert exp(-mean / most * (q * log(q) - q + 1)) == pytest.approx(0.1 / bounds.size)


def test_means_are_the_shares() -> None:
    shares = np.array([[2.25, 0.5, 0.25], [0.1, 0.2, 0.7], [0.0, 1.0, 0.0]])
    rng, count = np.random.default_rng(0), 5_000
    drawn = np.array([round_by_chance(shares, rng) for _ in range(count)])
    spread = np.sqrt(shares % 1 * (1 - shares % 1) / count)
    assert (np.abs(drawn.mean(axis=0) - shares) <= 4 * spread).all()


def test_jobs_draw_independently() -> None:
    shares, rng = np.full((2, 2), 0.5), np.random.default_rng(0)
    together = np.mean([round_by_chance(shares, rng)[:, 0].prod() for _ in range(5_000)])
    assert together == pytest.approx(0.25, abs=0.03)


@given(st.integers(0, 10**6))
def test_a_whole_point_comes_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 4, size=(5, 3))
    noise = rng.choice([-1e-9, 0.0, 1e-9], size=(5, 3)) * (whole > 0)
    assert (round_by_chance(whole + noise, rng) == whole).all()
    assert loads_by_chance(whole * 1.0, np.ones((5, 3)), 0.1).tolist() == whole.sum(axis=0).tolist()


@pytest.mark.parametrize("row", [[0.5, 0.4], [1.5, -0.5], [float("nan"), 1.0]])
def test_shares_that_are_none_are_refused(row: list[float]) -> None:
    with pytest.raises(InputError, match=r"shares\[1\]"):
        round_by_chance(np.array([[1.0, 0.0], row]), np.random.default_rng(0))
