"""Each rule of the rental judge: one plan that keeps it, one change that breaks it alone."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from check.rental.plans import (
    all_on,
    amdahl,
    broken,
    market,
    on,
    plan,
    power,
    some,
    stream,
    table,
)

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import InputError, Schedule, TypePlan, digest

MARKET = market(
    11,
    stream("x", 1, (2, power(0.5)), (3, amdahl(1))),
    stream("y", 0.5, (4, table((2, 1.5), (4, 2)))),
    widths="whole",
    rescale_s=360,
)
X = all_on("x", on(4), on(3, epoch=1))
Y = all_on("y", on(2))


def of_y(*choices: object) -> TypePlan:
    return TypePlan(type="y", choices=choices)  # type: ignore[arg-type]


def test_a_good_plan_breaks_no_rule() -> None:
    verdict = check(MARKET, plan(X, Y, digest=digest(MARKET)))
    assert verdict.valid
    # 2 / 2, then a stall of a tenth and 3 / 3; 4 / 1.5.
    assert verdict.times == {"x": Fraction(21, 10), "y": Fraction(8, 3)}
    assert verdict.objective == verdict.mean_jct
    assert verdict.mean_jct == (Fraction(21, 10) + Fraction(1, 2) * Fraction(8, 3)) / Fraction(3, 2)
    # The stall is paid for at the new width.
    assert verdict.mean_gpus == 4 + 3 * Fraction(11, 10) + Fraction(1, 2) * 2 * Fraction(8, 3)


CASES: dict[str, list[tuple[list[TypePlan], str, object]]] = {
    "known_names": [
        ([X, Y, all_on("z", on(1))], "types[2], type z", 1),
        (
            [X, all_on("y", on(2), on(2, epoch=1))],
            "types[1], type y, choices[0], stretches[1], epoch 1",
            1,
        ),
        (
            [X, all_on("y", on(2, epoch=-1), on(2))],
            "types[1], type y, choices[0], stretches[0], epoch -1",
            1,
        ),
    ],
    "planned_once": [
        ([X, Y, Y], "types[2], type y", 1),
        ([X], "type y", 1),
    ],
    "shares": [
        ([X, of_y(some(0.5, on(2)), some(0.25, on(1)))], "types[1], type y", Fraction(1, 4)),
        ([X, of_y(some(0.75, on(2)), some(0.5, on(1)))], "types[1], type y", Fraction(1, 4)),
        (
            [X, of_y(some(1.5, on(2)), some(-0.5, on(2)))],
            "types[1], type y, choices[1]",
            Fraction(1, 2),
        ),
    ],
    "parts": [
        ([X, all_on("y", on(2, 0.75))], "types[1], type y, choices[0], epoch 0", Fraction(1, 4)),
        (
            [X, all_on("y", on(2, 0.75), on(2, 0.5))],
            "types[1], type y, choices[0], epoch 0",
            Fraction(1, 4),
        ),
        ([all_on("x", on(3, epoch=1)), Y], "types[0], type x, choices[0], epoch 0", 1),
        (
            [X, all_on("y", on(2, 1.25), on(2, -0.25))],
            "types[1], type y, choices[0], stretches[1]",
            Fraction(1, 4),
        ),
    ],
    "order": [
        ([all_on("x", on(3, epoch=1), on(4)), Y], "types[0], type x, choices[0], stretches[1]", 1),
    ],
    "widths": [
        (
            [X, all_on("y", on(1.75))],
            "types[1], type y, choices[0], stretches[0]",
            Fraction(1, 4),
        ),
        ([X, all_on("y", on(0))], "types[1], type y, choices[0], stretches[0]", 1),
    ],
    "budget": [
        ([X, all_on("y", on(4))], "budget_gpus", 4 + Fraction(33, 10) + 4 - 11),
    ],
}


@pytest.mark.parametrize(
    ("rule", "case"), [(rule, i) for rule, cases in CASES.items() for i in range(len(cases))]
)
def test_one_change_breaks_one_rule(rule: str, case: int) -> None:
    plans, where, amount = CASES[rule][case]
    assert broken(MARKET, plan(*plans)) == [(rule, where, amount)]


def test_claims_hold_the_digest_the_mean_and_the_gpus() -> None:
    good = market(3, stream("x", 0.5, (4, power(0.5))))
    made = plan(all_on("x", on(2.25)), mean_gpus=Decimal(3))
    assert broken(good, made) == []
    assert broken(good, replace(made, digest="0" * 64)) == [("instance_digest", "digest", 1)]
    assert broken(good, replace(made, mean_gpus=Decimal("2.75"))) == [
        ("claims", "mean_gpus", Fraction(1, 4))
    ]
    assert broken(good, replace(made, mean_jct_h=Decimal("2.5"))) == [
        ("claims", "mean_jct_h", Fraction(1, 6))
    ]
    quick = plan(all_on("x", on(1)), mean_jct_h=Decimal(4))
    assert broken(good, quick) == []


def test_a_job_may_hold_a_million_gpus_and_no_more() -> None:
    wide = market(10**9, stream("x", 1, (1, amdahl(0.5))))
    assert broken(wide, plan(all_on("x", on(10**6)))) == []
    assert broken(wide, plan(all_on("x", on(10**6 + 2)))) == [
        ("widths", "types[0], type x, choices[0], stretches[0]", 2)
    ]


def test_fractions_of_gpus_are_fine_unless_widths_are_whole() -> None:
    loose = replace(MARKET, widths="any")
    assert broken(loose, plan(X, all_on("y", on("1.75")))) == []
    assert broken(loose, plan(X, all_on("y", on(0.5)))) == [
        ("widths", "types[1], type y, choices[0], stretches[0]", Fraction(1, 2))
    ]


def test_epochs_out_of_order_are_apart_by_their_difference() -> None:
    long = market(9, stream("x", 1, (1, power(0.5)), (1, power(0.5)), (1, power(0.5))))
    made = plan(all_on("x", on(1), on(1, epoch=2), on(1, epoch=1)))
    assert broken(long, made) == [("order", "types[0], type x, choices[0], stretches[2]", 1)]


def test_a_type_without_an_entry_leaves_no_mean() -> None:
    verdict = check(MARKET, plan(X, mean_jct_h=Decimal(1)))
    assert verdict.mean_jct is None
    assert verdict.times.keys() == {"x"}
    assert {v.rule for v in verdict.violations} == {"planned_once"}


def test_an_entry_after_the_first_does_not_count() -> None:
    assert check(MARKET, plan(X, Y, all_on("y", on(1)))).times["y"] == Fraction(8, 3)


def test_a_plan_that_just_spends_the_budget_is_valid_and_one_that_spends_more_is_not() -> None:
    made = plan(all_on("x", on(2)))
    types = stream("x", 0.25, (4, amdahl(0.5)))
    assert broken(market("1.5", types), made) == []
    least = Fraction(1, 10**12)
    assert broken(market("1.499999999999", types), made) == [("budget", "budget_gpus", least)]


def test_a_schedule_of_another_family_is_refused() -> None:
    with pytest.raises(InputError, match="expected the schedule of 'rental' instances"):
        check(MARKET, Schedule(instance="small", assignments=()))  # type: ignore[call-overload]


def test_every_rule_is_tested_here() -> None:
    assert CASES.keys() | {"instance_digest", "claims"} == FAMILIES["rental"].rules.keys()
