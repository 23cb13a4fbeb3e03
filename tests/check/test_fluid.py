"""Max-min fair sharing: trees worked out by hand, and what defines fairness."""

from fractions import Fraction
from typing import Any

import pytest
from check.cases import Entry, make_instance, plan, racks, ring
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.analysis.check import check
from ringyard.analysis.check.contention import max_min_rates
from ringyard.instances import FluidLinks

Where = dict[str, int]


def slowdowns(network: FluidLinks, servers: int, *places: Where, **fields: Any) -> list[Fraction]:
    """Return the slowdowns of rings that start together, one GPU for each piece."""
    jobs = [ring(f"r{i}", sum(gpus.values()), 9) for i, gpus in enumerate(places)]
    instance = make_instance(jobs, [8] * servers, contention=network, **fields)
    rows: list[Entry] = [(f"r{i}", 0, gpus) for i, gpus in enumerate(places)]
    first = {span.job: span.slowdown for span in reversed(check(instance, plan(*rows)).spans)}
    return [first[f"r{i}"] for i in range(len(places))]


def on(*servers: int) -> Where:
    return {f"s{i}": 1 for i in servers}


FLAT = racks(["s0", "s1", "s2", "s3"])


def test_alone_in_one_rack() -> None:
    assert slowdowns(FLAT, 4, on(0, 1, 2)) == [1]


def test_inside_a_server_no_link_is_used() -> None:
    assert slowdowns(FLAT, 4, {"s0": 2}, on(0, 1), {"s1": 3}) == [1, 1, 1]


def test_rings_share_an_uplink() -> None:
    assert slowdowns(FLAT, 4, on(0, 1), on(0, 2), on(0, 3)) == [3, 3, 3]


def test_what_others_cannot_use_goes_to_those_who_can() -> None:
    # Three rings on s1 get 1/3 each; the ring on s2 and s3 gets what the first of them leaves.
    rates = slowdowns(FLAT, 4, on(1, 2), on(0, 1), on(1, 3), on(2, 3))
    assert rates == [3, 3, 3, Fraction(3, 2)]


def test_bandwidth_counts_in_its_unit() -> None:
    assert slowdowns(FLAT, 4, on(0, 1), on(1, 2), inter_bandwidth_gb_s="0.4") == [2, 2]


TWO_RACKS = (["s0", "s1"], ["s2", "s3"])


@pytest.mark.parametrize(
    ("over", "alone", "beside"), [("0.5", 1, 1), ("1", 1, 1), ("2", 1, 2), ("4", 2, 4)]
)
def test_oversubscribed_racks_slow_rings_down(over: str, alone: int, beside: int) -> None:
    # Two servers of 1 GB/s below: the rack's uplink carries 2 / over.
    network = racks(*TWO_RACKS, leaf_oversubscription=over)
    assert slowdowns(network, 4, on(0, 2)) == [alone]
    assert slowdowns(network, 4, on(0, 2), on(1, 3)) == [beside, beside]
    assert slowdowns(network, 4, on(0, 1), on(2, 3)) == [1, 1]


def test_a_ring_crosses_the_uplink_of_a_rack_once() -> None:
    network = racks(*TWO_RACKS, leaf_oversubscription=2)
    assert slowdowns(network, 4, on(0, 1, 2, 3)) == [1]


def test_racks_of_different_size() -> None:
    network = racks(["s0"], ["s1", "s2", "s3"], leaf_oversubscription=2)
    # s0's rack carries 1/2, the other 3/2; the second ring takes what the first leaves of s1.
    assert slowdowns(network, 4, on(0, 1), on(1, 2)) == [2, 2]
    assert slowdowns(network, 4, on(0, 1), on(0, 2), on(1, 3)) == [4, 4, Fraction(4, 3)]


FOUR = (["s0", "s1"], ["s2", "s3"], ["s4", "s5"], ["s6", "s7"])
NORTH_SOUTH = ["north", "north", "south", "south"]


def test_oversubscribed_spines_slow_rings_down() -> None:
    network = racks(*FOUR, spines=NORTH_SOUTH, leaf_oversubscription=2, spine_oversubscription=8)
    # A rack carries 2/2 = 1, a spine (1 + 1) / 8 = 1/4.
    assert slowdowns(network, 8, on(0, 2)) == [1]
    assert slowdowns(network, 8, on(0, 4)) == [4]
    assert slowdowns(network, 8, on(0, 2, 4, 6)) == [4]
    assert slowdowns(network, 8, on(0, 4), on(2, 6)) == [8, 8]
    assert slowdowns(network, 8, on(0, 4), on(0, 2)) == [4, Fraction(4, 3)]


def test_one_spine_has_no_core_above_it() -> None:
    network = racks(*FOUR, leaf_oversubscription=2, spine_oversubscription=1000)
    assert slowdowns(network, 8, on(0, 2, 4, 6)) == [1]


def test_spines_without_oversubscription_never_bind() -> None:
    network = racks(["s0"], ["s1"], ["s2", "s3"], spines=["a", "a", "b"])
    # Spine a carries 1 + 1; its rings are held up by s2 and s3 alone.
    assert slowdowns(network, 4, on(0, 2), on(1, 3)) == [1, 1]
    assert slowdowns(network, 4, on(0, 2), on(1, 2)) == [2, 2]


def test_rates_are_shared_anew_when_a_ring_leaves() -> None:
    jobs = [ring("a", 2, 2), ring("b", 2, 4)]
    instance = make_instance(jobs, [2, 2], contention=racks(["s0", "s1"]))
    verdict = check(instance, plan(("a", 0, on(0, 1)), ("b", 0, on(0, 1))))
    # 2/3 iteration a slot for each; from slot 3 on the second does one a slot.
    assert verdict.ends == {"a": 3, "b": 5}
    assert [span.slowdown for span in verdict.spans] == [2, 2, 1]


def test_gpus_inside_a_server_join_no_sharing() -> None:
    jobs = [ring("a", 2, 2), ring("b", 2, 4)]
    instance = make_instance(
        jobs, [2, 2], contention=racks(["s0"], ["s1"], leaf_oversubscription=4)
    )
    verdict = check(instance, plan(("a", 0, {"s0": 2}), ("b", 1, {"s1": 2})))
    assert verdict.ends == {"a": 2, "b": 5}


sizes = st.fractions(min_value=1, max_value=4, max_denominator=9)
webs = st.lists(st.tuples(sizes, st.sets(st.integers(0, 5))), min_size=1, max_size=6)


@settings(max_examples=100)
@given(web=webs)
def test_max_min_fairness(web: list[tuple[Fraction, set[int]]]) -> None:
    """No link is overfull; every ring has a full link on which no ring gets more."""
    capacity = {f"l{i}": size for i, (size, _) in enumerate(web)}
    routes: dict[int, list[str]] = {}
    for i, (_, rings) in enumerate(web):
        for one in rings:
            routes.setdefault(one, []).append(f"l{i}")
    rates = max_min_rates(routes, capacity)
    assert rates.keys() == routes.keys()
    load = {link: sum(rates[r] for r in routes if link in routes[r]) for link in capacity}
    assert all(load[link] <= capacity[link] for link in capacity)
    for one, links in routes.items():
        assert any(
            load[link] == capacity[link]
            and all(rates[other] <= rates[one] for other in routes if link in routes[other])
            for link in links
        )
