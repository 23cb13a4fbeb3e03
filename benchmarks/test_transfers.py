"""Transfers: playing a plan through, deciding on one, the judge and the bounds.

python -m pytest benchmarks/test_transfers.py --benchmark-timer=time.process_time
"""

from typing import Any

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.instances import Limits, TransfersInstance
from ringyard.methods import find_method
from ringyard.run import solve
from ringyard.search.transfers.bounds import combinatorial_bounds
from ringyard.search.transfers.slow_bounds import slow_bounds
from ringyard.simulation.transfers import replay


def instance_of(benchmark: Any, made: Any, workers: int) -> TransfersInstance:
    """Return an instance with aggregators, updates of which become ready one by one."""
    instance: TransfersInstance = made(
        "transfers-racks", workers=workers if benchmark.enabled else 20, racks=10
    )
    return instance


@pytest.mark.parametrize("workers", [200, 1000])
@pytest.mark.parametrize("method", ["fifo", "fair"])
@pytest.mark.benchmark(group="transfers: replay")
def test_replay(benchmark: Any, made: Any, method: str, workers: int) -> None:
    instance = instance_of(benchmark, made, workers)
    played = benchmark(replay, instance, solve(instance, method).schedule)
    assert len(played.applied) == len(instance.updates)


@pytest.mark.parametrize("workers", [200, 1000])
@pytest.mark.parametrize("method", ["shortest-first", "mlfabric-order", "mlfabric"])
@pytest.mark.benchmark(group="transfers: decide")
def test_decide(benchmark: Any, made: Any, method: str, workers: int) -> None:
    instance = instance_of(benchmark, made, workers)
    answer = benchmark.pedantic(solve, args=(instance, method), rounds=1)
    assert answer.valid


@pytest.mark.parametrize("method", ["fifo", "fair"])
@pytest.mark.benchmark(group="transfers: judge")
def test_judge(benchmark: Any, made: Any, method: str) -> None:
    instance = instance_of(benchmark, made, 200)
    plan = solve(instance, method).schedule
    assert benchmark(check, instance, plan).valid


@pytest.mark.benchmark(group="transfers: fair shares, 450 workers")
def test_fair_shares(benchmark: Any, made: Any) -> None:
    instance = instance_of(benchmark, made, 450)
    run = find_method("fair", "transfers").run
    outcome = benchmark(run, instance, Limits(), np.random.default_rng(0))
    assert outcome.schedule is not None


@pytest.mark.benchmark(group="transfers: fair shares, 450 workers")
def test_fair_shares_judge(benchmark: Any, made: Any) -> None:
    instance = instance_of(benchmark, made, 450)
    plan = solve(instance, "fair").schedule
    assert benchmark(check, instance, plan).valid


@pytest.mark.parametrize("workers", [200, 1000])
@pytest.mark.benchmark(group="transfers: bounds")
def test_counted_bounds(benchmark: Any, made: Any, workers: int) -> None:
    instance = instance_of(benchmark, made, workers)
    assert benchmark(combinatorial_bounds, instance)[0].value > 0


@pytest.mark.benchmark(group="transfers: bounds")
def test_stronger(benchmark: Any, made: Any) -> None:
    instance = instance_of(benchmark, made, 200)
    bound = benchmark.pedantic(slow_bounds, args=(instance, Limits(), None), rounds=1)
    assert bound.best.value >= combinatorial_bounds(instance)[0].value
