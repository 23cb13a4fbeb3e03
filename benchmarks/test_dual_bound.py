"""Summing the duals of every row of a large program in exact arithmetic."""

from typing import Any

import numpy as np
import pytest

from ringyard.formulations.exact import dual_bound
from ringyard.formulations.makespan import occupancy
from ringyard.instances.generate import generate

SIZES = {"16x4x60": (16, 4, 60), "60x12x120": (60, 12, 120)}
"""Jobs, servers and slots."""


@pytest.mark.parametrize("size", SIZES)
def test_exact_bound_from_duals(benchmark: Any, size: str) -> None:
    jobs, servers, slots = SIZES[size]
    times = {"least_slots": slots // 10, "most_slots": 3 * slots // 10}
    instance = generate("mobihoc", seed=0, jobs=jobs, servers=servers, **times)
    matrix = occupancy.twin(instance, slots)
    duals = np.random.default_rng(0).normal(size=len(matrix.rows))
    assert benchmark.pedantic(dual_bound, args=(matrix, duals), rounds=3) is not None
