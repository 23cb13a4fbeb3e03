"""A small training with old gradients: its slopes, and what a bound on their age is good for."""

import numpy as np
import pytest
from numpy.random import default_rng

from ringyard.campaigns.reproductions import Settings
from ringyard.papers.training import LOST, STEP, WIDTH, again, convergence, drawn_task, learned


def test_slopes_are_those_of_the_loss() -> None:
    task, weights = drawn_task(0), default_rng(1).normal(size=WIDTH)
    for k in range(WIDTH):
        along = np.eye(WIDTH)[k] * 1e-6
        rise = (task.loss(weights + along) - task.loss(weights - along)) / 2e-6
        assert task.slope(weights, slice(None))[k] == pytest.approx(rise, abs=1e-7)


def test_the_least_loss_is_where_nothing_pulls() -> None:
    task = drawn_task(0)
    assert task.best < task.aim < task.start == pytest.approx(np.log(2))


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_on_staleness_lets_some_step_learn(seed: int) -> None:
    task = drawn_task(seed)
    assert learned(task, 0, STEP, default_rng(seed)) is not None
    assert learned(task, 64, STEP, default_rng(seed)) is None
    assert learned(task, 64, STEP / 4, default_rng(seed)) is not None


def test_a_replica_that_is_farther_behind_costs_no_less() -> None:
    task = drawn_task(0)
    costs = [again(task, lost, default_rng(0)) for lost in LOST]
    assert costs == sorted(costs)
    assert costs[0] == 0 < costs[-1]


def test_what_is_said_follows_from_the_table() -> None:
    table, said = convergence(Settings(seeds=1, points=1))
    assert [(row[0], row[-1]) for row in table.rows] == [("0", 100.0)]
    assert said.startswith(
        "bounded staleness keeps convergence of a convex task with the step itself"
    )
