"""How commands say counts and times: one thing is one, and long times are also in hours or days."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from ringyard.cli.shared.output import timed, valued
from ringyard.families import FAMILIES
from ringyard.instances import save
from ringyard.instances.catalogue import load
from ringyard.instances.errors import plural
from ringyard.instances.generate import generate

Call = Callable[..., Any]


def test_one_thing_is_one() -> None:
    assert [plural(n, "row") for n in (0, 1, 2, 1234)] == [
        "0 rows",
        "1 row",
        "2 rows",
        "1,234 rows",
    ]


def test_titles_of_small_instances_count_to_one() -> None:
    assert generate("small", seed=0, jobs=1, servers=1).title.startswith("1 job on 1 server:")
    assert generate("small", seed=0, jobs=11, servers=2).title.startswith("11 jobs on 2 servers:")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (Fraction(7199), "s", "7199 s"),
        (Fraction(7200), "s", "7200 s (2.0 h)"),
        (Fraction(86400), "s", "86400 s (24.0 h)"),
        (Fraction(259200), "s", "259200 s (3.0 d)"),
    ],
)
def test_long_times_are_in_hours_or_days_too(value: Fraction, unit: str, text: str) -> None:
    assert timed(value, unit=unit) == text


def test_objectives_have_their_unit() -> None:
    assert valued(FAMILIES["makespan"], Fraction(1)) == "1 slot"
    assert valued(FAMILIES["makespan"], Fraction(10**6)) == "1000000 slots"
    assert valued(FAMILIES["trace"], Fraction(9000)) == "9000 s (2.5 h)"
    assert valued(FAMILIES["fleet"], Fraction(9)) == "9 h"
    assert valued(FAMILIES["fleet"], Fraction(60)) == "60 h (2.5 d)"
    assert valued(FAMILIES["online"], Fraction(5)) == "5"
    assert valued(FAMILIES["trace"], None) == "- s"


def test_families_of_instances_are_chosen_by_kind(ringyard: Call) -> None:
    every = ringyard("list", "families", "--json").json["families"]
    some = ringyard("list", "families", "--kind", "trace", "--json").json["families"]
    assert {row["kind"] for row in every} == set(FAMILIES)
    assert some == [row for row in every if row["kind"] == "trace"]


def test_a_plan_of_another_instance_is_told_before_its_violations(
    ringyard: Call, tmp_path: Any
) -> None:
    plan = tmp_path / "plan.json"
    assert ringyard("solve", "hand-lpt", "--method", "list-scheduling", "--out", plan).code == 0
    done = ringyard("check", "hand-spread", plan)
    first, advice, second, *rest = done.out.splitlines()
    assert (done.code, first[:35]) == (1, "made for hand-lpt, not for hand-spr")
    assert "the instance that it was made for" in advice
    assert second.startswith("INVALID")
    assert second.endswith(" here (--json lists them)")
    assert not [line for line in rest if line.startswith("  ")], "violations say nothing of it"
    assert ringyard("check", "hand-spread", plan, "--json").json["made_for"] == "hand-lpt"
    assert ringyard("check", "hand-lpt", plan).out.startswith("valid")


def test_a_plan_of_a_changed_instance_of_the_same_name_is_told_before_its_violations(
    ringyard: Call, tmp_path: Any
) -> None:
    plan, changed = tmp_path / "plan.json", tmp_path / "changed.json"
    assert ringyard("solve", "hand-lpt", "--method", "list-scheduling", "--out", plan).code == 0
    save(replace(load("hand-lpt"), slot_s=Decimal(7)), changed)
    first, *rest = ringyard("check", changed, plan).out.splitlines()
    assert first.startswith("made for another hand-lpt (digest ")
    assert not [line for line in rest if line.startswith("  ")]


def test_the_hint_of_the_program_is_not_below_each_command(ringyard: Call) -> None:
    assert "Start with" in ringyard("--help").out
    for command in (["plot"], ["import"], ["import", "trace"]):
        done = ringyard(*command, "--help")
        assert (done.code, "Start with" in done.out) == (0, False)
