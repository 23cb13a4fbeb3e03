"""Roundings a second: 50 machines of four resources, workers and parameter servers, 100 columns.

``few`` is a vertex of the linear program, ``all`` a point without a single whole number.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from ringyard.rounding.gain import chernoff_gain, chosen_gain
from ringyard.rounding.program import MixedProgram
from ringyard.rounding.randomized import (
    best_of,
    derandomize,
    round_dependently,
    round_independently,
    run_trial,
)
from ringyard.rounding.repair import repair

SAMPLES = 100_000
MACHINES, RESOURCES = 50, 4

points = pytest.mark.parametrize("fractional", ["few", "all"])


@cache
def placement() -> MixedProgram:
    """Return 60 workers and 20 parameter servers to be placed, at prices that differ."""
    rng = np.random.default_rng(0)
    worker, server = rng.integers(1, 5, RESOURCES), rng.integers(1, 4, RESOURCES)
    both = np.kron(np.eye(2), np.ones(MACHINES))
    rows = [np.kron([worker[r], server[r]], np.eye(MACHINES)) for r in range(RESOURCES)]
    return MixedProgram(
        cost=10 * rng.random(2 * MACHINES),
        cover=both,
        demand=np.array([60.0, 20.0]),
        packing=np.vstack([*rows, both[:1]]),
        capacity=np.concatenate([rng.integers(4, 40, RESOURCES * MACHINES), [80]]),
    )


@cache
def point(fractional: str) -> Any:
    if fractional == "all":
        return np.random.default_rng(1).uniform(0.05, 0.95, 2 * MACHINES)
    program = placement()
    rows = np.vstack([-program.cover, program.packing])
    sides = np.concatenate([-program.demand, program.capacity])
    return linprog(program.cost, A_ub=rows, b_ub=sides, method="highs-ds").x


@points
@pytest.mark.benchmark(group="100,000 independent roundings")
def test_independent(benchmark: Any, fractional: str) -> None:
    rng = np.random.default_rng(0)
    block = benchmark(round_independently, point(fractional), SAMPLES, rng)
    assert len(block.ups) == SAMPLES
    assert (block.columns.size == 100) == (fractional == "all")


@points
@pytest.mark.benchmark(group="100,000 dependent roundings")
def test_dependent(benchmark: Any, fractional: str) -> None:
    rng = np.random.default_rng(0)
    assert len(benchmark(round_dependently, point(fractional), SAMPLES, rng).ups) == SAMPLES


@points
@pytest.mark.benchmark(group="best of 100,000, rows and costs included")
def test_best_of(benchmark: Any, fractional: str) -> None:
    rng = np.random.default_rng(0)
    best = benchmark(best_of, placement(), point(fractional), SAMPLES, rng)
    assert best.over + best.short <= SAMPLES


@points
@pytest.mark.benchmark(group="best of 20, all repaired")
def test_best_of_few_repaired(benchmark: Any, fractional: str) -> None:
    rng = np.random.default_rng(0)
    best = benchmark(best_of, placement(), point(fractional), 20, rng, repairing="all")
    assert best.x is not None


@points
@pytest.mark.benchmark(group="repair of one point")
def test_repair(benchmark: Any, fractional: str) -> None:
    x = round_independently(point(fractional), 1, np.random.default_rng(0)).point(0)
    assert benchmark(repair, placement(), x).problem is None


@points
@pytest.mark.benchmark(group="derandomized")
def test_derandomized(benchmark: Any, fractional: str) -> None:
    program = placement()
    gain = chosen_gain(program.widths, 0.9, 1.0)
    assert benchmark(derandomize, program, point(fractional), gain).rows >= 0


@pytest.mark.benchmark(group="a trial of 10,000 draws")
def test_trial(benchmark: Any) -> None:
    program, rng = placement(), np.random.default_rng(0)
    gain = chernoff_gain(program.widths, 0.1, "covering")
    assert benchmark(run_trial, program, point("few"), gain, rng).any <= 1000
