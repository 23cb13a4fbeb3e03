"""Policies for transfers: valid everywhere, best where the best is known, and never worse."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from little import few

from ringyard.instances import Limits, TerminationReason
from ringyard.instances.catalogue import DATA
from ringyard.instances.generate import generate
from ringyard.instances.reading.files import load_instance
from ringyard.instances.transfers.mix import random_transfers
from ringyard.policies.request import Request
from ringyard.run import Answer, solve
from ringyard.search.transfers.slow_bounds import counted
from ringyard.simulation.transfers import replay

LINE = ("shortest-first", "mlfabric-order", "mlfabric-aggregate", "mlfabric")
"""Each is never worse than the one before."""

METHODS = ("fifo", "fair", *LINE)

BEST = {
    "moore": Fraction(134, 5),
    "fair": Fraction(5, 2),
    "group": Fraction(7, 4),
    "replica": Fraction(7, 3),
    "stale": Fraction(5),
}


def answers(index: int) -> dict[str, Answer]:
    instance = random_transfers(0, index)
    return {name: solve(instance, name) for name in METHODS}


def holds(index: int) -> None:
    """Check that plans are valid, played alike by engine and judge, and in line."""
    found = answers(index)
    for answer in found.values():
        assert answer.verdict is not None, (index, answer.method.name)
        assert answer.valid, (index, answer.method.name)
        played = replay(answer.instance, answer.schedule)  # type: ignore[arg-type]
        assert dict(played.applied) == dict(answer.verdict.applied)  # type: ignore[union-attr]
        assert played.value == answer.objective
        assert played.spread == answer.verdict.spread  # type: ignore[union-attr]
        dropped = answer.verdict.dropped  # type: ignore[union-attr]
        assert bool(dropped) == ("dropped" in answer.outcome.note)
    values = [found[name].objective for name in LINE]
    assert values == sorted(values, key=lambda value: -value)  # type: ignore[operator]


@pytest.mark.parametrize("index", few(8, range(20)))
def test_plans_of_random_instances_hold(index: int) -> None:
    holds(index)


@pytest.mark.slow
def test_plans_of_many_random_instances_hold() -> None:
    for index in range(25, 100):
        holds(index)


@pytest.mark.parametrize("name", BEST)
def test_known_optima_are_reached(name: str) -> None:
    instance = load_instance(DATA / "hand" / f"hand-transfers-{name}.json")
    assert solve(instance, "mlfabric").objective == BEST[name]


def test_baselines_miss_them_where_the_notes_say_so() -> None:
    def value(name: str, method: str) -> Fraction | None:
        return solve(load_instance(DATA / "hand" / f"hand-transfers-{name}.json"), method).objective

    assert value("moore", "shortest-first") == Fraction(217, 5)
    assert value("stale", "shortest-first") == Fraction(23, 3)
    assert value("fair", "fair") == Fraction(8, 5) * BEST["fair"]
    assert value("group", "mlfabric-order") == Fraction(5, 2)


@pytest.mark.parametrize("seed", range(1, 3))
def test_the_longest_goes_first_if_the_last_counts(seed: int) -> None:
    answer = solve(generate("transfers", seed=seed, goal="last"), "mlfabric")
    assert answer.objective == answer.bound.value


@pytest.mark.parametrize("seed", range(2))
def test_groups_suit_the_last_update(seed: int) -> None:
    options = {"oversubscription": Decimal(4), "aggregators": 1, "goal": "last"}
    instance = generate("transfers", seed=seed, **options)
    found, bound = solve(instance, "mlfabric").objective, counted(instance, Limits()).value
    assert found is not None
    assert bound <= found <= bound * Fraction(10001, 10000)


def test_copies_are_left_out_where_nothing_asks_for_them() -> None:
    instance = replace(generate("transfers-replica", seed=1, workers=6), divergence=None)
    plan = solve(instance, "mlfabric").schedule
    assert {send.to for send in plan.sends} == {"server"}


def test_at_the_time_limit_the_best_so_far_is_given() -> None:
    from ringyard.policies.transfers.mlfabric import MLFABRIC

    instance = generate("transfers-racks", seed=0)
    outcome = MLFABRIC.run(instance, Request(limits=Limits(time_s=0.0)))  # type: ignore[arg-type]
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert outcome.schedule.sends == solve(instance, "shortest-first").schedule.sends
