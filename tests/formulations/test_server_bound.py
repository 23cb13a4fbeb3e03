"""The bound by server configurations: worked by hand, below every optimum, at any prices."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from crowded_instances import crowded_instances, rings_of_three
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.formulations.makespan.data import data_of, serial_horizon
from ringyard.formulations.makespan.rates import two_rates
from ringyard.formulations.makespan.server_bound import (
    MOST_GPUS,
    NEVER,
    CheapestPieces,
    Runs,
    ServerMaster,
    SlotPrices,
    fill,
    options,
    server_bound,
    taken,
)
from ringyard.instances import BoundKind, Limits, MakespanInstance, Server
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.exact.enumeration import enumerate_best
from ringyard.simulation.makespan.evaluate import never_ends

NO_LIMITS = Limits()


def value(instance: MakespanInstance, limits: Limits = NO_LIMITS) -> Fraction:
    bound = server_bound(instance, limits)
    assert bound is not None
    assert (bound.name, bound.kind) == ("server configurations", BoundKind.DUAL)
    return bound.value


def optimum(instance: MakespanInstance) -> Fraction:
    assume(never_ends(instance) is None)
    assume(serial_horizon(instance) <= 25)
    found = enumerate_best(instance, NO_LIMITS)
    assert found.value is not None
    return found.value


def test_rings_that_had_better_not_meet_need_two_servers_each() -> None:
    # A ring of 3 on servers of 2 takes 11 slots alone: 10 iterations of 1.0015 s. With another
    # on a server it would take 31. So each blocks two servers for 11 slots, and four of them
    # need four servers for 22; their GPUs alone would be done after 4 * 3 * 11 / 8 = 16.5.
    rings = rings_of_three(4, 2, 2, 2, 2)
    assert value(rings) == 22
    assert enumerate_best(rings, NO_LIMITS).value == 22


def test_rings_that_do_not_mind_may_meet() -> None:
    # Two at a time slow nobody down here, so that only the area is left: two rings of 3 GPUs
    # fill three servers of 2, and four rings take 22 slots.
    rings = replace(
        rings_of_three(4, 2, 2, 2),
        contention=replace(rings_of_three(1, 2).contention, share=Decimal("0.5")),
    )
    assert value(rings) == 22
    assert value(rings_of_three(4, 2, 2, 2)) > 22


@given(crowded_instances())
def test_it_is_never_above_the_optimum(instance: MakespanInstance) -> None:
    assert optimum(instance) >= value(instance)


@pytest.mark.slow
@settings(max_examples=300)
@given(crowded_instances())
def test_it_is_never_above_any_of_hundreds_of_optima(instance: MakespanInstance) -> None:
    assert optimum(instance) >= value(instance)


@given(
    st.sampled_from(["floor", "fractional"]).flatmap(
        lambda progress: makespan_instances(
            progress=progress, contention="fluid", max_servers=3, max_gpus=3, max_jobs=3
        )
    )
)
def test_it_holds_under_fair_sharing_of_links(instance: MakespanInstance) -> None:
    assert optimum(instance) >= value(instance)


@given(crowded_instances(progress="continuous"))
def test_in_continuous_time_it_holds_in_slots_of_every_length(instance: MakespanInstance) -> None:
    for parts in (1, 2):
        slots = replace(instance, progress="fractional", slot_s=instance.slot_s / parts)
        assert optimum(slots) >= value(instance) * parts


@given(crowded_instances(), st.data())
def test_any_prices_prove_something_true(instance: MakespanInstance, draw: st.DataObject) -> None:
    best, master = optimum(instance), ServerMaster(instance)
    known = master.solve().prices
    price = st.integers(0, 1000)
    inside = {gpus: draw.draw(price) for gpus in known.inside}
    pieces = np.array(
        [
            [0, 0],
            *(sorted((draw.draw(price), draw.draw(price)), reverse=True) for _ in known.pieces[1:]),
        ]
    )
    assert master.price(SlotPrices(inside, pieces)).proved <= best


@given(crowded_instances(), st.data())
def test_no_run_is_cheaper_than_the_cheapest(
    instance: MakespanInstance, draw: st.DataObject
) -> None:
    assume(never_ends(instance) is None)
    data, job = data_of(instance), instance.jobs[0]
    choices, price = options(data, job), st.integers(0, 100)
    paid = [sorted((draw.draw(price), draw.draw(price)))[::-1] for _ in choices]
    prices = SlotPrices({job.gpus: draw.draw(price)}, np.zeros((job.gpus, 2), np.int64))
    least = data.tasks[job.name].least
    runs = Runs(data, [(job, Fraction(least))], choices)
    offered = CheapestPieces(
        np.array(paid).reshape(-1, 2), np.zeros((len(choices), job.gpus, 2), np.int64)
    )
    ways = [prices.inside[job.gpus] * least] if data.fits(job.name) else []
    known = two_rates(instance, job, [choice.units for choice in choices])
    for rates, costs in zip(known.values(), paid, strict=True):
        ways += [
            first * costs[0] + rest * costs[1]
            for first, rest in product(range(60), repeat=2)
            if first * rates.calm + rest * rates.crowded >= job.iterations
        ]
    assert runs.cheapest(prices, offered).cost == min(ways)


@given(st.lists(st.integers(0, 50), min_size=3, max_size=5), st.integers(1, 7), st.integers(1, 4))
def test_a_room_is_filled_as_well_as_can_be(worth: list[int], room: int, most: int) -> None:
    values = np.array([0, *worth])
    exactly = np.full(room + 1, NEVER)
    exactly[0] = 0
    table, layers = fill(exactly, values, most)
    ways = [way for way in product(range(len(values)), repeat=most) if sum(way) == room]
    assert table[room] == max((sum(values[list(way)]) for way in ways), default=NEVER)
    if ways:
        counts, left = taken(layers, room, len(values))
        assert (counts @ values, counts @ np.arange(len(values)), left) == (table[room], room, 0)
        assert counts.sum() <= most


def test_more_jobs_than_rows_share_them() -> None:
    instance = load("knot-full-s0")
    twice = replace(
        instance,
        jobs=tuple(
            replace(job, name=f"{job.name}{half}") for job in instance.jobs for half in "ab"
        ),
    )
    assert abs(value(twice) - 2 * value(instance)) <= 2


def test_it_sees_what_the_area_does_not() -> None:
    for name in ("knot-full-s0", "knot-cheap-s0"):
        instance = load(name)
        areas = [each.value for each in combinatorial_bounds(instance) if each.name == "area"]
        assert value(instance) > Fraction(21, 20) * areas[0]


def test_without_time_the_bound_still_holds() -> None:
    instance = load("knot-full-s0")
    assert 0 < value(instance, Limits(time_s=0)) < value(instance)


def test_what_is_refused() -> None:
    instance = load("hand-contend")
    large = (Server(name="large", gpus=MOST_GPUS + 1),)
    cluster = replace(instance.cluster, servers=large)
    assert server_bound(replace(instance, cluster=cluster), NO_LIMITS) is None
