"""A plan that breaks one rule breaks that one; the judge goes on and says what comes of it."""

from dataclasses import replace
from fractions import Fraction

import pytest
from transfers_small import number, plan, star, together, update

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import Send, TransferPlan, TransfersInstance

INSTANCE = star(
    [
        update("a", 2, norm=2),
        update("b", 1, behind=1),
        update("c", 3, due_s=4),
    ],
    replica="replica",
    aggregators=("switch",),
    staleness=2,
    divergence=4,
    drop_s=10,
)
ALONE = replace(INSTANCE, replica=None, divergence=None)
GOOD = plan("c", "b", "a")


def breaches(instance: TransfersInstance, made: TransferPlan) -> list[tuple[str, str, Fraction]]:
    found = check(instance, made).violations
    return [(one.rule, one.where, one.amount) for one in found]


def test_a_good_plan_breaks_no_rule() -> None:
    verdict = check(INSTANCE, GOOD)
    assert verdict.valid
    assert verdict.objective == Fraction(3 + 4 + 6, 3)


@pytest.mark.parametrize(
    ("instance", "made", "rule", "where", "amount"),
    [
        (INSTANCE, replace(GOOD, digest="sha256:0"), "instance_digest", "digest", 1),
        (INSTANCE, plan("c", "b", "a", "x"), "known_names", "sends[3], update x", 1),
        (INSTANCE, plan("c", "b", "a", "b"), "once", "sends[3], update b", 1),
        (
            INSTANCE,
            plan("c", Send(updates=("b",), via="w-a"), "a"),
            "one_way",
            "sends[1], via w-a",
            1,
        ),
        (INSTANCE, plan("c", together(None, "b", "a")), "one_way", "sends[1]", 1),
        (ALONE, plan("c", together(None, "b", to="both"), "a"), "copies", "sends[1]", 1),
        (INSTANCE, plan("c", "a", "b"), "staleness", "sends[2], update b", 1),
        (INSTANCE, plan("a", "c"), "due", "sends[1], update c", 1),
        (replace(INSTANCE, divergence=number(2)), GOOD, "divergence", "sends[2]", 2),
        (INSTANCE, replace(GOOD, value_s=number(4)), "claims", "value_s", Fraction(1, 3)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_breach_is_one_violation(
    instance: TransfersInstance, made: TransferPlan, rule: str, where: str, amount: Fraction
) -> None:
    assert breaches(instance, made) == [(rule, where, amount)]


def test_every_rule_is_broken_above() -> None:
    mark = test_one_breach_is_one_violation.pytestmark[0]  # type: ignore[attr-defined]
    assert {case[2] for case in mark.args[1]} == set(FAMILIES["transfers"].rules)


def test_what_is_not_applied_counts_as_dropped() -> None:
    verdict = check(replace(INSTANCE, divergence=number(2)), GOOD)
    assert dict(verdict.applied) == {"c": 3, "b": 4}
    assert verdict.dropped == ()
    assert verdict.objective == Fraction(3 + 4 + 10, 3)
    last = check(replace(INSTANCE, goal="last"), plan("c", "b"))
    assert (last.objective, last.dropped) == (10, ("a",))


def test_members_of_a_send_do_not_make_each_other_stale() -> None:
    fresh = replace(INSTANCE, staleness=1)
    assert breaches(fresh, plan("c", together("switch", "a", "b"))) == [
        ("staleness", "sends[1], update b", 1)
    ]
    assert breaches(fresh, plan(together("switch", "b", "a", "c"))) == []
