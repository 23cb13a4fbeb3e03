"""Upper bounds on gains: by hand, and never below what can be had."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from check.certificates.proofs import checked, lines_of
from family_draws import drawn
from reserved_small import GPU, machine, make_instance, optimum, ring, tiny

from ringyard.instances import Gain
from ringyard.instances.catalogue import load
from ringyard.search.reserved import bounds
from ringyard.search.reserved.bounds import combinatorial_bounds, most_worker_slots


def test_no_more_workers_than_there_is_room_for() -> None:
    """Two machines of 3 hold one worker of 2 GPUs each: 2 of 5 wanted; 4 slots, or a budget."""
    two = ((GPU, Decimal(2)),)
    jobs = [
        ring("a", 5, worker=two),
        ring("b", 5, worker=two, budget=((GPU, Decimal(11)),)),
        ring("c", 1, arrival_slot=3),
    ]
    assert most_worker_slots(make_instance([machine("m", 3), machine("n", 3)], jobs, slots=4)) == (
        8,
        5,
        1,
    )


def test_the_knapsack_takes_what_adds_most_for_the_resource() -> None:
    """5 GPU-slots: b's steps are 2, 0.83, 0.64 and 0.54, a's first one is 1 and its second 0.41."""
    found = combinatorial_bounds(load("hand-gadget-root"))
    assert [(bound.name, float(bound.value)) for bound in found] == [
        ("knapsack of gpu", 5.0),
        ("each alone", pytest.approx(3 * 5**0.5)),
    ]


def test_the_last_item_goes_in_by_its_part() -> None:
    jobs = [
        ring("a", 1, worker=((GPU, Decimal(2)),), gain=Gain(shape="capped", value=Decimal(6))),
        ring("b", 1, worker=((GPU, Decimal(2)),), gain=Gain(shape="capped", value=Decimal(5))),
    ]
    (best, *_) = combinatorial_bounds(make_instance([machine("m", 3)], jobs))
    assert best.value == 6 + Fraction(5, 2)


def test_a_ring_cannot_use_what_was_free_before_it_came() -> None:
    jobs = [ring("a", 2, arrival_slot=2), ring("b", 2, arrival_slot=2), ring("c", 1)]
    (best, *_) = combinatorial_bounds(make_instance([machine("m", 2)], jobs, slots=3))
    assert best.value == 4, "c alone in slots 0 and 1, all together 2 in slot 2"


def test_what_the_rings_of_a_slot_cannot_use_is_no_room() -> None:
    jobs = [ring("a", 1), ring("b", 9, arrival_slot=2)]
    (best, *_) = combinatorial_bounds(make_instance([machine("m", 4)], jobs, slots=3))
    assert (best.value, best.argument) == (6, "6 of gpu are available over all slots")


def test_a_resource_that_a_ring_does_not_take_does_not_limit_it() -> None:
    free = ring("free", 4, worker=(("cpu", Decimal(1)),))
    both = replace(machine("m", 1), capacity=(("cpu", Decimal(4)), (GPU, Decimal(1))))
    (best, *_) = combinatorial_bounds(make_instance([both], [free, ring("other", 2)]))
    assert best.value == 4 + 1


@pytest.mark.parametrize("seed", range(60, 75))
def test_every_bound_holds(seed: int) -> None:
    instance = tiny(seed)
    assert min(bound.value for bound in combinatorial_bounds(instance)) >= optimum(instance)


def test_with_very_many_worker_slots_nothing_is_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_ITEMS", 4)
    (alone,) = combinatorial_bounds(load("hand-gadget-root"))
    assert alone.name == "each alone"


@pytest.mark.parametrize("index", [11_000, 23_000, 51_000])
def test_amounts_of_many_digits_are_not_rounded(index: int) -> None:
    # Their GPUs are counted in parts of 10^24, which floats would round: to less than there are.
    instance = drawn("reserved", 0, index)
    for bound in combinatorial_bounds(instance):
        (follows,) = checked(instance, lines_of(instance, bound)).follows
        assert bound.value >= follows
