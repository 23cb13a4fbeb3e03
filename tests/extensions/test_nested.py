"""`ringyard.solve` inside a user's function: what the outer run knows of the inner one."""

from typing import Any

import pytest

import ringyard
from ringyard import Answer
from ringyard.instances.outcome import TerminationReason

INNER: list[Answer] = []


def relay(instance: Any, limits: Any, tell: Any) -> Any:
    """Improve a schedule of 18 slots to 17, and report both."""
    best = ringyard.solve(instance, "gang-lpt")
    tell(best.schedule)
    better = ringyard.solve(
        instance,
        "local-search:work=2000",
        start=best.schedule,
        time_limit=limits.left_s(),
        watch=lambda found: tell(found.schedule),
    )
    INNER.append(better)
    return better.schedule


@pytest.fixture
def instance() -> Any:
    INNER.clear()
    return ringyard.load("small-10x3")


def test_schedules_of_the_inner_run_are_in_the_outer_trajectory(instance: Any) -> None:
    answer = ringyard.solve(instance, relay)
    assert [value for _, value, _ in answer.trajectory] == [18, 18, 17]
    assert [value for _, value, _ in INNER[0].trajectory] == [18, 17]
    assert answer.seconds > INNER[0].seconds
    assert (answer.objective, answer.outcome.nodes, answer.conclusion) == (17, None, "feasible")


def test_the_time_left_ends_the_inner_run(instance: Any) -> None:
    answer = ringyard.solve(instance, relay, time_limit=1e-9)
    assert INNER[0].outcome.termination is TerminationReason.TIME_LIMIT
    assert answer.objective == 18


def test_a_target_of_the_outer_run_ends_the_inner_run_or_the_function(instance: Any) -> None:
    ringyard.solve(instance, relay, target=17)
    assert INNER.pop().conclusion == "feasible (target reached)"
    answer = ringyard.solve(instance, relay, target=18)
    assert answer.conclusion == "feasible (target reached)"
    assert not INNER
    assert answer.outcome.note == ""
