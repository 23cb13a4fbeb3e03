"""Plans of transfers: playing one through, and deciding on one.

python -m pytest benchmarks/test_transfers.py --benchmark-timer=time.process_time
"""

from functools import cache
from typing import Any

import pytest

from ringyard.instances import TransferPlan, TransfersInstance
from ringyard.instances.generate import generate
from ringyard.run import solve
from ringyard.simulation.transfers import replay


@cache
def instance_of(preset: str, workers: int) -> TransfersInstance:
    """Return an instance of a preset."""
    made = generate(preset, seed=0, workers=workers, racks=10)
    assert isinstance(made, TransfersInstance)
    return made


@cache
def plan_of(preset: str, workers: int, method: str) -> TransferPlan:
    """Return the plan that a method makes."""
    plan = solve(instance_of(preset, workers), method).schedule
    assert isinstance(plan, TransferPlan)
    return plan


@pytest.mark.parametrize("workers", [200, 1000])
@pytest.mark.parametrize("method", ["fifo", "fair"])
@pytest.mark.benchmark(group="transfers: replay")
def test_replay(benchmark: Any, method: str, workers: int) -> None:
    if not benchmark.enabled:
        workers = 20
    plan = plan_of("transfers-racks", workers, method)
    played = benchmark(replay, instance_of("transfers-racks", workers), plan)
    assert len(played.applied) == workers


@pytest.mark.parametrize("workers", [200, 1000])
@pytest.mark.parametrize("method", ["shortest-first", "mlfabric-order", "mlfabric"])
@pytest.mark.benchmark(group="transfers: decide")
def test_decide(benchmark: Any, method: str, workers: int) -> None:
    if not benchmark.enabled:
        workers = 20
    instance = instance_of("transfers-racks", workers)
    answer = benchmark.pedantic(solve, args=(instance, method), rounds=1)
    assert answer.valid
