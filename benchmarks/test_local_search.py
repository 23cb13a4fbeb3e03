"""Local search: schedules tried a second."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ringyard
from ringyard.instances import Limits, MakespanInstance
from ringyard.search.makespan.annealing.list_schedule import list_schedule, new_scratch
from ringyard.search.makespan.annealing.local_search import improve
from ringyard.search.makespan.annealing.placement_rules import orders, rule_of
from ringyard.simulation import build_model
from ringyard.simulation.makespan.evaluate import extremes


@pytest.mark.parametrize(
    "name", ["mobihoc-20-s0", "tight-full-s0", "knot-cheap-s0", "large-2000-s0"]
)
@pytest.mark.benchmark(group="decode one order")
def test_decode(benchmark: Any, name: str) -> None:
    instance = ringyard.load(name)
    model = build_model(instance)
    least = np.array([float(extreme.least_slots or 0) for extreme in extremes(instance)])
    scratch, order = new_scratch(model, least), orders(instance, least)[0]
    rules = np.full(order.size, rule_of(3))
    makespan = benchmark(list_schedule, model, scratch, order, rules, 0.0, np.inf)
    assert least.max() <= makespan < np.inf


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["mobihoc-20-s0", "tight-full-s0", "knot-cheap-s0"])
@pytest.mark.benchmark(group="ten thousand schedules")
def test_search(benchmark: Any, size: Callable[[int], int], name: str, threads: int) -> None:
    instance: MakespanInstance = ringyard.load(name)
    limits, work = Limits(threads=threads), size(10_000)
    found = benchmark.pedantic(
        lambda: improve(instance, limits, np.random.default_rng(0), work=work),
        rounds=3,
        warmup_rounds=1,
    )
    assert found.nodes == work
