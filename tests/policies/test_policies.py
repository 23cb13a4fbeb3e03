"""What every policy owes: valid schedules, the same for the same seed, and refusals in advance."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from little import little_work
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import Limits, MakespanInstance, RefusedError, SolutionStatus
from ringyard.instances.catalogue import load
from ringyard.instances.generate import generate
from ringyard.methods import Method, all_methods
from ringyard.run import solve
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.simulation import build_model
from ringyard.simulation.progress import next_start
from ringyard.testing import check_method

FOUND = (SolutionStatus.FEASIBLE, SolutionStatus.OPTIMAL)
FAST = [m for m in all_methods() if m.kind != "program" and m.family == "makespan"]
"""Programs have a suite of their own, `tests/search/test_programs.py`."""

every_method = pytest.mark.parametrize("method", FAST, ids=lambda m: m.name)

LONG = (
    *("block-dive", "cells", "nested"),
    *("raghavan-thompson", "lenstra-shmoys-tardos", "alpha-points", "midpoints"),
)
"""Methods that take long on a large instance. They have suites of their own too."""

on_large_instances = pytest.mark.parametrize(
    "method",
    [pytest.param(m, marks=[pytest.mark.slow] if m.name in LONG else [], id=m.name) for m in FAST],
)


@pytest.fixture(autouse=True, scope="module")
def little() -> Iterator[None]:
    with little_work():
        yield


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def largest_for(method: Method) -> MakespanInstance:
    """Return an instance of the paper's size, or a smaller one for methods that refuse it."""
    knot = generate("knot", seed=0, jobs=30, servers=8)
    some = (load("mobihoc-20-s0"), load("small-05x3"), knot)
    return next(instance for instance in some if not method.refuses(instance))


@every_method
@settings(max_examples=15)
@given(st.data())
def test_schedules_are_valid_and_above_the_bound(method: Method, data: st.DataObject) -> None:
    jobs = 8 if method.kind == "policy" else 3
    instance = replace(data.draw(makespan_instances(max_jobs=jobs)), horizon_slots=None)
    if method.refuses(instance):
        return
    outcome = method.run(instance, Limits(), generator())
    assert outcome.status in FOUND, outcome.note
    verdict = check(instance, outcome.schedule)
    assert verdict.violations == ()
    assert verdict.makespan is not None
    assert verdict.makespan >= best_bound(instance).value


@on_large_instances
def test_another_seed_gives_another_schedule_of_random_methods_alone(method: Method) -> None:
    """The next test also checks that the same seed gives the same schedule."""
    instance = largest_for(method)
    first, other = (method.run(instance, Limits(), generator(k)).schedule for k in (7, 8))
    assert (other != first) == method.random


@on_large_instances
def test_it_keeps_what_a_method_promises(method: Method) -> None:
    """On an instance on which it finds better schedules on the way."""
    check_method(method, instances=[largest_for(method)])


@every_method
def test_long_continuous_times_neither_hang_nor_overlap(method: Method) -> None:
    """Rounding a moment of 10^6 slots up to the next tick must not fall below it."""
    instance = replace(
        load("hand-theorem5"),
        progress="continuous",
        jobs=tuple(
            replace(job, iterations=1, backward_s=Decimal(f"{1100000 + 7 * i}.08093{i}"))
            for i, job in enumerate(load("hand-theorem5").jobs)
        ),
    )
    if method.refuses(instance):
        return
    outcome = method.run(instance, Limits(), generator())
    assert check(instance, outcome.schedule).violations == ()


@pytest.mark.parametrize("second", ["5e-5", "4e7"])
def test_times_beyond_the_ticks_are_refused(second: str) -> None:
    job = replace(load("hand-theorem5").jobs[0], iterations=1, backward_s=Decimal(second))
    instance = replace(load("hand-theorem5"), progress="continuous", jobs=(job,))
    with pytest.raises(RefusedError, match="slot_s"):
        solve(instance)


def test_next_start_is_never_before_the_moment() -> None:
    model = build_model(replace(load("hand-theorem5"), progress="continuous"))
    for moment in generator().random(2000) * 1e8:
        assert next_start(model, moment) >= moment
