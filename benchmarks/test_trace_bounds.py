"""Bounds on the mean completion time of traces of 480 to 100,000 jobs.

    python -m pytest benchmarks/test_trace_bounds.py --benchmark-timer=time.process_time

What jobs ask for is found anew in every round, and reading instances is not counted.
"""

from functools import cache
from typing import Any

import pytest

from ringyard.formulations.trace.demand import demands
from ringyard.instances import Bound, Limits, TraceInstance
from ringyard.instances.generate import generate
from ringyard.search.trace.bounds import combinatorial_bounds
from ringyard.search.trace.lp_bound import lp_bound


@cache
def instance_of(jobs: int) -> TraceInstance:
    """Return a trace of Tiresias' testbed, which has more work than it can do as it comes."""
    instance = generate("tiresias", seed=0, jobs=jobs)
    assert isinstance(instance, TraceInstance)
    return instance


@pytest.mark.parametrize("jobs", [480, 2_000, 8_000, 100_000])
@pytest.mark.benchmark(group="trace: bounds that count")
def test_counting(benchmark: Any, jobs: int) -> None:
    instance = instance_of(jobs if benchmark.enabled else 480)

    def count() -> list[Bound]:
        demands.cache_clear()
        return combinatorial_bounds(instance)

    found = benchmark.pedantic(count, rounds=3, warmup_rounds=1)
    assert found[0].value > 0


@pytest.mark.parametrize(
    ("jobs", "intervals"), [(480, 60), (480, 250), (480, 1_000), (2_000, 60), (8_000, 60)]
)
@pytest.mark.benchmark(group="trace: busy times in intervals")
def test_prices(benchmark: Any, jobs: int, intervals: int) -> None:
    if not benchmark.enabled:
        jobs, intervals = 480, 20
    instance = instance_of(jobs)
    bound = benchmark.pedantic(lp_bound, (instance, Limits(), intervals), rounds=1)
    assert bound.value >= combinatorial_bounds(instance)[-1].value
