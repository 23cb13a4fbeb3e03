"""Methods for `shuffle` instances against every plan there is, and bounds below it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from shuffle_small import CYCLE, PADDED, PENTAGON, exchange, exchanges, least_load

from ringyard.analysis.check import check
from ringyard.analysis.guarantees import guarantees_of
from ringyard.analysis.guarantees.shuffle import SHUFFLE
from ringyard.instances import CachingWorker, Limits, ShuffleInstance
from ringyard.instances.generate import generate
from ringyard.run import solve
from ringyard.search.shuffle.bounds import (
    combinatorial_bounds,
    concerns_of,
    count_of_all,
    counts_of_sets,
    slow_bounds,
)

METHODS = ("row-by-row", "subsets", "greedy-cover", "cover")


def load(instance: ShuffleInstance, method: str) -> Fraction:
    """Return the load of a method's plan, which must be valid."""
    answer = solve(instance, method)
    assert check(instance, answer.schedule).valid
    assert answer.objective is not None
    return answer.objective


@settings(max_examples=20, deadline=None)
@given(exchanges(rows=3))
@example(exchange(*CYCLE))
@example(exchange(*CYCLE, multicast="1.5"))
@example(exchange(([1], [0]), ([0], [1]), multicast="0.5"))
def test_the_search_finds_the_least_load_of_all_plans(instance: ShuffleInstance) -> None:
    least = least_load(instance)
    assert load(instance, "exact") == least
    assert slow_bounds(instance, Limits(), None).best.value == least


@settings(max_examples=15, deadline=None)
@given(exchanges(rows=5, workers=4))
def test_bounds_are_below_and_other_methods_above_the_least(instance: ShuffleInstance) -> None:
    least, loads = load(instance, "exact"), {}
    for method in METHODS[: 4 if any(instance.missing) else 3]:
        loads[method] = load(instance, method)
        for theorem in guarantees_of(method):
            if theorem in SHUFFLE and theorem.unmet(instance) is None:
                assert loads[method] <= theorem.factor(instance) * least
    assert all(bound.value <= least for bound in combinatorial_bounds(instance))
    assert min(loads.values()) >= least
    assert loads.get("cover", least) <= min(loads.values())


@pytest.mark.parametrize(
    ("sides", "multicast", "subsets", "greedy", "bound", "least"),
    [
        (PADDED, "1", 3, 2, 2, 2),
        (CYCLE, "1", 3, 3, 2, 2),
        (PENTAGON, "1", 5, 3, 2, 3),
        ((([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])), "2.5", 2.5, 2.5, 2.5, 2.5),
        ((([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])), "3", 3, 3, 3, 3),
        ((([], [0]), ([], [0]), ([], [0])), "2", 2, 2, 2, 2),
    ],
)
def test_where_the_gaps_are(
    sides: tuple, multicast: str, subsets: float, greedy: float, bound: float, least: float
) -> None:
    instance = exchange(*sides, multicast=multicast)
    found = [float(load(instance, method)) for method in ("subsets", "greedy-cover", "exact")]
    assert found == [subsets, greedy, least]
    assert combinatorial_bounds(instance)[0].value == bound


def test_the_mean_of_all_orders_is_less_than_the_best() -> None:
    """By the definition: a row counts where the first worker that it matters to lacks it."""
    given = concerns_of(generate("shuffle", seed=3))
    rng, counts = np.random.default_rng(0), []
    for _ in range(50):
        order = rng.permutation(5)
        first = given.concerned[:, order].argmax(axis=1)
        counts.append(given.lacking[np.arange(len(first)), order[first]].sum())
    best = counts_of_sets(given)[-1]
    assert max(counts) <= best
    assert max(counts) <= count_of_all(given)[0] <= best


def test_the_cover_of_an_epoch_is_close_to_the_bound() -> None:
    instance = generate("shuffle", seed=0, rows=500)
    value, bound = load(instance, "greedy-cover"), combinatorial_bounds(instance)[0].value
    assert bound <= value <= Fraction(102, 100) * bound
    assert load(instance, "subsets") > Fraction(110, 100) * bound


def test_rows_that_nobody_has_or_wants_cost_nothing() -> None:
    workers = (
        CachingWorker(name="a", has=(10,), wants=(99,)),
        CachingWorker(name="b", has=(99,), wants=(10,)),
    )
    one = ShuffleInstance(name="sparse", rows=10**9, workers=workers)
    for method in ("row-by-row", "subsets", "greedy-cover"):
        answer = solve(one, method)
        assert answer.valid
        assert answer.objective == (2 if method == "row-by-row" else 1)
