"""Messages of an epoch: counted, planned, judged, bounded, and carried out on bytes.

python -m pytest benchmarks/test_shuffle.py --benchmark-timer=time.process_time

Drawing the epochs is not counted.
"""

from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.analysis.shuffle import Setting, ShuffleEpoch, counted, drawn, execute, instance_of
from ringyard.instances import ShuffleInstance
from ringyard.policies.request import Request
from ringyard.policies.shuffle import GREEDY_COVER, SUBSETS
from ringyard.search.shuffle.bounds import combinatorial_bounds

SIZES = ((10_000, 10), (100_000, 20))
RNG = np.random.default_rng(0)


@cache
def epoch(rows: int, workers: int) -> ShuffleEpoch:
    """Return an epoch with a fifth of the others' rows cached."""
    batch = rows // workers
    setting = Setting(rows=rows, workers=workers, cache=batch + (rows - batch) // 5)
    return drawn(setting, np.random.default_rng(0))


@cache
def instance(rows: int, workers: int) -> ShuffleInstance:
    """Return the same as an instance."""
    return instance_of(epoch(rows, workers), Decimal(1))


@pytest.mark.parametrize("size", SIZES)
def test_count(benchmark: Any, size: tuple[int, int]) -> None:
    sent = benchmark(counted, epoch(*size))
    assert sent.mean <= sent.padded <= sent.uncoded


@pytest.mark.parametrize("policy", [SUBSETS, GREEDY_COVER])
@pytest.mark.parametrize("size", SIZES)
def test_plan(benchmark: Any, policy: Any, size: tuple[int, int]) -> None:
    outcome = benchmark.pedantic(policy.run, (instance(*size), Request()), rounds=1)
    assert outcome.value >= combinatorial_bounds(instance(*size))[0].value


@pytest.mark.parametrize("size", SIZES)
def test_judge(benchmark: Any, size: tuple[int, int]) -> None:
    plan = SUBSETS.run(instance(*size), Request(rng=RNG)).schedule
    assert benchmark.pedantic(check, (instance(*size), plan), rounds=1).valid


@pytest.mark.parametrize("size", SIZES)
def test_bound(benchmark: Any, size: tuple[int, int]) -> None:
    first, second = benchmark.pedantic(combinatorial_bounds, (instance(*size),), rounds=1)
    assert first.value >= second.value > 0


@pytest.mark.parametrize("size", SIZES)
def test_execute(benchmark: Any, size: tuple[int, int]) -> None:
    plan = SUBSETS.run(instance(*size), Request(rng=RNG)).schedule
    done = benchmark.pedantic(execute, (instance(*size), plan, 64, RNG), rounds=1)
    assert not done.wrong
