"""The judge of coded plans: each rule, and its expected times against brute force."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from check.coded.codes import BIMODAL, LAWS, PARETO, brute, coded, number, plain, work

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import CodedInstance, CodedPlan, ParetoTime, TaskTime, digest


def broken(instance: CodedInstance, plan: CodedPlan) -> list[tuple[str, str, Fraction]]:
    return [(v.rule, v.where, v.amount) for v in check(instance, plan).violations]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.model)
@pytest.mark.parametrize("workers", [1, 3, 5])
def test_expected_times_are_those_of_brute_force(law: TaskTime, workers: int) -> None:
    """Over all sets of workers: those are enough whose combinations have full rank."""
    instance = work(workers, law, rows=7)
    for parts in range(1, workers + 1):
        for plan in (plain(parts), coded(parts, workers)):
            verdict = check(instance, plan)
            if isinstance(law, ParetoTime) and verdict.objective is None:
                spare = workers - parts + 1 if plan.points else workers // parts
                assert spare * law.tail <= 1
                continue
            assert verdict.valid
            assert verdict.objective is not None
            assert float(verdict.objective) == pytest.approx(brute(instance, plan), rel=1e-7)


def test_times_of_two_workers_by_hand() -> None:
    """Of two of 1 + Exp(1) the first takes 3/2 and the last 5/2; of Pareto 4/3 and 8/3."""
    assert check(work(2), plain(1)).objective == Fraction(3, 2)
    assert check(work(2), plain(2)).objective == Fraction(5, 4)
    two = ParetoTime(tail=number(2))
    assert check(work(2, two), plain(1)).objective == Fraction(4, 3)
    assert check(work(2, two), plain(2)).objective == Fraction(4, 3)
    assert check(work(2, BIMODAL), plain(2)).objective == (1 + 6 * Fraction(51, 100)) / 2


def test_a_part_may_be_missing_while_more_workers_are_done_than_there_are_parts() -> None:
    instance = work(4)
    assert check(instance, plain(2)).objective > check(instance, coded(2, 4)).objective  # type: ignore[operator]


def test_rows_that_no_part_divides_are_filled_up() -> None:
    exact = check(work(4), coded(3, 4)).objective
    assert exact is not None
    assert check(work(4, rows=10), coded(3, 4)).objective == exact * 3 * Fraction(4, 10)


def test_an_infinite_mean_breaks_a_rule() -> None:
    heavy = work(3, replace(PARETO, tail=number(1)))
    assert check(heavy, coded(2, 3)).valid
    assert broken(heavy, coded(3, 3)) == [("finite", "parts", Fraction(1))]
    assert broken(heavy, plain(2)) == [("finite", "parts", Fraction(1))]


GOOD = coded(2, 3)


@pytest.mark.parametrize(
    ("plan", "breaches"),
    [
        (plain(4), [("parts", "parts", Fraction(1))]),
        (coded(2, 5), [("points", "points", Fraction(2))]),
        (
            replace(GOOD, points=tuple(map(Decimal, ("1", "2", "1.0")))),
            [("points", "points[2]", Fraction(1))],
        ),
        (replace(GOOD, digest="f" * 64), [("instance_digest", "digest", Fraction(1))]),
        # Of three, the second takes 1 + 1/3 + 1/2.
        (replace(GOOD, expected_s=Decimal(1)), [("claims", "expected_s", Fraction(1, 12))]),
    ],
)
def test_each_rule_is_broken_alone(
    plan: CodedPlan, breaches: list[tuple[str, str, Fraction]]
) -> None:
    instance = work(3)
    assert check(instance, replace(GOOD, digest=digest(instance))).valid
    assert broken(instance, plan) == breaches


def test_every_rule_is_listed() -> None:
    assert list(FAMILIES["coded"].rules) == [
        "instance_digest",
        "parts",
        "points",
        "finite",
        "claims",
    ]
    assert all(text.endswith(".") for text in FAMILIES["coded"].rules.values())
