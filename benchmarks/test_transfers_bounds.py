"""The judge and the bounds of transfers.

python -m pytest benchmarks/test_transfers_bounds.py --benchmark-timer=time.process_time
"""

from functools import cache
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.instances import Limits, TransfersInstance
from ringyard.instances.generate import generate
from ringyard.run import solve
from ringyard.search.transfers.bounds import combinatorial_bounds
from ringyard.search.transfers.strong import stronger


@cache
def instance_of(workers: int) -> TransfersInstance:
    """Return an instance with aggregators, updates of which become ready one by one."""
    made = generate("transfers-racks", seed=0, workers=workers, racks=10)
    assert isinstance(made, TransfersInstance)
    return made


@pytest.mark.parametrize("method", ["fifo", "fair"])
@pytest.mark.benchmark(group="transfers: judge")
def test_judge(benchmark: Any, method: str) -> None:
    instance = instance_of(200 if benchmark.enabled else 20)
    plan = solve(instance, method).schedule
    assert benchmark(check, instance, plan).valid


@pytest.mark.parametrize("workers", [200, 1000])
@pytest.mark.benchmark(group="transfers: bounds")
def test_counted_bounds(benchmark: Any, workers: int) -> None:
    instance = instance_of(workers if benchmark.enabled else 20)
    assert benchmark(combinatorial_bounds, instance)[0].value > 0


@pytest.mark.benchmark(group="transfers: bounds")
def test_stronger(benchmark: Any) -> None:
    instance = instance_of(200 if benchmark.enabled else 20)
    bound = benchmark.pedantic(stronger, args=(instance, Limits(), None), rounds=1)
    assert bound.best.value >= combinatorial_bounds(instance)[0].value
