"""Lower bounds: those that count, on every solve, and the bound by loads."""

from functools import cache
from typing import Any

import pytest

from ringyard.instances import Limits, MakespanInstance
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.bounds.load import load_bound
from ringyard.simulation.makespan.evaluate import extremes

NAMES = ["mobihoc-20-s1", "tight-full-s0", "knot-full-s0", "large-2000-s0"]
instances = pytest.mark.parametrize("name", NAMES)


@cache
def instance_of(name: str) -> MakespanInstance:
    """Return an instance of the catalogue whose least times are known."""
    instance = load(name)
    extremes(instance)
    return instance


@instances
@pytest.mark.benchmark(group="bounds that count")
def test_counting(benchmark: Any, name: str) -> None:
    """The least times of jobs are not counted: `extremes` keeps them."""
    instance = instance_of(name)
    extremes(instance)
    assert benchmark(combinatorial_bounds, instance)[0].value > 0


@instances
@pytest.mark.benchmark(group="bound by loads")
def test_loads(benchmark: Any, name: str) -> None:
    instance = instance_of(name)
    bound = benchmark.pedantic(load_bound, (instance, Limits()), rounds=3, warmup_rounds=1)
    assert bound.value >= 297
