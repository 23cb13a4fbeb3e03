"""The rules of `transfers` on few updates that have to be in time, or fresh, or are dropped."""

from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from check.certificates.proofs import checked, lines_of
from check.certificates.test_limits import stated
from numpy.random import default_rng
from transfers_small import by_lot, link, pending, star, update

from ringyard.instances import NO_LIMITS, Bound, TransfersInstance
from ringyard.policies.request import Request
from ringyard.search.transfers.bounds import combinatorial_bounds
from ringyard.search.transfers.enumeration import run
from ringyard.search.transfers.slow_bounds import counted

NUMBERS = range(20)


def on_a_star(seed: int) -> TransfersInstance:
    """Draw updates that cross one link, many of them too late or too stale."""
    rng = default_rng(seed)
    updates = [
        update(
            f"u{k}",
            int(rng.integers(1, 6)),
            behind=int(rng.integers(4)),
            ready_s=int(rng.integers(4)) if seed % 3 else 0,
            due_s=(None, None, 3, 6, 12)[int(rng.integers(5))],
        )
        for k in range(5)
    ]
    goal, drop = ("mean", "last")[seed % 2], int(rng.integers(5, 40))
    return star(updates, staleness=(None, 3)[seed % 4 > 1], drop_s=drop, goal=goal)


def slowly(seed: int) -> TransfersInstance:
    """Draw updates that go slowly to a fast link, with a last one that may have gone before."""
    rng = default_rng(seed)
    updates = [
        update(name, int(rng.integers(1, 5)), ready_s=int(rng.integers(3)), due_s=due)
        for name, due in zip("abcd", (None, None, 9, 4), strict=True)
    ]
    links = [link(f"w-{name}", "switch", ("0.5", 1, 2)[int(rng.integers(3))]) for name in "abcd"]
    return pending([link("switch", "server", 1), *links], updates, drop_s=int(rng.integers(4, 16)))


@cache
def proved(number: int) -> tuple[TransfersInstance, tuple[Bound, ...]]:
    """Return an instance with its bounds."""
    ways = on_a_star, slowly, lambda seed: by_lot(seed, 4, aggregators=seed % 2)
    instance = ways[number % 3](number)
    return instance, (*combinatorial_bounds(instance), counted(instance, NO_LIMITS))


@pytest.mark.parametrize("number", NUMBERS)
def test_what_follows_is_the_bound_and_not_beyond_the_best_plan(number: int) -> None:
    instance, bounds = proved(number)
    best = run(instance, Request()).value
    assert best is not None
    for bound in bounds:
        assert checked(instance, lines_of(instance, bound)).follows == (bound.value,), bound.name
        assert bound.value <= best


@pytest.mark.parametrize("number", NUMBERS)
def test_all_directions_of_links_are_numbered_and_no_choice_goes_beyond(number: int) -> None:
    instance, bounds = proved(number)
    best = run(instance, Request()).value
    assert best is not None
    for bound in bounds:
        head, step = lines_of(instance, bound)
        for hop in range(2 * len(instance.links) if "hops" in step else 0):
            verdict = checked(instance, [head, {**step, "hops": [hop]}])
            assert all(value <= best for value in verdict.follows)
            assert verdict.follows or "must be crossed" in str(verdict.refused)


def test_as_many_are_applied_by_a_moment_as_fit_through() -> None:
    # Both updates of 1 GB cross the link of 1 GB/s; by 1.5 s one has, which counts until 3 s.
    instance = pending(
        [link("w", "server", 1)], [update(name, 1, worker="w") for name in "ab"], drop_s=3
    )
    head = lines_of(instance, combinatorial_bounds(instance)[0])[0] | {"claim": {"at_least": 0}}

    def follows(by: str, price: int, starts: list[int] | None = None) -> list[str]:
        step = {"rule": "counts by moments", "hops": [], "unit": 2, "shares": []}
        step |= {"by": [by], "starts": starts or [0], "prices": [[0, 0, 0, price]]}
        return [str(value) for value in checked(instance, [head, step]).follows]

    assert follows("3/2", 2) == ["5/4"]
    # At a price of 1/2 each update keeps 1/2: 3/4 + 2 / 2 are 1 in whole numbers.
    assert follows("3/2", 1) == ["5/4"]
    # At no price both fit, and by 1.999.. one; by 2 both.
    assert follows("3/2", 0) == ["1"]
    assert follows("1999/1000", 2) == ["2999/2000"]
    assert follows("2", 2) == ["1"]
    # Before 1 s not one can be there; after the start, neither is ready.
    assert follows("1/2", 2) == ["1"]
    assert follows("3/2", 2, [1]) == ["1"]


def follows(instance: TransfersInstance, **step: Any) -> Fraction:
    """Return what one step says."""
    (found,) = checked(instance, stated(instance, **step)).follows
    return found


def refused(instance: TransfersInstance, **step: Any) -> str:
    """Return why a step is refused."""
    why = checked(instance, stated(instance, **step)).refused
    assert why is not None
    return why.why


def side_by_side(*behind: int, **fields: Any) -> TransfersInstance:
    """Return updates that take a second each, on links of their own."""
    updates = [update(name, 1, behind=some) for name, some in zip("abc", behind, strict=False)]
    links = [link(one.worker, "server", 1) for one in updates]
    return pending(links, updates, drop_s=9, **fields)


def in_turn(*dues: float | None, ready: int = 0, **fields: Any) -> TransfersInstance:
    """Return updates that take a second each, on one link."""
    names = zip("abc", dues, strict=False)
    updates = [update(name, 1, worker="w", ready_s=ready, due_s=due) for name, due in names]
    return pending([link("w", "server", 1)], updates, drop_s=9, **fields)


def test_what_is_too_stale_is_dropped_on_every_way() -> None:
    assert follows(side_by_side(3, staleness=2), rule="alone") == 9


def test_of_updates_that_are_as_stale_as_allowed_one_is_applied() -> None:
    instance = side_by_side(1, 1, staleness=1)
    assert follows(instance, rule="least left", hops=[]) == Fraction(1 + 9, 2)


def test_dues_are_counted_from_when_the_first_is_ready() -> None:
    # Either can cross by 6.5, and not both.
    instance = in_turn(6.5, 6.5, ready=5)
    assert follows(instance, rule="least left", hops=[0]) == Fraction(6 + 9, 2)


def test_two_updates_on_one_hop_follow_each_other() -> None:
    assert follows(in_turn(None, None), rule="chains") == Fraction(1 + 2, 2)


def test_means_say_nothing_of_the_last_moment() -> None:
    step = {"rule": "mean moments", "hops": [0]}
    assert "only to the goal `mean`" in refused(in_turn(None, goal="last"), **step)
    assert follows(in_turn(None), **step) == 1


COUNTS: dict[str, Any] = {"rule": "counts by moments", "hops": [0], "unit": 1, "starts": [0]}


def test_counts_are_of_moments_too_early_for_all() -> None:
    # By 1 there is one at most: a gigabyte pays 1 to cross, which is all that the link earns.
    step = COUNTS | {"by": ["1"], "prices": [[0, 0, 0, 1]], "shares": []}
    assert follows(in_turn(None, None), **step) == Fraction(1 + 2, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"prices": [[0, 0, 1, 1]]},
        {"shares": [[0, 2, 0, 0, 0]]},
        {"shares": [[0, 0, 1, 0, 0]]},
        {"shares": [[0, 0, 0, 1, 0]]},
    ],
)
def test_counts_name_starts_updates_and_aggregators_that_are_there(change: dict[str, Any]) -> None:
    links = [link("w", "hub", 1), link("hub", "server", 1)]
    updates = [update(name, 1, worker="w") for name in "ab"]
    instance = pending(links, updates, drop_s=9, aggregators=("hub",))
    step = COUNTS | {"hops": [], "by": ["1"], "prices": [], "shares": [[0, 1, 0, 0, 0]]}
    assert follows(instance, **step)
    assert "must name starts, updates" in refused(instance, **(step | change))
