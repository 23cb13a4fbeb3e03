"""What is free in a slot, and the place that a ring is given there."""

from random import Random

import pytest
from reserved_small import machine, make_instance, placements, rack, ring, rules_broken, tiny

from ringyard.instances import ReservedInstance
from ringyard.policies.reserved import Placement, SlotCapacity
from ringyard.simulation.reserved import refusal, reserved_model


def ways(instance: ReservedInstance, job: int) -> list[Placement]:
    """Return every way to place workers of a ring, none excepted, up to its most and its budget."""
    data = instance.jobs[job]
    cap = data.most_worker_slots
    most = data.most_workers if cap is None else min(data.most_workers, cap)
    return [way for way in placements(instance, most) if way]


@pytest.mark.parametrize("seed", range(20))
def test_it_takes_what_the_judge_allows_and_nothing_else(seed: int) -> None:
    instance, rng = tiny(seed, slots=1), Random(seed)
    free, held = SlotCapacity(reserved_model(instance)), dict[int, Placement]()
    for i in range(len(instance.jobs)):
        way = rng.choice(ways(instance, i))
        fits = not rules_broken(instance, held | {i: way})
        assert free.take(i, way) == fits
        if fits:
            held[i] = way


@pytest.mark.parametrize("seed", range(20))
def test_a_place_is_as_large_as_any_that_the_judge_allows(seed: int) -> None:
    instance = tiny(seed, slots=1)
    free, held = SlotCapacity(reserved_model(instance)), dict[int, Placement]()
    for i in range(len(instance.jobs)):
        tries = ways(instance, i)
        sizes = [sum(w.values()) for w in tries if not rules_broken(instance, held | {i: w})]
        found = free.place(i, max(sum(way.values()) for way in tries))
        assert sum(found.values()) == max(sizes, default=0)
        if found:
            assert free.take(i, found)
            held[i] = found
            assert not rules_broken(instance, held)


def test_what_is_given_back_is_free_again() -> None:
    instance = tiny(5)
    model = reserved_model(instance)
    free = SlotCapacity(model)
    before = [free.place(i, 4) for i in range(3)]
    assert free.take(0, before[0])
    free.give(0, before[0])
    assert [free.place(i, 4) for i in range(3)] == before


def test_a_ring_goes_where_it_fits_tightest_on_as_few_links_as_can_be() -> None:
    """Inside a machine; else across one rack; else across racks, the fullest machines first."""
    gpus = {"a0": 3, "a1": 2, "b0": 1, "b1": 4}
    machines = [machine(name, count, 1, rack=name[0]) for name, count in gpus.items()]
    racks = (rack("a", 1), rack("b", 1))
    free = SlotCapacity(reserved_model(make_instance(machines, [ring("x", 10, 1)], racks=racks)))
    assert [free.place(0, most) for most in (2, 3, 4)] == [{1: 2}, {0: 3}, {3: 4}]
    assert free.place(0, 5) == {0: 3, 1: 2}
    assert free.place(0, 6) == {3: 4, 0: 2}
    assert free.place(0, 99) == {3: 4, 0: 3, 1: 2, 2: 1}


def test_a_ring_does_not_use_links_that_do_not_carry_it() -> None:
    machines = [machine("m", 2, 1), machine("n", 3, "0.5"), machine("o", 1, 1)]
    free = SlotCapacity(reserved_model(make_instance(machines, [ring("x", 6, 1)])))
    assert free.place(0, 6) == {1: 3}, "inside n there are as many as on m and o"


def test_what_cannot_be_counted_is_refused() -> None:
    assert refusal(make_instance([machine("m", 1)], [ring("x", 1)], slots=10**5)) is None
    long = make_instance([machine("m", 1)], [ring("x", 1)], slots=10**6)
    assert "1,000,000 slots are more than 100,000" in str(refusal(long))
    many = [ring(f"x{i}", 1) for i in range(201)]
    entries = refusal(make_instance([machine("m", 1)], many, slots=10**5))
    assert "20,100,000 slots of rings are more than 20,000,000" in str(entries)
    fine = "1.00000000000000000001"
    digits = make_instance([machine("m", fine)], [ring("x", 1)])
    assert "amounts of 'gpu' have too many digits" in str(refusal(digits))
    links = make_instance([machine("m", 1, fine), machine("n", 1, 1)], [ring("x", 1)])
    assert "bandwidths have too many digits" in str(refusal(links))
