"""GADGET against everything that can be tried: valid, at least half of the best, and never more."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from family_draws import drawn
from little import few
from reserved_small import (
    GPU,
    exact_gain,
    machine,
    make_instance,
    optimum,
    ring,
    slot_data,
    slot_optimum,
    tiny,
)

import ringyard
from ringyard.instances import (
    Gain,
    Limits,
    Outcome,
    ReservedInstance,
    ReservedRing,
    TerminationReason,
)
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.search.reserved import gadget
from ringyard.search.reserved.bounds import combinatorial_bounds
from ringyard.search.reserved.gadget import exact_slot
from ringyard.search.reserved.slot_lp import repair, round_slot

CASES = Path(__file__).parents[2] / "cases"
SEEDS = range(20)
WAYS = ("lp", "exact", "greedy")


def answer(instance: ReservedInstance, way: str, seed: int = 0) -> Outcome:
    options = gadget.Options(slot=way)  # type: ignore[arg-type]
    return gadget.run(instance, Request(rng=np.random.default_rng(seed), options=options))


def value(instance: ReservedInstance, way: str, seed: int = 0) -> Decimal:
    """Return what the judge says a run is worth; it must be valid."""
    verdict = ringyard.check(instance, answer(instance, way, seed).schedule)
    assert verdict.valid, verdict.violations
    found = verdict.objective
    return Decimal(found.numerator) / Decimal(found.denominator)


@pytest.mark.parametrize("seed", few(8, SEEDS))
def test_with_exact_slots_it_is_worth_at_least_half_of_the_optimum(seed: int) -> None:
    instance = tiny(seed)
    best = optimum(instance)
    assert best / 2 <= value(instance, "exact") <= best
    assert max(value(instance, "lp", seed), value(instance, "greedy")) <= best
    assert combinatorial_bounds(instance)[0].value >= best


def once(name: str, gpus: int, worth: int, **changes: Any) -> ReservedRing:
    """Return a ring that gains all it can from one worker in one slot."""
    gain = Gain(shape="capped", value=Decimal(worth))
    return ring(name, 1, worker=((GPU, Decimal(gpus)),), gain=gain, **changes)


def test_a_slot_filled_best_can_leave_less_for_the_next() -> None:
    """In slot 0 a adds more than b; but then b and c want slot 1, which a and c could share."""
    jobs = [once("a", 1, 600), once("b", 3, 599), once("c", 2, 599, arrival_slot=1)]
    instance = make_instance([machine("m", 3)], jobs, slots=2)
    assert (value(instance, "exact"), optimum(instance)) == (1199, 1798)


def test_slots_by_the_program_are_optimal_and_the_others_no_better() -> None:
    for seed in SEEDS:
        instance = tiny(seed)
        data = slot_data(instance)
        if data.asks:
            best = slot_optimum(instance)
            held, proved = exact_slot(data, Limits())
            assert proved
            assert exact_gain(data, held) == best
            rounded = round_slot(data, 10, Limits(), np.random.default_rng(seed))
            for held in (rounded, repair(data, {})):
                assert exact_gain(data, held) <= best


def test_a_slot_is_filled_exactly_where_a_solver_overlooks_what_does_not_fit() -> None:
    """Three GPUs do not fit into 2.9999999, so the ring of two must go without the one of one."""
    instance = ringyard.load(CASES / "gadget-near-tie.json")
    assert value(instance, "exact") == 10**7
    assert value(instance, "exact") == optimum(instance)


@pytest.mark.parametrize("index", range(20))
def test_slots_are_filled_exactly_whatever_the_units(index: int) -> None:
    """Thirds, 1e-9 beside 1e9, and room that is missed by a billionth."""
    instance = drawn("reserved", 5, index)
    jobs = tuple(replace(job, arrival_slot=0) for job in instance.jobs)
    instance = replace(instance, jobs=jobs, horizon_slots=1)
    data = slot_data(instance)
    if data.asks:
        held, proved = exact_slot(data, Limits())
        assert proved
        assert exact_gain(data, held) == slot_optimum(instance)


def test_a_slot_that_is_not_proved_is_not_called_done() -> None:
    instance = generate("gadget-small", seed=3)
    data = slot_data(replace(instance, horizon_slots=1))
    held, proved = exact_slot(data, Limits(), nodes=1)
    assert held
    assert not proved


def test_rounding_finds_what_the_order_of_gains_misses() -> None:
    jobs = [once("large", 4, 10), once("small", 2, 8), once("twin", 2, 8)]
    instance = make_instance([machine("m", 4)], jobs)
    assert [value(instance, way) for way in WAYS] == [16, 16, 10]


def test_what_is_drawn_and_does_not_fit_is_placed_anew() -> None:
    instance = make_instance([machine("m", 2), machine("n", 1)], [ring("a", 2), ring("b", 2)])
    assert repair(slot_data(instance), {0: {0: 2}, 1: {0: 2}}) == {0: {0: 2}, 1: {1: 1}}


def test_a_ring_stops_at_its_budget() -> None:
    jobs = [ring("a", 3, budget=((GPU, Decimal(7)),)), ring("b", 1)]
    instance = make_instance([machine("m", 4)], jobs, slots=5)
    for way in WAYS:
        verdict = ringyard.check(instance, answer(instance, way).schedule)
        assert verdict.valid
        assert verdict.gains == {"a": 7, "b": 5}


def test_it_stops_when_time_is_up_with_what_it_has() -> None:
    instance = generate("gadget-small", seed=1)
    outcome = gadget.run(instance, Request(limits=Limits(time_s=0.0), options=gadget.Options()))
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert ringyard.check(instance, outcome.schedule).valid
    (slots,) = {len({entry.slot for plan in outcome.schedule.plans for entry in plan.plan})}
    assert slots == 1


@pytest.mark.parametrize("seed", range(3))
def test_larger_instances_pass_the_judge_and_their_bounds(seed: int) -> None:
    instance = generate("gadget", seed=seed, jobs=12, machines=8, racks=2, slots=6)
    bound = combinatorial_bounds(instance)[0].value
    for way in ("lp", "greedy"):
        assert value(instance, way, seed) <= bound


@pytest.mark.parametrize("way", ["lp", "exact"])
def test_later_slots_are_filled_without_programs(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gadget, "MOST_FILLED", 2)
    ways, real = list[str](), gadget._fill

    def fill(data: Any, options: gadget.Options, *more: Any) -> Any:
        ways.append(options.slot)
        return real(data, options, *more)

    monkeypatch.setattr(gadget, "_fill", fill)
    instance = make_instance([machine("m", 2)], [ring("a", 1), ring("b", 1)], slots=5)
    found = answer(instance, way)
    assert ways == [way, way, "greedy", "greedy", "greedy"]
    assert found.termination is TerminationReason.WORK_LIMIT
    assert ("2 of 5 slots" if way == "lp" else "3 of the slots") in found.note
    assert ringyard.check(instance, found.schedule).valid
