"""The search over all plans finds what the judge finds best, and no bound is above that."""

from fractions import Fraction

import pytest
from little import few
from numpy.random import default_rng
from transfers_small import by_lot, link, number, optimum, pending, star, update

from ringyard.analysis.check import check
from ringyard.instances import BoundKind, Limits, SolutionStatus, TerminationReason
from ringyard.policies.request import Request
from ringyard.search.transfers.bounds import combinatorial_bounds, least_by_chains
from ringyard.search.transfers.enumeration import refuses, run
from ringyard.search.transfers.slow_bounds import counted, slow_bounds


def hold(seeds: range, most: int = 3, aggregators: int = 1) -> None:
    for seed in seeds:
        instance = by_lot(seed, most, aggregators=aggregators)
        best = optimum(instance)
        found = run(instance, Request())
        verdict = check(instance, found.schedule)
        assert verdict.valid, seed
        assert (verdict.value, found.value, found.status) == (best, best, SolutionStatus.OPTIMAL), (
            seed
        )
        for bound in (*combinatorial_bounds(instance), counted(instance, Limits())):
            assert bound.value <= best, (seed, bound)


def test_the_search_finds_the_optimum_and_bounds_hold() -> None:
    hold(range(300, 306), 2, aggregators=2)
    hold(range(4))


@pytest.mark.slow
def test_the_search_finds_the_optimum_of_many_instances() -> None:
    hold(range(306, 315), 2, aggregators=2)
    hold(range(4, 60))


@pytest.mark.parametrize("replica", few(1, [True, False]))
def test_bounds_hold_for_more_updates(replica: bool) -> None:
    for seed in range(12):
        instance = by_lot(seed, 3 if replica else 5, aggregators=0, replica=replica)
        best = run(instance, Request()).value
        assert best is not None
        assert combinatorial_bounds(instance)[0].value <= best, seed
        assert counted(instance, Limits()).value <= best, seed


def test_one_link_is_bounded_by_shortest_first() -> None:
    updates = [update(name, size) for name, size in zip("abcd", (3, 1, 2, 4), strict=True)]
    for drop, mean in ((50, 5), (5, Fraction(1 + 3 + 5 + 5, 4))):
        bound = combinatorial_bounds(star(updates, drop_s=drop))[0]
        assert (bound.value, bound.kind) == (mean, BoundKind.COMBINATORIAL)


def test_updates_that_pass_slowly_raise_the_bound() -> None:
    links = [link("switch", "server", 1), *(link(f"w-{name}", "switch", "0.5") for name in "abc")]
    slow = pending(links, [update(name, 1) for name in "abc"])
    bounds = {bound.name: bound.value for bound in combinatorial_bounds(slow)}
    assert bounds["least left"] == Fraction(2 + 2 + 3, 3)
    assert bounds["mean moments"] == Fraction(5, 2)
    assert run(slow, Request()).value == Fraction(2 + 2 + 4, 3)


def test_stale_and_late_updates_raise_the_bound() -> None:
    updates = [update(name, 1, behind=1) for name in "abc"]
    stale = combinatorial_bounds(star(updates, staleness=2, drop_s=9))[0]
    assert stale.value == Fraction(1 + 2 + 9, 3)
    updates = [update(name, 1, due_s="1.5") for name in "abc"]
    late = combinatorial_bounds(star(updates, drop_s=9))[0]
    assert late.value == Fraction(1 + 9 + 9, 3)


def test_chains_are_exact_on_one_link() -> None:
    for seed in range(25):
        rng = default_rng(seed)
        updates = [
            update(
                f"u{k}",
                int(rng.integers(1, 6)),
                behind=int(rng.integers(3)),
                due_s=(None, None, 6, 12)[int(rng.integers(4))],
            )
            for k in range(5)
        ]
        goal, drop = ("mean", "last")[seed % 2], int(rng.integers(5, 40))
        instance = star(updates, staleness=(None, 4)[seed % 3 > 0], drop_s=drop, goal=goal)
        assert least_by_chains(instance) == run(instance, Request()).value, seed


def test_counts_see_links_that_only_some_can_avoid() -> None:
    for seed in range(200):
        instance = by_lot(seed, 4, aggregators=1)
        if counted(instance, Limits()).value > combinatorial_bounds(instance)[0].value:
            return
    raise AssertionError("no instance shows it")


def test_strong_bounds_are_exact_for_a_few_updates() -> None:
    for seed in range(6):
        instance = by_lot(seed, 3, aggregators=1)
        best = run(instance, Request()).value
        assert slow_bounds(instance, Limits(), None).best.value == best, seed


def test_a_limit_leaves_a_plan_and_an_honest_bound() -> None:
    instance = star([update(f"u{k}", 1 + k % 3) for k in range(8)], aggregators=("switch",))
    found = run(instance, Request(limits=Limits(time_s=0)))
    assert (found.termination, found.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.FEASIBLE,
    )
    assert check(instance, found.schedule).valid
    assert found.bound is not None
    assert found.bound.kind is BoundKind.COMBINATORIAL


def test_too_many_updates_are_refused() -> None:
    many = star([update(f"u{k}", 1) for k in range(9)], drop_s=number(50))
    assert "at most 8 updates, not 9" in str(refuses(many))
