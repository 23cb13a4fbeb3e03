"""What the runner hands on: the best valid schedule known, whatever a method ends with."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from injected import inject
from numpy.random import default_rng

from ringyard.analysis.check import check
from ringyard.cli.shrink import claim
from ringyard.families import FAMILIES
from ringyard.instances import (
    Incumbent,
    Instance,
    Limits,
    Outcome,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import load
from ringyard.methods import all_methods, find_method
from ringyard.policies.request import Request
from ringyard.run import Answer, solve

CASES = {
    "makespan": ("hand-theorem5", "enumeration", "random", "makespan"),
    "online": ("hand-online-packing", "order-search", "fifo", "utility"),
    "reserved": ("gadget-small-03x3x4", "gadget", "ring-fifo", "gain"),
    "trace": ("tiresias-example", "srtf", "fifo", "mean_jct_s"),
    "rental": ("rental-small-s0", "boa", "equal-width", "mean_jct_h"),
    "fleet": ("tiny-fleet-3", "boa", "static-fifo", "mean_jct_h"),
    "coded": ("coded-10", "mds", "uncoded", "expected_s"),
    "shuffle": ("hand-shuffle-cycle", "exact", "row-by-row", "load"),
    "transfers": ("hand-transfers-group", "enumeration", "fifo", "value_s"),
}
"""An instance of each family, a good method and a worse one, and the field of the value."""

IMPROVING = [method for method in all_methods() if method.kind in ("search", "program", "rounding")]


def test_every_family_has_a_case() -> None:
    assert set(CASES) == set(FAMILIES)


def told_and_ended(
    monkeypatch: pytest.MonkeyPatch, instance: Instance, good: Answer, last: Any
) -> Answer:
    """Answer by a method that tells a good schedule and then ends with another, or none."""

    def method(same: Instance, request: Request[Any]) -> Outcome:
        del same
        request.limits.report(Incumbent(schedule=good.schedule, value=float(good.objective or 0)))
        if isinstance(last, Exception):
            raise last
        return Outcome(
            schedule=last, termination=TerminationReason.DONE, status=SolutionStatus.OPTIMAL
        )

    inject(monkeypatch, instance.kind, two_faced=method)
    return solve(instance, "two_faced")


@pytest.mark.parametrize("kind", CASES)
def test_what_was_told_is_handed_on_if_the_end_is_worse(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    name, best, other, field = CASES[kind]
    instance = load(name)
    good, bad = solve(instance, best), solve(instance, other)
    assert good.valid
    assert bad.valid
    assert FAMILIES[kind].better(good.objective, bad.objective)
    false = replace(bad.schedule, **{field: Decimal(0)})
    assert not check(instance, false).valid
    for last, words in (
        (bad.schedule, "its own schedule has the value"),
        (false, "its own schedule is invalid ("),
        (None, "it ended without a schedule"),
    ):
        answer = told_and_ended(monkeypatch, instance, good, last)
        assert answer.valid
        assert answer.objective == good.objective
        assert answer.rejection.startswith(words)
        assert answer.rejection in answer.row()["note"]


@pytest.mark.parametrize("kind", CASES)
def test_an_end_as_good_as_what_was_told_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    instance = load(CASES[kind][0])
    good = solve(instance, CASES[kind][1])
    answer = told_and_ended(monkeypatch, instance, good, good.schedule)
    assert (answer.objective, answer.rejection) == (good.objective, "")


def test_the_judge_is_asked_no_more_often_where_nothing_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counting(instance: Instance, schedule: Any) -> Any:
        asked.append(schedule)
        return check(instance, schedule)

    monkeypatch.setattr("ringyard.running.method_run.check", counting)
    for name in ("hand-theorem5", "small-06x3-continuous", "knot-half-s0"):
        solve(load(name), "gang-lpt")
        solve(load(name), "sjf-bco")
    assert asked == []


def test_a_refusal_on_the_way_costs_nothing_that_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = load("hand-theorem5")
    good = solve(instance, "gang-lpt")
    refused = RefusedError("the solver says unknown")
    answer = told_and_ended(monkeypatch, instance, good, refused)
    assert (answer.objective, answer.outcome.termination) == (
        good.objective,
        TerminationReason.FAILED,
    )
    assert "unknown" in answer.row()["note"]
    with pytest.raises(ZeroDivisionError):
        told_and_ended(monkeypatch, instance, good, ZeroDivisionError())


def test_another_schedule_handed_on_is_a_fault_in_a_campaign(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = load("hand-theorem5")
    told_and_ended(monkeypatch, instance, solve(instance, "gang-lpt"), None)
    assert "ended without a schedule" in claim(instance, "two_faced").error


@pytest.mark.parametrize("method", IMPROVING, ids=lambda one: f"{one.family}-{one.name}")
def test_whoever_improves_on_a_schedule_tells_it_first(method: Any) -> None:
    """With no time there is nothing but the start, unless all is done in none."""
    instance = load(CASES[method.family][0])
    chosen = find_method(method.name, method.family)
    if chosen.refuses(instance):
        pytest.skip(str(chosen.refuses(instance)))
    told: list[Incumbent] = []
    limits = Limits(time_s=0.0, watch=told.append)
    outcome = chosen.run(instance, limits, default_rng(0))
    if outcome.schedule is None or method.name in UNTOLD:
        return
    value = check(instance, outcome.schedule).objective
    values = {check(instance, one.schedule).objective for one in told}
    assert value in values if outcome.termination is TerminationReason.TIME_LIMIT else values


UNTOLD = {"copies", "convex"}
"""What `copies` calls better can have a worse value; `convex` has one plan, and no start."""


def test_values_told_are_those_of_the_judge() -> None:
    instance = load("hand-theorem5")
    told: list[Incumbent] = []
    solve(instance, "portfolio", watch=told.append)
    assert told
    for one in told:
        assert check(instance, one.schedule).objective == Fraction(one.value)
