"""Bounds on the mean completion time of traces of 480 to 100,000 jobs.

    python -m pytest benchmarks/test_trace_bounds.py --benchmark-timer=time.process_time

What jobs ask for is found anew in every round, and reading instances is not counted.
"""

from typing import Any

import pytest

from ringyard.formulations.trace.demand import demands
from ringyard.instances import Bound, Limits
from ringyard.search.trace.bounds import combinatorial_bounds
from ringyard.search.trace.plan_bound import plan_bound


@pytest.mark.parametrize("jobs", [480, 2_000, 8_000, 100_000])
@pytest.mark.benchmark(group="trace: bounds that count")
def test_counting(benchmark: Any, made: Any, jobs: int) -> None:
    instance = made("tiresias", jobs=jobs if benchmark.enabled else 480)

    def count() -> list[Bound]:
        demands.cache_clear()
        return combinatorial_bounds(instance)

    found = benchmark.pedantic(count, rounds=3, warmup_rounds=1)
    assert found[0].value > 0


@pytest.mark.parametrize(("jobs", "intervals"), [(480, 60), (480, 250), (2_000, 60), (8_000, 60)])
@pytest.mark.benchmark(group="trace: cheapest plans")
def test_prices(benchmark: Any, made: Any, jobs: int, intervals: int) -> None:
    if not benchmark.enabled:
        jobs, intervals = 480, 20
    instance = made("tiresias", jobs=jobs)
    bound = benchmark.pedantic(plan_bound, (instance, Limits(), intervals), rounds=1)
    assert bound.value >= combinatorial_bounds(instance)[-1].value
