"""Each rule of the reserved judge: one schedule that keeps it, one change that breaks it alone."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from reserved_small import GPU, machine, make_instance, rack, ring, schedule

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import Gain, InputError, Schedule, digest

INSTANCE = make_instance(
    machines=[
        machine("a0", 4, uplink=3, rack="a"),
        machine("a1", 4, uplink=3, rack="a"),
        machine("b0", 4, uplink=3, rack="b"),
        machine("c", 4, uplink=3),
    ],
    jobs=[
        ring(
            "x",
            6,
            2,
            arrival_slot=1,
            budget=((GPU, Decimal(14)),),
            progress_per_worker_slot=Decimal(2),
            gain=Gain(shape="root", value=Decimal(3)),
        ),
        ring("y", 8, 2),
    ],
    slots=4,
    racks=(rack("a", 2), rack("b")),
)
GOOD = (("x", 1, {"a0": 2}), ("x", 3, {"a0": 4, "a1": 2}))


def broken(*held: tuple[str, int, dict[str, int]]) -> list[tuple[str, str, Fraction]]:
    found = check(INSTANCE, schedule(INSTANCE, *held)).violations
    return [(v.rule, v.where, v.amount) for v in found]


def test_a_good_schedule_is_valid_and_worth_what_its_progress_is() -> None:
    verdict = check(INSTANCE, schedule(INSTANCE, *GOOD))
    assert verdict.valid
    assert verdict.gains == {"x": 12}, "3 sqrt(2 x 8 worker-slots)"
    assert verdict.objective == 12


CASES = {
    "arrival": ([("x", 0, {"a0": 1}), *GOOD], "plans[0], job x, slot 0", 1),
    "horizon": ([*GOOD, ("x", 5, {"a0": 1})], "plans[0], job x, slot 5", 2),
    "most_workers": ([("x", 2, {"a0": 4, "b0": 3})], "plans[0], job x, slot 2", 1),
    "budget": (
        [("x", slot, {"a0": 3, "a1": 2}) for slot in (1, 2, 3)],
        "plans[0], job x, gpu",
        1,
    ),
    "capacity": ([*GOOD, ("y", 3, {"a0": 1})], "machine a0, gpu, slot 3", 1),
    "uplinks": ([*GOOD, ("y", 3, {"a1": 1, "b0": 1})], "machine a1, slot 3", 1),
    "rack_uplinks": (
        [("x", 2, {"a0": 1, "b0": 1}), ("y", 2, {"a1": 1, "c": 1})],
        "rack a, slot 2",
        2,
    ),
}
CLAIMS = {
    "instance_digest": ({"digest": "0" * 64}, "digest", 1),
    "planned_once": ({"plans": schedule(INSTANCE, *GOOD).plans * 2}, "plans[1], job x", 1),
    "gain": ({"gain": Decimal(13)}, "gain", 1),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_breach_is_named_with_its_amount(rule: str) -> None:
    held, where, amount = CASES[rule]
    assert broken(*held) == [(rule, where, amount)]


@pytest.mark.parametrize("rule", CLAIMS)
def test_what_a_schedule_says_beside_its_plans_is_held_against_them(rule: str) -> None:
    change, where, amount = CLAIMS[rule]
    (found,) = check(INSTANCE, replace(schedule(INSTANCE, *GOOD), **change)).violations
    assert (found.rule, found.where, found.amount) == (rule, where, amount)


def test_unknown_names_are_named() -> None:
    assert broken(("x", 1, {"m9": 1}), ("z", 0, {"a0": 1})) == [
        ("known_names", "plans[0], job x, slot 1, machine m9", 1),
        ("known_names", "plans[1], job z", 1),
    ]


def test_a_number_below_one_is_a_breach() -> None:
    assert broken(("x", 1, {"a0": 0})) == [("pieces", "plans[0], job x, slot 1, machine a0", 1)]


def test_a_ring_that_works_too_early_is_so_by_as_many_slots_as_are_between() -> None:
    late = replace(INSTANCE, jobs=(replace(INSTANCE.jobs[0], arrival_slot=3),))
    found = check(late, schedule(late, ("x", 1, {"a0": 1}))).violations
    assert [(v.rule, v.amount) for v in found] == [("arrival", 2)]


def test_workers_take_as_much_as_each_of_them_needs() -> None:
    """Two workers of a GPU and a half fit on four GPUs, three take half a GPU too much."""
    job = replace(INSTANCE.jobs[1], worker=((GPU, Decimal("1.5")),))
    wide = replace(INSTANCE, jobs=(job,))
    assert check(wide, schedule(wide, ("y", 0, {"a0": 2}))).valid
    (found,) = check(wide, schedule(wide, ("y", 0, {"a0": 3}))).violations
    expected = ("capacity", "machine a0, gpu, slot 0", Fraction(1, 2))
    assert (found.rule, found.where, found.amount) == expected


def test_a_second_entry_for_a_slot_does_not_count() -> None:
    held = schedule(INSTANCE, ("x", 1, {"a0": 2}), ("x", 1, {"a1": 4}))
    verdict = check(INSTANCE, held)
    assert [(v.rule, v.amount) for v in verdict.violations] == [("planned_once", 1)]
    assert verdict.objective == 6, "3 sqrt(2 x 2)"


def test_a_ring_inside_one_machine_takes_no_link() -> None:
    """Two rings that reserve 2 of 3 each: inside, none of it; across, each on links of its own."""
    assert not broken(("x", 1, {"a0": 2}), ("y", 1, {"a0": 2}))
    assert not broken(("x", 1, {"a0": 2, "a1": 1}), ("y", 1, {"b0": 2, "c": 1}))


def test_a_ring_takes_a_rack_uplink_once_however_many_machines_it_has_there() -> None:
    assert not broken(("x", 1, {"a0": 1, "a1": 1, "b0": 1}))


def test_a_machine_without_a_rack_is_a_rack_of_its_own() -> None:
    """The uplink of rack a carries one ring: to c it is taken as it is to b0."""
    held = ("x", 1, {"a0": 1, "c": 1}), ("y", 1, {"a1": 1, "b0": 1})
    assert broken(*held) == [("rack_uplinks", "rack a, slot 1", 2)]


def test_links_are_exact() -> None:
    """Ten rings of 0.1 fill a link of 1; in floating point they would not."""
    jobs = [ring(f"j{i}", 2, "0.1") for i in range(11)]
    links = make_instance([machine("m0", 20, 1), machine("m1", 20)], jobs)
    held = [(job.name, 0, {"m0": 1, "m1": 1}) for job in jobs]
    assert check(links, schedule(links, *held[:10])).valid
    found = check(links, schedule(links, *held)).violations
    assert [(v.rule, v.amount) for v in found] == [("uplinks", Fraction(1, 10))]


def test_progress_outside_of_the_ring_s_slots_is_worth_nothing() -> None:
    early = check(INSTANCE, schedule(INSTANCE, ("x", 0, {"a0": 2}), ("x", 1, {"a0": 2})))
    assert early.objective == 6


def test_a_claimed_gain_is_that_of_the_ring() -> None:
    claimed = FAMILIES["reserved"].claimed(
        schedule(INSTANCE, *GOOD), check(INSTANCE, schedule(INSTANCE, *GOOD))
    )
    assert (claimed.gain, claimed.plans[0].gain) == (12, 12)
    assert check(INSTANCE, replace(claimed, digest=digest(INSTANCE))).valid
    wrong = replace(claimed, plans=(replace(claimed.plans[0], gain=Decimal(10)),))
    found = check(INSTANCE, wrong).violations
    assert [(v.rule, v.where, v.amount) for v in found] == [("gain", "plans[0], job x", 2)]


def test_a_schedule_of_another_family_is_refused() -> None:
    with pytest.raises(InputError, match="expected the schedule of 'reserved' instances"):
        check(INSTANCE, Schedule(instance="small", assignments=()))  # type: ignore[call-overload]


def test_every_rule_is_tested_here() -> None:
    assert CASES.keys() | CLAIMS.keys() | {"known_names", "pieces"} == set(
        FAMILIES["reserved"].rules
    )
