"""Offline schedules by searched orders: valid, no worse than the first order, often optimal."""

import pytest
from numpy.random import default_rng

import ringyard
from ringyard.analysis.check import check
from ringyard.instances import Glimpse, Limits, Stop
from ringyard.instances.catalogue import entries, load
from ringyard.policies.request import Request
from ringyard.search.online import order_search
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

    def hear(glimpse: Glimpse) -> None:
        told.append(glimpse.value)

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
    assert outcome.stop is Stop.TIME_LIMIT
    assert check(load("pdors-s0"), outcome.schedule).valid


def test_jobs_that_cannot_complete_are_not_asked() -> None:
    instance = ringyard.generate("pdors-small", seed=0, jobs=5, machines=3, slots=5)
    outcome = order_search.run(instance, Request(options=order_search.Options()))
    assert outcome.schedule.admissions == ()
