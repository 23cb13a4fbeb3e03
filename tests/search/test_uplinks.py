"""Rings that must cross the network: by hand, against all ways to cut and to pace them."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from search.small_instances import slotted_instances

from ringyard.formulations.makespan.data import serial_horizon
from ringyard.instances import Limits, MakespanInstance, RingJob, Server, ServerUplink
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import (
    UplinkLevel,
    UplinkRing,
    combinatorial_bounds,
    least_uplinks,
    taken,
)
from ringyard.search.makespan.bounds.load import load_bound
from ringyard.search.makespan.exact.enumeration import enumerate_best


def values(instance: MakespanInstance) -> dict[str, Fraction]:
    return {bound.name: bound.value for bound in combinatorial_bounds(instance)}


def held(gpus: int, size: int, rings: int) -> Fraction:
    """Return the least sum of shares over all ways to cut a ring into pieces."""
    if gpus == 0:
        return Fraction(0)
    return min(
        Fraction(1, min(rings, size - piece + 1)) + held(gpus - piece, size, rings)
        for piece in range(1, min(gpus, size) + 1)
    )


@pytest.mark.parametrize("rings", [1, 2, 3, 4, 9])
def test_no_way_to_cut_a_ring_holds_less(rings: int) -> None:
    for size, gpus in product(range(1, 7), range(1, 11)):
        assert least_uplinks(gpus, size, rings) <= held(gpus, size, min(rings, size))


def test_seven_gpus_on_servers_of_four() -> None:
    """Alone two uplinks; with one other at most one and a half, as four GPUs leave no room."""
    assert [least_uplinks(7, 4, rings) for rings in (1, 2, 3)] == [
        2,
        Fraction(3, 2),
        Fraction(7, 6),
    ]


small = st.integers(1, 6)


@given(st.lists(st.tuples(small, small), min_size=1, max_size=3), small, small, small)
def test_whole_slots_at_their_cheapest(
    rows: list[tuple[int, int]], gpus: int, iterations: int, mu: int
) -> None:
    """No more than the best numbers of slots at each level, and no less than parts of slots."""
    rates = sorted({Fraction(rate, 2) for rate, _ in rows}, reverse=True)
    uplinks = sorted({Fraction(held, 2) for _, held in rows}, reverse=True)
    levels = [UplinkLevel(*pair) for pair in zip(rates, uplinks, strict=False)]
    ring = UplinkRing(Fraction(0), gpus, iterations, levels)
    most = 2 * iterations
    best = min(
        sum(n * (gpus + mu * level.uplinks) for n, level in zip(slots, levels, strict=True))
        for slots in product(range(most + 1), repeat=len(levels))
        if sum(n * level.rate for n, level in zip(slots, levels, strict=True)) >= iterations
    )
    assert taken(ring, Fraction(mu), False) <= taken(ring, Fraction(mu), True) <= best
    if len(levels) == 1:
        assert taken(ring, Fraction(mu), True) == best


@given(slotted_instances(max_jobs=4, max_servers=3, max_gpus=3), st.sampled_from(["0.5", "1", "2"]))
def test_no_bound_exceeds_the_optimum(instance: MakespanInstance, gradient: str) -> None:
    rings = tuple(replace(job, gradient_gb=Decimal(gradient)) for job in instance.jobs)
    instance = replace(instance, jobs=rings, progress="fractional")
    assume(serial_horizon(instance) <= 60)
    optimum = enumerate_best(instance, Limits()).value
    assert optimum is not None
    assert max(values(instance).values()) <= optimum


def colliding(iterations: int, degradation: int) -> MakespanInstance:
    """Return two rings of 3 GPUs on three servers of 2: they must meet on one of them."""
    instance = load("hand-contend")
    return replace(
        instance,
        cluster=replace(
            instance.cluster,
            servers=tuple(Server(name=f"s{i}", gpus=2) for i in range(3)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(1000),
        ),
        jobs=tuple(
            RingJob(name=name, gpus=3, iterations=iterations, gradient_gb=Decimal("0.75"))
            for name in "ab"
        ),
        contention=ServerUplink(degradation=Decimal(degradation)),
    )


def test_rings_that_lose_much_hold_two_of_three_uplinks_each() -> None:
    """10 iterations of 1 s need 11 slots alone, on 2 of 3 uplinks: 22 x 2 / 3 = 14.7 slots."""
    instance = colliding(10, 3)
    loads = load_bound(instance, Limits())
    assert loads is not None
    assert values(instance)["uplinks"] == 15 > max(loads.value, values(instance)["area"])


def test_rings_that_share_for_nothing_hold_as_little_as_they_can() -> None:
    free = replace(colliding(10, 0), contention=ServerUplink(share=Decimal("0.5")))
    assert "uplinks" not in values(free)


@pytest.mark.parametrize("name", ["knot-full-s0", "knot-cheap-s0"])
def test_where_rings_can_hardly_avoid_each_other_it_is_the_strongest(name: str) -> None:
    instance = load(name)
    found = values(instance)
    loads = load_bound(instance, Limits())
    assert loads is not None
    assert found["uplinks"] > 1.02 * float(loads.value)
    assert found["uplinks"] == max(found.values())


@pytest.mark.parametrize("name", ["mobihoc-20-s0", "hand-fluid-starved"])
def test_where_nothing_must_cross_or_links_are_shared_fairly_there_is_none(name: str) -> None:
    assert "uplinks" not in values(load(name))
