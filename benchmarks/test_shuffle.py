"""Messages of an epoch: counted, planned, judged, bounded, and carried out on bytes.

python -m pytest benchmarks/test_shuffle.py --benchmark-timer=time.process_time

Drawing the epochs is not counted.
"""

from collections.abc import Callable
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


@pytest.fixture(params=SIZES)
def rows_workers(request: pytest.FixtureRequest, size: Callable[[int], int]) -> tuple[int, int]:
    """Return the size of an epoch; it is small where nothing is timed."""
    rows, workers = request.param
    return size(rows), workers


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


def test_count(benchmark: Any, rows_workers: tuple[int, int]) -> None:
    sent = benchmark(counted, epoch(*rows_workers))
    assert sent.mean <= sent.padded <= sent.uncoded


@pytest.mark.parametrize("policy", [SUBSETS, GREEDY_COVER])
def test_plan(benchmark: Any, policy: Any, rows_workers: tuple[int, int]) -> None:
    outcome = benchmark.pedantic(policy.run, (instance(*rows_workers), Request()), rounds=1)
    assert outcome.value >= combinatorial_bounds(instance(*rows_workers))[0].value


def test_judge(benchmark: Any, rows_workers: tuple[int, int]) -> None:
    plan = SUBSETS.run(instance(*rows_workers), Request(rng=RNG)).schedule
    assert benchmark.pedantic(check, (instance(*rows_workers), plan), rounds=1).valid


def test_bound(benchmark: Any, rows_workers: tuple[int, int]) -> None:
    first, second = benchmark.pedantic(combinatorial_bounds, (instance(*rows_workers),), rounds=1)
    assert first.value >= second.value > 0


def test_execute(benchmark: Any, rows_workers: tuple[int, int]) -> None:
    plan = SUBSETS.run(instance(*rows_workers), Request(rng=RNG)).schedule
    done = benchmark.pedantic(execute, (instance(*rows_workers), plan, 64, RNG), rounds=1)
    assert not done.wrong
