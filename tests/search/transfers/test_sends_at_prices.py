"""Prices of links at which no send keeps anything: below all plans, close where they should be."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from check.certificates.proofs import checked, lines_of
from check.certificates.test_transfers_rules import follows, on_a_star, refused, slowly
from little import few
from transfers_small import by_lot, link, pending, update

from ringyard.instances import NO_LIMITS, Limits, TransfersInstance, load_instance
from ringyard.instances.catalogue import entries, load_as
from ringyard.policies.request import Request
from ringyard.search.transfers import sends
from ringyard.search.transfers.enumeration import run
from ringyard.search.transfers.sends import sends_priced
from ringyard.search.transfers.slow_bounds import counted, slow_bounds

CASES = Path(__file__).parents[2] / "cases"


def hold(instance: TransfersInstance) -> None:
    bound, best = sends_priced(instance, NO_LIMITS), run(instance, Request()).value
    if bound is None:
        assert instance.goal == "last" or best == instance.drop_s
        return
    assert best is not None
    assert bound.value <= best
    assert checked(instance, lines_of(instance, bound)).follows == (bound.value,)


@pytest.mark.parametrize("seed", range(6))
def test_no_plan_is_better_and_the_checker_comes_to_the_same(seed: int) -> None:
    hold(on_a_star(seed))
    hold(slowly(seed))
    hold(by_lot(seed, 3, aggregators=seed % 3))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 60))
def test_no_plan_is_better_of_many(seed: int) -> None:
    hold(on_a_star(seed))
    hold(slowly(seed))
    hold(by_lot(seed, 3, aggregators=seed % 3))


def group() -> TransfersInstance:
    """Return updates of 1, 1 and 2 GB in a rack that can add them up, with an uplink of 1 GB/s."""
    links = [link(f"w-{name}", "rack", 1) for name in "abc"] + [link("rack", "server", 1)]
    updates = [update("a", 1), update("b", 1), update("c", 2)]
    return pending(links, updates, aggregators=("rack",), drop_s=20)


def test_a_sum_is_as_large_as_its_largest_member_and_waits_for_it() -> None:
    # Directly they come at 1, 2 and 4 s, all as one at 4 s; alone they would at 1, 1 and 2 s.
    bound, best = sends_priced(group(), NO_LIMITS), run(group(), Request()).value
    assert bound is not None
    assert best == Fraction(1 + 2 + 4, 3)
    assert counted(group(), NO_LIMITS).value < bound.value <= best


def test_prices_by_hand() -> None:
    # Two updates of 1 GB on a link of 1 GB/s: at 1 and 2 s. Before 1 s a gigabyte pays 1 s more.
    instance = pending([link("w", "server", 1)], [update(name, 1, worker="w") for name in "ab"])
    step = {"rule": "sends at prices", "unit": 4, "starts": [0], "by": [1]}
    assert follows(instance, **step, prices=[[0, 0, 0, 4]], worths=[8, 8]) == Fraction(3, 2)
    # With half of the price each keeps half a second at 1 s, and nothing at 2 s.
    assert follows(instance, **step, prices=[[0, 0, 0, 2]], worths=[8, 8]) == Fraction(5, 4)
    # Without a price each keeps a second; larger worths are kept, or those of dropping.
    assert follows(instance, **step, prices=[], worths=[8, 8]) == 1
    assert follows(instance, **step, prices=[], worths=[8, 800]) == 0
    # What is ready before a start does not pay for it, and the link earns less.
    late = step | {"starts": ["1/2"]}
    assert follows(instance, **late, prices=[[0, 0, 0, 4]], worths=[8, 8]) == Fraction(3, 4)


def test_prices_of_slow_links_are_large_numbers() -> None:
    """At 1e-12 GB/s a gigabyte is worth 1e15 s: in parts of a second, more than 64 bits hold."""
    instance = load_instance(CASES / "transfers-slow-links.json")
    assert isinstance(instance, TransfersInstance)
    hold(instance)
    assert [one for one in slow_bounds(instance, Limits(), None).missing if "prices" in one] == []


def scaled(instance: TransfersInstance, size: Decimal, second: Decimal) -> TransfersInstance:
    """Return an instance whose gigabytes and seconds are so much longer."""

    def later(one: Decimal | None) -> Decimal | None:
        return None if one is None else one * second

    return replace(
        instance,
        drop_s=instance.drop_s * second,
        links=tuple(replace(one, gb_s=one.gb_s * size / second) for one in instance.links),
        updates=tuple(
            replace(
                one,
                size_gb=one.size_gb * size,
                ready_s=one.ready_s * second,
                due_s=later(one.due_s),
            )
            for one in instance.updates
        ),
    )


@pytest.mark.parametrize("scale", few(2, ["1e-18", "1e9", "1e-9", "1e18"]))
def test_no_plan_is_better_whatever_the_units(scale: str) -> None:
    """Times, and so prices, that fit into 64 bits or do not, up to the last moment itself."""
    for made in (group(), slowly(3)):
        hold(scaled(made, Decimal(scale), Decimal(1)))
        hold(scaled(made, Decimal(1), Decimal(scale)))


def test_numbers_are_of_what_there_is() -> None:
    instance = pending([link("w", "server", 1)], [update(name, 1, worker="w") for name in "ab"])
    step = {"rule": "sends at prices", "unit": 4, "starts": [0], "by": [2]}
    step |= {"prices": [[0, 0, 0, 2]], "worths": [6, 6]}
    assert follows(instance, **step) == Fraction(1)
    assert "by number" in refused(instance, **step | {"prices": [[0, 1, 0, 1]]})
    assert "by number" in refused(instance, **step | {"prices": [[0, 0, 1, 1]]})
    assert "hops names hop 2" in refused(instance, **step | {"prices": [[2, 0, 0, 1]]})
    assert "one number per update" in refused(instance, **step | {"worths": [6]})
    last = pending(instance.links, instance.updates, goal="last")
    assert "only to the goal `mean`" in refused(last, **step)
    assert sends_priced(last, NO_LIMITS) is None


def test_shortest_first_is_the_best_where_links_are_all_that_counts() -> None:
    instance = load_as(TransfersInstance, "transfers-s0")
    bound = sends_priced(instance, NO_LIMITS)
    assert bound is not None
    best = entries()[instance.name].upper[0].value
    assert best * Fraction(99999, 100000) < bound.value <= best


def test_large_instances_and_no_time_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = group()
    assert sends_priced(instance, Limits(time_s=0.0)) is None
    monkeypatch.setattr(sends, "MOST_WORK", 26)
    assert sends_priced(instance, NO_LIMITS) is None
    assert any("sends at prices" in one for one in slow_bounds(instance, NO_LIMITS, None).missing)
    monkeypatch.setattr(sends, "MOST_WORK", 27)
    assert sends_priced(instance, NO_LIMITS) is not None
