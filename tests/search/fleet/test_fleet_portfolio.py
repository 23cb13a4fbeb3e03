"""The default of `fleet`: no method, equal width or log by brute force is better."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from check.fleet.logs import fleet, job
from fleet_brute import best_by_hand
from fleet_small import draw, faults
from rental_small import power, stream

import ringyard
from ringyard.analysis.check import check
from ringyard.instances import TerminationReason
from ringyard.policies.fleet.planned import planned
from ringyard.policies.rental import boa as rental
from ringyard.policies.request import Scheduler, usual
from ringyard.search import fleet as portfolio


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(0, marks=pytest.mark.slow),
        1,
        6,  # once a hang: billing periods of four ticks, 6 * 10^10 of them between two rounds
        pytest.param(21, marks=pytest.mark.slow),  # two GPUs each beat what any method finds
        # only enough for one job after the other, on one lease
        pytest.param(60, marks=pytest.mark.slow),
    ],
)
def test_nothing_is_wrong_on_tiny_fleets(seed: int) -> None:
    assert faults(draw(seed)) == []


@pytest.mark.slow
def test_nothing_is_wrong_on_more_tiny_fleets() -> None:
    for seed in range(1000, 1008):
        assert faults(draw(seed)) == [], seed


def test_draws_are_the_same_for_a_seed_and_meet_every_option() -> None:
    drawn = [draw(seed) for seed in range(200)]
    assert drawn[7] == draw(7)
    assert draw(Random(7)).jobs == drawn[7].jobs
    for name in ("tick_s", "provision_s", "node_gpus", "billing_s", "rescale_s", "widths"):
        assert len({getattr(one, name) for one in drawn}) >= 2, name


@pytest.mark.parametrize("seed", range(20))
def test_the_judge_takes_logs_by_hand_at_their_value(seed: int) -> None:
    instance = draw(seed)
    found = best_by_hand(instance)
    if found is not None:
        verdict = check(instance, found.log)
        assert (verdict.violations, verdict.mean_jct) == ((), found.mean_h)


def crowd(jobs: int) -> Any:
    """Return jobs for which the budget is neither far too small nor far too large."""
    made = (job(f"j{i}", "a", 60, arrival=30 * i) for i in range(jobs))
    return fleet([stream("a", 60, (0.1, power(0.5)))], *made, budget_gpus=0.25)


def test_only_quick_methods_are_played_for_many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    quick, slow = portfolio.QUICK, portfolio.SLOW
    monkeypatch.setattr(portfolio, "QUICK", tuple(noting(played, method) for method in quick))
    monkeypatch.setattr(portfolio, "SLOW", tuple(noting(played, method) for method in slow))
    monkeypatch.setattr(portfolio, "FEW", 3)
    for jobs in (3, 4):
        played.clear()
        answer = ringyard.solve(crowd(jobs))
        assert (answer.valid, answer.schedule.method) == (True, "portfolio")
        assert set(played) == {*quick, *(slow if jobs == 3 else ())}


def noting(played: list[Any], method: Any) -> Any:
    """Return the same method, which says in `played` that it is run."""

    def noted(*words: Any) -> Any:
        played.append(method)
        return method.run(*words)

    refuses = getattr(method, "refuses", None)
    return Scheduler(run=noted, Options=type(usual(method)), refuses=refuses)


def test_an_interrupt_of_a_method_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first method is interrupted in its search, with something found by then."""
    played: list[Any] = []
    made: list[Any] = []
    whole = rental.BOA

    def interrupted(*words: Any) -> Any:
        made.append(words)
        if len(made) == 8:
            raise KeyboardInterrupt
        return whole.run(*words)

    first = planned("boa", replace(whole, run=interrupted))
    quick = tuple(noting(played, method) for method in (first, *portfolio.QUICK[1:]))
    monkeypatch.setattr(portfolio, "QUICK", quick)
    answer = ringyard.solve(crowd(5))
    assert answer.outcome.termination is TerminationReason.INTERRUPTED
    assert answer.valid
    assert set(played) == {first}
