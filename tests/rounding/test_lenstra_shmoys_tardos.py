"""Rounding by slots: its load bound on random machines, and twice the optimum by brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.instances import Limits
from ringyard.rounding.assignment import PARTS, Floats, round_by_slots, whole_and_parts
from ringyard.search.makespan.rounding import Machines, Shares, least_shares

CLOSE = 1e-5
"""What a solver may miss, in slots; works are whole."""


def loads_by_slots(shares: Floats, work: Floats) -> Floats:
    """Return for each machine what its load is at most."""
    whole, parts = whole_and_parts(shares)
    largest = np.where(parts > 0, work, 0.0).max(axis=0)
    return np.asarray(((whole + parts / PARTS) * work).sum(axis=0) + largest, dtype=np.float64)


def unrelated(rng: np.random.Generator, jobs: int, machines: int) -> Machines:
    """Return machines that take whole jobs; some pairs are forbidden, none for all of a job's."""
    most = (rng.random((jobs, machines)) < 0.8).astype(np.int64)
    most[np.arange(jobs), rng.integers(machines, size=jobs)] = 1
    work = rng.integers(1, 30, size=(jobs, machines)) * 1.0
    return Machines(np.ones(jobs, dtype=np.int64), most, work)


def solved(machines: Machines) -> Shares:
    found = least_shares(machines, Limits())
    assert isinstance(found, Shares)
    return found


def optimum(machines: Machines) -> float:
    """Return the least largest load of all assignments."""
    choices = [np.flatnonzero(row) for row in machines.most]
    best = np.inf
    for chosen in product(*choices):
        loads = np.zeros(machines.most.shape[1])
        np.add.at(loads, list(chosen), machines.work[np.arange(len(chosen)), list(chosen)])
        best = min(best, loads.max())
    return best


@settings(max_examples=50)
@given(st.integers(0, 10**9), st.integers(1, 12), st.integers(1, 6))
def test_loads_keep_their_bound_on_unrelated_machines(seed: int, jobs: int, count: int) -> None:
    machines = unrelated(np.random.default_rng(seed), jobs, count)
    shares, limit = solved(machines)
    rounded = round_by_slots(shares, machines.work)
    loads = (rounded * machines.work).sum(axis=0)
    assert (rounded.sum(axis=1) == 1).all()
    assert (rounded <= machines.most).all()
    assert (loads <= loads_by_slots(shares, machines.work) + CLOSE).all()
    assert loads.max() <= 2 * limit + CLOSE


@settings(max_examples=100)
@given(st.integers(0, 10**9), st.integers(1, 6), st.integers(1, 3))
def test_the_limit_is_below_the_optimum_and_the_loads_below_twice(
    seed: int, jobs: int, count: int
) -> None:
    machines = unrelated(np.random.default_rng(seed), jobs, count)
    shares, limit = solved(machines)
    best = optimum(machines)
    loads = (round_by_slots(shares, machines.work) * machines.work).sum(axis=0)
    assert limit <= best + CLOSE
    assert best <= loads.max() <= 2 * best


@settings(max_examples=300)
@given(st.integers(0, 10**9), st.booleans())
def test_any_point_is_rounded_rings_too(seed: int, rings: bool) -> None:
    """Points that no solver gave, far from basic; rings of up to 8 units."""
    rng = np.random.default_rng(seed)
    jobs, count = rng.integers(1, 9), rng.integers(1, 6)
    units = rng.integers(1, 9, size=jobs) if rings else np.ones(jobs, dtype=np.int64)
    shares = rng.dirichlet(np.full(count, rng.choice([0.2, 1, 5])), jobs) * units[:, None]
    work = rng.integers(1, 30, size=(jobs, count)) * 1.0
    rounded = round_by_slots(shares, work)
    whole, parts = whole_and_parts(shares)
    assert (rounded.sum(axis=1) == units).all()
    assert ((rounded == whole) | ((rounded == whole + 1) & (parts > 0))).all()
    assert ((rounded * work).sum(axis=0) <= loads_by_slots(shares, work) + 1e-9).all()


def test_a_machine_may_get_a_whole_job_in_addition() -> None:
    """Ten machines share a job of 10 and nine of 1, 1.9 each; one of them must have the 10."""
    shares, work = np.full((10, 10), 0.1), np.ones((10, 10))
    work[9] = 10
    loads = (round_by_slots(shares, work) * work).sum(axis=0)
    assert loads_by_slots(shares, work) == pytest.approx(np.full(10, 1.9 + 10))
    assert 10 <= loads.max() <= 11


@given(st.integers(0, 10**6))
def test_a_whole_point_comes_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 4, size=(6, 3))
    noise = rng.choice([-1e-9, 0.0, 1e-9], size=whole.shape) * (whole > 0)
    work: Floats = rng.random(whole.shape)
    assert (round_by_slots(whole + noise, work) == whole).all()
    assert loads_by_slots(whole * 1.0, work) == pytest.approx((whole * work).sum(axis=0))


def test_works_beyond_the_limit_are_not_used() -> None:
    """Both jobs are quick on one machine only; the program would cut them in two at any limit."""
    machines = Machines(
        np.array([1, 1]), np.ones((2, 2), dtype=np.int64), np.array([[3.0, 9.0], [9.0, 3.0]])
    )
    shares, limit = solved(machines)
    assert limit == pytest.approx(3)
    assert shares == pytest.approx(np.eye(2))


def test_a_limit_between_two_works_is_found() -> None:
    """Ten slots on machine 0 would be shared with 4 on machine 1, at a load of 20/7 each."""
    machines = Machines(np.array([1]), np.ones((1, 2), dtype=np.int64), np.array([[10.0, 4.0]]))
    assert solved(machines).limit == pytest.approx(4)
