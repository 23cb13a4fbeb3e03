"""The judge of `shuffle` plans: each rule broken alone, and what follows from sums."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shuffle_small import CYCLE, closure, exchange

from ringyard.analysis.check import check
from ringyard.analysis.check.shuffle import RULES, learned
from ringyard.instances import Message, ShufflePlan, digest

THREE = exchange(*CYCLE, multicast="1.5")
FIRST = Message(rows=(0, 1), to=("a", "c"))
CHAIN = (FIRST, Message(rows=(1, 2), to=("b", "c")))
PLAN = ShufflePlan(instance="x", digest=digest(THREE), load=Decimal(3), messages=CHAIN)

BROKEN = {
    "instance_digest": replace(PLAN, digest="0" * 16),
    "known_names": replace(
        PLAN, messages=(Message(rows=(0, 1, 7), to=("a", "c")), *CHAIN[1:]), load=None
    ),
    "named_once": replace(PLAN, messages=(Message(rows=(0, 1, 1), to=("a", "c")), *CHAIN[1:])),
    "worked_out": replace(PLAN, messages=CHAIN[:1], load=None),
    "claims": replace(PLAN, load=Decimal("2.5")),
}


def test_a_worker_adds_up_what_it_hears() -> None:
    """Worker c has neither row of the second sum, and learns one from both sums together."""
    verdict = check(THREE, PLAN)
    assert verdict.valid
    assert verdict.objective == 3


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_broken_alone(rule: str) -> None:
    found = check(THREE, BROKEN[rule]).violations
    assert found
    assert {one.rule for one in found} == {rule}


def test_what_is_not_worked_out_is_named() -> None:
    found = {one.where: one.amount for one in check(THREE, BROKEN["worked_out"]).violations}
    assert found == {"worker b, rows 1": 1, "worker c, rows 2": 1}


def test_one_receiver_pays_for_a_unicast() -> None:
    plan = replace(PLAN, load=None, messages=(*CHAIN, Message(rows=(1,), to=("b",))))
    assert check(THREE, plan).objective == Fraction(4)


ROWS = st.sets(st.integers(0, 5))


@settings(max_examples=100)
@given(ROWS, st.lists(ROWS, max_size=6), ROWS)
def test_what_is_learned_is_what_some_sum_of_sums_leaves_alone(
    known: set[int], sums: list[set[int]], wanted: set[int]
) -> None:
    vectors = [sum(1 << row for row in rows) for rows in sums]
    spanned = closure([*vectors, *(1 << row for row in known)])
    assert learned(known, sums, wanted) == {row for row in wanted if 1 << row in spanned}
