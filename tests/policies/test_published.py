"""The baselines do what the paper says they do, on cases worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.instances import Limits, MakespanInstance, Outcome
from ringyard.instances.catalogue import load
from ringyard.methods import find_method
from ringyard.policies.makespan.baselines import estimates, order_by_gpus


def run(name: str, instance: MakespanInstance) -> Outcome:
    return find_method(name, "makespan").run(instance, Limits(), np.random.default_rng(0))


def test_list_scheduling_misses_the_optimum_of_the_counterexample() -> None:
    """Every load limit below 7 is infeasible for the greedy; the optimum is 6."""
    instance = load("hand-theorem5")
    assert check(instance, run("list-scheduling", instance).schedule).makespan == 7


def test_jobs_come_by_gpus_then_by_length() -> None:
    instance = load("mobihoc-20-s0")
    work = estimates(instance)
    order = order_by_gpus(instance, work)
    keys = [(instance.jobs[j].gpus, -work[j]) for j in order]
    assert keys == sorted(keys)


def test_estimates_are_the_longest_times_over_the_largest_ratio() -> None:
    instance = load("hand-theorem5")
    assert estimates(instance).tolist() == [3, 3, 2, 2, 2]


@pytest.mark.parametrize("method", ["first-fit", "list-scheduling", "random"])
def test_a_horizon_too_short_is_reported(method: str) -> None:
    instance = replace(load("hand-theorem5"), horizon_slots=2)
    outcome = run(method, instance)
    assert outcome.schedule is None
    assert "horizon_slots" in outcome.note
