"""The `reserved` family: what gains are worth, what is refused, what the generator draws."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import pytest
from reserved_small import GPU, machine, make_instance, rack, ring

from ringyard.instances import (
    Gain,
    InputError,
    ReservedInstance,
    digest,
    load_instance,
    save,
    validate,
)
from ringyard.instances.generate import generate
from ringyard.instances.reserved import Shape

FORMS: dict[Shape, Any] = {
    "root": sqrt,
    "log": lambda x: log(1 + x),
    "saturating": lambda x: 1 - exp(-x),
    "capped": lambda x: min(1.0, x),
}
INSTANCE = make_instance(
    [machine("m0", 2, 1, rack="r0"), machine("m1", 4)],
    [ring("a", 3, 1, budget=((GPU, Decimal(9)),)), ring("b", 2)],
    slots=5,
    racks=(rack("r0"),),
)


@pytest.mark.parametrize("shape", FORMS)
def test_a_gain_is_its_form_to_twelve_decimals(shape: Shape) -> None:
    gain = Gain(shape=shape, value=Decimal("7.3"), scale=Decimal("2.5"))
    for progress in ("0", "0.1", "2.5", "3", "1000"):
        found = gain.at(Decimal(progress))
        assert float(found) == pytest.approx(7.3 * FORMS[shape](float(progress) / 2.5), abs=1e-9)
        assert found.as_tuple().exponent == -12


@pytest.mark.parametrize("shape", FORMS)
def test_gains_begin_at_nothing_grow_and_bend_down(shape: Shape) -> None:
    gain = Gain(shape=shape, value=Decimal(100), scale=Decimal(3))
    worths = [gain.at(Decimal("0.7"), times) for times in range(60)]
    steps = [after - before for before, after in pairwise(worths)]
    assert worths[0] == 0
    assert all(step >= 0 for step in steps)
    assert all(later <= step + Decimal("2e-12") for step, later in pairwise(steps))


def test_a_large_gain_has_all_its_digits() -> None:
    """The square root of 2 in 38 digits, of which the default precision would cut ten."""
    gain = Gain(shape="root", value=Decimal(10**15))
    assert gain.at(Decimal(2), 10**20) == Decimal("14142135623730950488016887.242096980786")


def test_the_budget_in_worker_slots_is_exact() -> None:
    three = ring("x", 1, worker=((GPU, Decimal("0.1")),), budget=((GPU, Decimal("0.3")),))
    assert three.most_worker_slots == 3
    assert replace(three, budget=None).most_worker_slots is None
    both = (("cpu", Decimal(2)), (GPU, Decimal(1)))
    assert replace(three, worker=both, budget=both).most_worker_slots == 1


def test_a_file_says_all_of_it(tmp_path: Any) -> None:
    save(INSTANCE, tmp_path / "yard.json")
    assert load_instance(tmp_path / "yard.json") == INSTANCE
    assert digest(replace(INSTANCE, title="other")) == digest(INSTANCE)
    assert digest(replace(INSTANCE, horizon_slots=6)) != digest(INSTANCE)


FAULTS: dict[str, tuple[Any, str]] = {
    "twice": (
        replace(INSTANCE, machines=(INSTANCE.machines[0],) * 2),
        r"machines\[1\].name: found 'm0', expected a name other than in machines\[0\]",
    ),
    "rack": (
        replace(INSTANCE, racks=()),
        r"machines\[0\].rack: found 'r0', expected the name of a rack. Add it to racks",
    ),
    "late": (
        replace(INSTANCE, horizon_slots=2, jobs=(ring("a", 1, arrival_slot=2),)),
        r"jobs\[0\].arrival_slot: found 2, expected a slot before horizon_slots \(2\)",
    ),
    "room": (
        replace(INSTANCE, jobs=(ring("a", 1, worker=((GPU, Decimal(5)),)),)),
        r"jobs\[0\].worker: found gpu 5, expected a demand that some machine can hold, for job 'a'",
    ),
    "budget": (
        replace(INSTANCE, jobs=(ring("a", 1, budget=(("cpu", Decimal(5)),)),)),
        r"jobs\[0\].budget: found 'cpu', expected a resource that its workers use",
    ),
    "link": (
        replace(INSTANCE, machines=(machine("m", 1, -1),), racks=()),
        r"machines\[0\].uplink_gb_s: found -1, expected a number above 0, at most 1e15",
    ),
    "shape": (
        replace(
            INSTANCE,
            jobs=(ring("a", 1, gain=Gain(shape="square", value=Decimal(1))),),  # type: ignore[arg-type]
        ),
        r"gain.shape: found 'square', expected 'root', 'log', 'saturating' or 'capped'",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_place(fault: str) -> None:
    instance, words = FAULTS[fault]
    with pytest.raises(InputError, match=words):
        validate(instance)


def test_the_same_seed_is_the_same_instance() -> None:
    one, two, other = (generate("gadget", seed=seed) for seed in (4, 4, 5))
    assert one == two
    assert digest(one) != digest(other)


def test_what_is_drawn_lies_in_the_ranges() -> None:
    found: ReservedInstance = generate("gadget", seed=0, jobs=300)
    validate(found)
    assert (len(found.machines), len(found.racks), found.horizon_slots) == (50, 4, 200)
    assert {int(dict(m.capacity)[GPU]) for m in found.machines} == {1, 2, 4, 8}
    assert {job.most_workers for job in found.jobs} == {1, 2, 3, 4, 5}
    assert {job.gain.shape for job in found.jobs} == {"root", "log", "saturating"}
    assert all(50 <= job.progress_per_worker_slot <= 500 for job in found.jobs)
    assert all(Decimal("0.0125") <= job.reserved_gb_s <= Decimal("0.625") for job in found.jobs)
    assert all(25 <= (r.uplink_gb_s or 0) <= 400 for r in found.racks)


def test_options_that_cross_are_refused() -> None:
    with pytest.raises(InputError, match="least_budget: found 9, expected at most most_budget"):
        generate("gadget", seed=0, least_budget=9, most_budget=3)
