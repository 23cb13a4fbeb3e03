"""Fractions of patterns that cover all jobs, and the patterns that are asked for on the way."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from ringyard.instances.catalogue import load
from ringyard.search.makespan.annealing.blocks import Pool, cut, tree_of
from ringyard.search.makespan.diving.columns import Covering
from ringyard.search.makespan.diving.patterns import BlockPatterns

instances = pytest.mark.parametrize(
    ("name", "horizon"), [("mobihoc-10-s1", 802), ("mobihoc-15-s9", 553), ("mobihoc-20-s2", 353)]
)


def begun(name: str, horizon: int) -> tuple[BlockPatterns, Pool]:
    """Return patterns of an instance until a horizon, and all its outer blocks."""
    blocks = cut(load(name))
    assert blocks is not None
    tree, pool = tree_of(blocks), defaultdict[tuple[int, int], list[int]](list)
    for block in tree.outer:
        pool[tree.kind[block], horizon].append(block)
    return BlockPatterns(blocks, tree, horizon), pool


@instances
@pytest.mark.benchmark(group="best patterns of all kinds of outer blocks")
def test_patterns(benchmark: Any, name: str, horizon: int) -> None:
    patterns, pool = begun(name, horizon)
    left = np.array([len(group) for group in patterns.groups])
    prices = np.random.default_rng(0).random(left.size) * patterns.area

    def best() -> list[Any]:
        return [patterns.best(node, prices, left.copy()) for node in pool]

    assert all(benchmark(best))


@instances
@pytest.mark.benchmark(group="a point that covers all jobs")
def test_point(benchmark: Any, name: str, horizon: int) -> None:
    patterns, pool = begun(name, horizon)
    left = np.array([len(group) for group in patterns.groups])

    def point() -> Any:
        covering = Covering(patterns, np.random.default_rng(0))
        return covering.point(pool, left, 1_500, lambda: False)

    assert benchmark.pedantic(point, rounds=3, warmup_rounds=1) is not None
