"""Shares of kinds of GPUs are optima of the plain statement, which scipy solves on its own."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from ringyard.formulations.program import Floats
from ringyard.formulations.trace.shares import (
    SharedCluster,
    TimeClaims,
    fair_shares,
    least_level,
    lexicographic_shares,
    valued_shares,
)

seeds = pytest.mark.parametrize("seed", range(12))


def drawn(seed: int, kinds: int | None = None) -> tuple[SharedCluster, TimeClaims, Any]:
    """Return up to 20 jobs on up to 4 kinds. With an even seed they have no age."""
    rng = np.random.default_rng(seed)
    jobs, kinds = int(rng.integers(1, 20)), kinds or int(rng.integers(1, 5))
    speeds = rng.uniform(0.05, 1, (jobs, kinds)) * (rng.random((jobs, kinds)) < 0.8)
    speeds[np.arange(jobs), rng.integers(0, kinds, jobs)] = 1.0
    gpus, room = rng.choice([1.0, 2.0, 4.0], jobs), rng.choice([4.0, 8.0, 16.0], kinds)
    age = rng.uniform(0, 50, jobs) * (seed % 2)
    claims = TimeClaims(rng.uniform(1, 100, jobs), rng.uniform(0.5, 3, jobs), age)
    return SharedCluster(speeds, gpus, room), claims, rng


def plain_best(shared: SharedCluster, needs: Floats | None, values: Floats | None = None) -> float:
    """Return the largest common part of all needs that can be met, or the largest sum of values."""
    speeds, gpus, room = shared
    jobs, kinds = speeds.shape
    rows = [np.append(np.kron(np.eye(jobs)[j], np.ones(kinds)), 0) for j in range(jobs)]
    rows += [np.append(np.kron(gpus, np.eye(kinds)[k]), 0) for k in range(kinds)]
    sides, cost = [1.0] * jobs + room.tolist(), np.zeros(jobs * kinds + 1)
    if needs is not None:
        served = (np.append(-np.kron(np.eye(jobs)[j], speeds[j]), needs[j]) for j in range(jobs))
        rows += served
        sides, cost[-1] = sides + [0.0] * jobs, -1
    if values is not None:
        cost[:-1] = -values.ravel()
    bounds = [(0, None if speed else 0) for speed in speeds.ravel()]
    found = linprog(cost, rows, sides, bounds=[*bounds, (0, None if needs is not None else 0)])
    return -float(found.fun)


@seeds
def test_the_least_level_is_the_optimum_of_the_plain_statement(seed: int) -> None:
    shared, claims, _ = drawn(seed)
    best = shared.speeds.max(axis=1)
    alone, level = claims.first(best), least_level(shared, claims)
    assert plain_best(shared, claims.at(level, best)) >= 1 - 1e-8
    if not seed % 2:  # Without ages all needs fall alike: one program gives the level.
        rate = plain_best(shared, claims.work / claims.alone)
        assert level == pytest.approx(max(1 / rate, alone))
    elif level > alone:
        assert plain_best(shared, claims.at(level * (1 - 1e-5), best)) < 1


@seeds
def test_fair_shares_fit_and_meet_all_needs(seed: int) -> None:
    shared, claims, _ = drawn(seed)
    level = least_level(shared, claims)
    shares = fair_shares(shared, claims, level)
    assert np.all(shares >= 0)
    assert np.all(shares.sum(axis=1) <= 1 + 1e-6)
    assert np.all(shared.gpus @ shares <= shared.room * (1 + 1e-6))
    needs = claims.at(level, shared.speeds.max(axis=1))
    assert np.all((shared.speeds * shares).sum(axis=1) >= needs * (1 - 1e-5))


@seeds
def test_valued_shares_are_worth_the_optimum(seed: int) -> None:
    shared, _, rng = drawn(seed)
    values = rng.uniform(0, 1, shared.speeds.shape)
    worth = (valued_shares(shared, values) * values).sum()
    assert worth == pytest.approx(plain_best(shared, None, values))


@seeds
def test_on_one_kind_the_two_searches_agree_if_no_job_has_all_of_the_time(seed: int) -> None:
    shared, claims, _ = drawn(seed, kinds=1)
    shares = lexicographic_shares(claims, shared.gpus, float(shared.room[0]))
    if max(shares) < 1:
        level = least_level(shared, claims)
        assert claims.at(level, np.ones(len(shares))) == pytest.approx(shares, rel=1e-6)
    else:
        assert shared.gpus @ shares == pytest.approx(min(shared.gpus.sum(), shared.room[0]))


def test_equal_jobs_have_equal_shares_of_every_kind() -> None:
    """A corner of the program would give each of the two jobs one kind."""
    shared = SharedCluster(np.ones((2, 2)), np.ones(2), np.ones(2))
    claims = TimeClaims(np.ones(2), np.ones(2), np.zeros(2))
    level = least_level(shared, claims)
    assert level == pytest.approx(1)
    assert fair_shares(shared, claims, level) == pytest.approx(np.full((2, 2), 0.5), abs=1e-4)
