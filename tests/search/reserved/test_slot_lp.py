"""The relaxation of a slot: prices of places, its value between program and optimum, its sizes."""

from itertools import product

import numpy as np
import pytest
from reserved_small import (
    machine,
    make_instance,
    placements,
    rack,
    ring,
    rules_broken,
    slot_data,
    slot_optimum,
    tiny,
)
from scipy.optimize import linprog

from ringyard.formulations.matrix import matrix_of, relax
from ringyard.formulations.reserved import gadget_slot
from ringyard.formulations.reserved.slot_master import ResourcePrices, RingSlotData
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Limits
from ringyard.policies.reserved import Placement
from ringyard.search.reserved.slot_lp import Pricer, chosen_sizes, relaxed

SEEDS = range(20)


def with_asks(count: int) -> list[int]:
    return [seed for seed in range(3 * count) if slot_data(tiny(seed)).asks][:count]


def all_sizes(data: RingSlotData) -> list[range]:
    return [range(1, len(ask.gains) + 1) for ask in data.asks]


def price(data: RingSlotData, job: int, placement: Placement, prices: ResourcePrices) -> float:
    """Return what a placement costs; infinity where an empty slot has no room for it."""
    model, machines = data.model, list(placement)
    racks = {int(model.rack_of[s]) for s in machines}
    links = [(model.uplink, prices.uplink, s) for s in machines if len(machines) > 1]
    links += [(model.rack_uplink, prices.rack_uplink, k) for k in racks if len(racks) > 1]
    full = any((n * model.worker[job] > model.capacity[s]).any() for s, n in placement.items())
    if full or any(limits[at] < model.reserved[job] for limits, _, at in links):
        return np.inf
    each = sum(n * prices.machine[s] @ model.worker[job] for s, n in placement.items())
    return float(each + model.reserved[job] * sum(found[at] for _, found, at in links))


def limits_of(data: RingSlotData) -> np.ndarray:
    """Return how much there is of everything that a placement takes."""
    model = data.model
    room = [model.capacity.ravel(), model.uplink, model.rack_uplink]
    return np.concatenate([np.ones(len(data.asks)), *room])


def takes(data: RingSlotData, ask: int, way: Placement) -> list[float]:
    """Return what a placement takes: of its ring, of resources, of uplinks, of rack uplinks."""
    model, job = data.model, data.asks[ask].job
    held, links, racks = (
        np.zeros_like(limits) for limits in (model.capacity, model.uplink, model.rack_uplink)
    )
    used = {int(model.rack_of[s]) for s in way}
    for s, count in way.items():
        held[s] += count * model.worker[job]
        links[s] += model.reserved[job] * (len(way) > 1)
    for k in used if len(used) > 1 else ():
        racks[k] += model.reserved[job]
    return [*np.eye(len(data.asks))[ask], *held.ravel(), *links, *racks]


@pytest.mark.parametrize("seed", with_asks(12))
def test_the_cheapest_place_is_that_of_trying_all(seed: int) -> None:
    data, rng = slot_data(tiny(seed)), np.random.default_rng(seed)
    sides = data.model.capacity.shape, data.model.uplink.shape, data.model.rack_uplink.shape
    prices = ResourcePrices(*(rng.integers(0, 4, side).astype(float) for side in sides))
    quote = Pricer(data).quote(prices)
    for a, ask in enumerate(data.asks):
        for size in range(1, len(ask.gains) + 1):
            ways = [
                {s: n for s, n in enumerate(counts) if n}
                for counts in product(range(size + 1), repeat=len(data.model.uplink))
                if sum(counts) == size
            ]
            least = min(price(data, ask.job, way, prices) for way in ways)
            assert quote.cost[a, size] == pytest.approx(least)
            if least < np.inf:
                found = quote.placement(a, size)
                assert sum(found.values()) == size
                assert price(data, ask.job, found, prices) == pytest.approx(least)


@pytest.mark.parametrize("seed", with_asks(20))
def test_it_lies_between_the_optimum_and_the_relaxed_program(seed: int) -> None:
    instance = tiny(seed)
    data = slot_data(instance)
    found = relaxed(data, all_sizes(data), Limits())
    value = found.gain
    program = solve(matrix_of(relax(gadget_slot.build(data))))
    assert program.value is not None
    assert slot_optimum(instance) - 1e-7 <= value <= -program.value + 1e-7
    assert slot_optimum(instance) <= found.most <= value + 1e-6


@pytest.mark.parametrize("seed", with_asks(20))
def test_it_is_the_relaxation_over_all_placements(seed: int) -> None:
    """All placements that fit an empty slot are columns here, and another solver takes them."""
    instance = tiny(seed)
    data = slot_data(instance)
    columns, gains = [], []
    for place, ask in enumerate(data.asks):
        for way in placements(instance, len(ask.gains)):
            if way and not rules_broken(instance, {ask.job: way}):
                columns.append(takes(data, place, way))
                gains.append(sum(ask.gains[: sum(way.values())]))
    limits = limits_of(data)
    rows = np.isfinite(limits)
    best = linprog(-np.array(gains), np.array(columns).T[rows], limits[rows])
    loose = relaxed(data, all_sizes(data), Limits())
    assert loose.gain == pytest.approx(-best.fun, abs=1e-7)
    sizes = [{size} for size in chosen_sizes(data, loose)]
    most = max(len(ask.gains) for ask in data.asks)
    assert relaxed(data, sizes, Limits()).gain >= loose.gain / most - 1e-7


def test_it_is_tighter_than_the_relaxed_program_where_links_are_short() -> None:
    """Two rings of 3 on machines of 2 GPUs and links for one: 5 workers, for a ring alone is whole.

    Three links hold 1.5 rings of 3, and the other half has 2 workers inside: 5.5. In the relaxed
    program a ring that is half inside and half across has 3 workers on half the links.
    """
    instance = make_instance(
        [machine(f"m{i}", 2, 1) for i in range(3)], [ring("a", 3, 1), ring("b", 3, 1)]
    )
    data = slot_data(instance)
    assert slot_optimum(instance) == 5
    assert relaxed(data, all_sizes(data), Limits()).gain == pytest.approx(5.5)
    assert solve(matrix_of(relax(gadget_slot.build(data)))).value == pytest.approx(-6)


@pytest.mark.parametrize("seed", with_asks(12))
def test_columns_and_weights_keep_machines_and_links(seed: int) -> None:
    data = slot_data(tiny(seed))
    found = relaxed(data, all_sizes(data), Limits())
    used = sum(
        weight * np.array(takes(data, column.ask, column.placement))
        for column, weight in zip(found.columns, found.weights, strict=True)
    )
    assert (used <= limits_of(data) + 1e-7).all()


def test_a_rack_uplink_is_paid_once() -> None:
    """Three workers on three machines of two racks: a link each, and both racks."""
    machines = [machine(f"m{i}", 1, 9, rack=f"r{i // 2}") for i in range(3)]
    data = slot_data(
        make_instance(machines, [ring("a", 3, 2)], racks=(rack("r0", 9), rack("r1", 9)))
    )
    model = data.model
    prices = ResourcePrices(np.zeros_like(model.capacity), np.ones(3), np.full(2, 10.0))
    quote = Pricer(data).quote(prices)
    assert quote.cost[0].tolist() == [0, 0, 2 * 2, 2 * 3 + 2 * 20]
    assert quote.placement(0, 3) == {0: 1, 1: 1, 2: 1}
