"""Offline schedules by searched orders: valid, no worse than the first order, often optimal."""

from typing import Any

import pytest
from numpy.random import default_rng

import ringyard
from ringyard.analysis.check import check
from ringyard.instances import Incumbent, Limits, TerminationReason
from ringyard.instances.catalogue import entries, load
from ringyard.policies.request import Request
from ringyard.search.online import order_search
from ringyard.search.online.bounds import combinatorial_bounds
from ringyard.search.online.order_search import Options

HAND = [name for name in entries() if name.startswith("hand-online")]


@pytest.mark.parametrize("name", HAND)
def test_every_optimum_by_hand_is_found(name: str) -> None:
    outcome = order_search.run(load(name), Request(options=order_search.Options()))
    assert check(load(name), outcome.schedule).objective == entries()[name].upper[0].value


def test_schedules_are_valid_and_the_same_for_a_seed() -> None:
    for seed in range(3):
        instance = ringyard.generate("pdors-small", seed=seed, jobs=4 + seed, slots=4 + seed % 4)
        one, same = (
            order_search.run(instance, Request(rng=default_rng(3), options=Options(offers=100)))
            for _ in range(2)
        )
        assert one == same
        assert check(instance, one.schedule).violations == ()


def test_more_offers_are_no_worse_and_better_ones_are_told() -> None:
    instance, told = load("pdors-small-10x4x8"), list[float]()

    def hear(incumbent: Incumbent) -> None:
        told.append(incumbent.value)

    values = []
    for offers in (1, 100, 1000):
        limits = Limits(watch=hear)
        outcome = order_search.run(instance, Request(limits=limits, options=Options(offers=offers)))
        values.append(check(instance, outcome.schedule).objective)
    assert values == sorted(values)
    assert told
    assert max(told) <= float(values[-1]) * (1 + 1e-9)


@pytest.mark.parametrize("kept", [0, 1 << 9, 1 << 12])
def test_offers_that_go_on_from_a_like_order_are_those_made_from_the_start(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = ringyard.generate("pdors-small", seed=4, jobs=7, slots=8)
    asked = Request(rng=default_rng(1), options=Options(offers=200))
    often = order_search.run(instance, asked)
    monkeypatch.setattr(order_search, "KEPT_BYTES", max(1, kept))
    again = Request(rng=default_rng(1), options=Options(offers=200))
    assert order_search.run(instance, again) == often


def test_a_time_limit_ends_it() -> None:
    outcome = order_search.run(
        load("pdors-s0"), Request(limits=Limits(time_s=0.0), options=order_search.Options())
    )
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert check(load("pdors-s0"), outcome.schedule).valid


def test_jobs_that_cannot_complete_are_not_asked() -> None:
    instance = ringyard.generate("pdors-small", seed=0, jobs=5, machines=3, slots=5)
    outcome = order_search.run(instance, Request(options=order_search.Options()))
    assert outcome.schedule.admissions == ()


def test_offers_that_ran_out_are_told_and_all_orders_are_an_end() -> None:
    few, more = load("pdors-small-10x4x8"), Options(offers=100)
    assert order_search.run(few, Request(options=more)).termination is TerminationReason.WORK_LIMIT
    alone = ringyard.generate("pdors-small", seed=4, jobs=1, slots=8)
    assert order_search.run(alone, Request(options=more)).termination is TerminationReason.DONE


def test_more_jobs_are_asked_as_often_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()
    best_plan = order_search.JobPlanner.best_plan

    def counted(self: Any, job: int) -> Any:
        asked.append(job)
        return best_plan(self, job)

    monkeypatch.setattr(order_search.JobPlanner, "best_plan", counted)
    monkeypatch.setattr(order_search, "EACH", 20)
    monkeypatch.setattr(order_search, "FEWEST", 20)
    monkeypatch.setattr(order_search, "KEPT_BYTES", 1 << 40)
    for jobs in (8, 24):
        asked.clear()
        instance = ringyard.generate("pdors-small", seed=4, jobs=jobs, machines=8, slots=12)
        order_search.run(instance, Request(options=Options()))
        able = len(set(asked))
        assert able > 3
        assert 19 * able < len(asked) <= 20 * able


def test_a_start_is_planned_in_an_empty_cluster() -> None:
    """Else its jobs would get only what the first order left."""
    instance = load("pdors-s0")
    order = order_search._first_order(instance)
    planner = order_search._OrderPlanner(instance, Request(options=Options()))
    assert planner.in_turn(order).plans == planner.in_turn(order).plans


def test_prices_find_schedules_that_the_first_order_does_not() -> None:
    instance = ringyard.generate("pdors", seed=4, jobs=60, machines=10)
    without, steered = (
        order_search.run(instance, Request(options=Options(offers=1, steps=steps)))
        for steps in (0, 30)
    )
    worth = [check(instance, one.schedule).objective for one in (without, steered)]
    assert worth[0] < worth[1]


def test_the_bound_of_prices_is_below_that_of_counting() -> None:
    instance = ringyard.generate("pdors-small", seed=4, jobs=24, machines=2, slots=8)
    outcome = order_search.run(instance, Request(options=Options(offers=1)))
    assert outcome.bound is not None
    assert outcome.bound.value < combinatorial_bounds(instance)[0].value
    assert outcome.bound.value >= check(instance, outcome.schedule).objective
    without = order_search.run(instance, Request(options=Options(offers=1, steps=0)))
    assert without.bound is None
