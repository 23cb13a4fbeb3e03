"""Coded products: the best number of parts, the judge, and simulated trials.

python -m pytest benchmarks/test_coded.py --benchmark-timer=time.process_time
"""

from decimal import Decimal
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.analysis.coded.simulated import simulate
from ringyard.instances import (
    Bimodal,
    CodedInstance,
    CodedPlan,
    MeasuredTimes,
    ParetoTime,
    ShiftedExponential,
    TaskTime,
)
from ringyard.policies.coded import best_parts, points_of, times_by_copies

LAWS: tuple[TaskTime, ...] = (
    ShiftedExponential(),
    ParetoTime(),
    Bimodal(),
    MeasuredTimes(times_s=tuple(Decimal(100 + i % 90 + 10 * (i % 7)) for i in range(100))),
)


def instance_of(benchmark: Any, workers: int, law: TaskTime) -> CodedInstance:
    """Return an instance, a small one where nothing is timed."""
    return CodedInstance(name="many", workers=workers if benchmark.enabled else 20, time=law)


@pytest.mark.parametrize(
    ("law", "workers"),
    [*((law, 1000) for law in LAWS), *((law, 10_000) for law in LAWS[:3])],
    ids=lambda one: getattr(one, "model", one),
)
@pytest.mark.benchmark(group="coded: best number of parts")
def test_best_parts(benchmark: Any, law: TaskTime, workers: int) -> None:
    instance = instance_of(benchmark, workers, law)
    found = benchmark.pedantic(best_parts, (instance,), rounds=3)
    assert 0 < found[0] <= instance.workers


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.model)
@pytest.mark.benchmark(group="coded: repeated parts")
def test_repeated(benchmark: Any, law: TaskTime) -> None:
    instance = instance_of(benchmark, 1000, law)
    times = benchmark.pedantic(times_by_copies, (instance,), rounds=3)
    assert len(times) == instance.workers


@pytest.mark.parametrize("way", ["points", "copies"])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.model)
@pytest.mark.benchmark(group="coded: judge")
def test_judge(benchmark: Any, law: TaskTime, way: str) -> None:
    instance = instance_of(benchmark, 1000, law)
    n = instance.workers
    points = points_of("chebyshev", n) if way == "points" else ()
    plan = CodedPlan(instance="many", parts=2 * n // 3 if points else n // 4, points=points)
    assert benchmark.pedantic(check, (instance, plan), rounds=3).valid


@pytest.mark.parametrize("parts", [10, 7])
@pytest.mark.benchmark(group="coded: a million trials of ten workers")
def test_simulate(benchmark: Any, parts: int) -> None:
    instance = CodedInstance(name="ten", workers=10, time=ShiftedExponential())
    points = points_of("chebyshev", 10) if parts < 10 else ()
    plan = CodedPlan(instance="ten", parts=parts, points=points)
    count = 1_000_000 if benchmark.enabled else 1000
    more = {"count": count, "seed": 0, "level": 0.9999}
    found = benchmark.pedantic(simulate, (instance, plan), more, rounds=3)
    assert found.low < float(check(instance, plan).objective or 0) < found.high
