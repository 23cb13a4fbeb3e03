"""Runs that end early: at a gap, at a target, or because whoever watches says so."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from injected import inject

from ringyard.instances import Incumbent, Instance, Outcome, SolutionStatus, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError
from ringyard.policies.request import Request
from ringyard.run import solve


@pytest.fixture
def instance(monkeypatch: pytest.MonkeyPatch) -> Instance:
    """An instance, and a method `tells` that reports ever better schedules up to the best."""
    instance = load("small-05x2")
    found = {
        answer.objective: answer.schedule
        for answer in (solve(instance, name) for name in ("random", "first-fit", "portfolio"))
    }
    values = sorted(found, reverse=True)
    assert len(values) > 1

    def tells(same: Any, request: Request[Any]) -> Outcome:
        false = replace(found[values[0]], assignments=found[values[0]].assignments[1:])
        request.limits.report(Incumbent(schedule=false, value=1.0))
        for value in values:
            request.limits.report(Incumbent(schedule=found[value], value=float(value)))
        return Outcome(
            schedule=found[values[-1]],
            termination=TerminationReason.WORK_LIMIT,
            status=SolutionStatus.FEASIBLE,
        )

    inject(monkeypatch, tells=tells)
    return instance


def values_of(instance: Instance) -> list[float]:
    """Return the values of the valid schedules that are told."""
    seen = list[float]()
    solve(instance, "tells", watch=lambda incumbent: seen.append(incumbent.value))
    return seen[1:]


def test_a_run_ends_at_the_first_valid_schedule_that_is_as_good(instance: Instance) -> None:
    values = values_of(instance)
    for target in values:
        answer = solve(instance, "tells", target=target)
        assert answer.outcome.termination is TerminationReason.TARGET
        assert answer.valid
        assert answer.objective == target
    assert (
        solve(instance, "tells", target=values[-1] - 1).outcome.termination
        is TerminationReason.WORK_LIMIT
    )


def test_a_run_ends_within_the_gap(instance: Instance) -> None:
    bound = float(solve(instance, "tells").bound.value)
    for value in values_of(instance)[:-1]:
        gap = (value - bound) / value
        answer = solve(instance, "tells", gap=gap)
        assert answer.outcome.termination is TerminationReason.GAP
        assert answer.objective == value
        assert float(answer.gap or 0) <= gap


def test_stop_iteration_ends_a_run_at_what_was_seen(instance: Instance) -> None:
    first = values_of(instance)[0]

    def watch(incumbent: Incumbent) -> None:
        if incumbent.value == first:
            raise StopIteration

    answer = solve(instance, "tells", watch=watch)
    assert answer.outcome.termination is TerminationReason.STOPPED
    assert answer.valid
    assert answer.objective == first


def test_other_errors_of_whoever_watches_go_through(instance: Instance) -> None:
    def watch(incumbent: Incumbent) -> None:
        raise ZeroDivisionError

    for method in ("tells", "linearised"):
        with pytest.raises(ZeroDivisionError):
            solve(instance, method, watch=watch)


@pytest.mark.parametrize("asked", [{"gap": -0.1}, {"gap": 1.0}, {"gap": float("nan")}])
def test_gaps_are_parts(asked: dict[str, float], instance: Instance) -> None:
    with pytest.raises(InputError, match="gap: found"):
        solve(instance, "tells", **asked)


def test_targets_are_numbers(instance: Instance) -> None:
    with pytest.raises(InputError, match="target: found inf"):
        solve(instance, "tells", target=float("inf"))
    assert (
        solve(instance, "tells", target=Fraction(10**9)).outcome.termination
        is TerminationReason.TARGET
    )


@pytest.mark.parametrize("method", ["portfolio", "branch-and-bound", "cp-sat"])
def test_methods_that_prove_end_at_the_gap_with_what_they_proved(method: str) -> None:
    """The best makespan is 17; what is known before the run is not within six per cent."""
    instance = load("small-10x3")
    first = solve(instance, "gang-lpt")
    assert float(first.gap or 0) > 0.06
    answer = solve(instance, method, gap=0.06)
    assert answer.valid
    assert float(answer.gap or 0) <= 0.06
    assert answer.outcome.termination in {TerminationReason.GAP, TerminationReason.DONE}
    assert (answer.outcome.termination is TerminationReason.DONE) == (answer.status == "optimal")
    assert answer.bound.value <= 17 <= (answer.objective or 0)


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_solvers_are_ended_by_a_target(solver: str) -> None:
    instance, told = load("pdors-small-08x3x6"), list[float]()
    solve(instance, f"offline:{solver}", watch=lambda incumbent: told.append(incumbent.value))
    assert len(told) > 1
    answer = solve(instance, f"offline:{solver}", target=told[0] + 1e-6)
    assert answer.outcome.termination is TerminationReason.TARGET
    assert float(answer.objective or 0) == told[1]


def test_the_portfolio_passes_on_who_has_had_enough(instance: Instance) -> None:
    worst = values_of(instance)[0]
    assert (
        solve(instance, "portfolio", target=worst).outcome.termination is TerminationReason.TARGET
    )
