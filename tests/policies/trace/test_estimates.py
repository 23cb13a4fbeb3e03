"""Policies that rank by users' limits or by deadlines, against closed forms and by hand."""

from dataclasses import replace

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played
from simulation.trace.drawn_instances import drawn

from ringyard.analysis.guarantees.trace import TRACE
from ringyard.instances import InputError
from ringyard.methods import find_method


@pytest.mark.parametrize("method", ["sjf", "sjf:size=gpu-time:stops=yes", "srtf", "srsf"])
def test_right_limits_are_as_good_as_durations(method: str) -> None:
    """Jobs run at full speed everywhere, so what is left of a limit is the work that is left."""
    for seed in range(12):
        instance = drawn(seed)
        jobs = (replace(one, limit_s=one.duration_s, communication=0) for one in instance.jobs)
        instance = replace(instance, jobs=tuple(jobs))
        assert played(instance, f"{method}:by=limit").jobs == played(instance, method).jobs


def test_limits_order_the_jobs_whatever_they_take() -> None:
    jobs = [job("a", 1, 2, limit_s=30), job("b", 1, 9, limit_s=20), job("c", 1, 5, limit_s=10)]
    instance = make_instance({"a0": 1}, *jobs)
    assert ends(instance, "sjf") == {"a": 2, "c": 7, "b": 16}
    assert ends(instance, "sjf:by=limit") == {"c": 5, "b": 14, "a": 16}


def test_a_job_that_has_overrun_its_limit_goes_first() -> None:
    """At 8 `long` has worked for 8 of its 5 ticks, so `new` waits."""
    jobs = [job("long", 1, 20, limit_s=5), job("new", 1, 1, 8, limit_s=1)]
    instance = make_instance({"a0": 1}, *jobs)
    assert ends(instance, "srtf") == {"long": 21, "new": 9}
    assert ends(instance, "srtf:by=limit") == {"long": 20, "new": 21}


@pytest.mark.parametrize("method", ["srtf", "srsf"])
def test_only_durations_make_the_least_left_optimal(method: str) -> None:
    instance = make_instance({"a0": 1}, job("a", 1, 2, limit_s=9), job("b", 1, 5, limit_s=5))
    theorem = next(one for one in TRACE if method in one.methods)
    assert theorem.unmet(instance, find_method(method, "trace").options) is None
    options = find_method(f"{method}:by=limit", "trace").options
    assert theorem.unmet(instance, options) == "needs known durations: by is 'limit'"


def test_limits_are_weighed_by_gpus() -> None:
    """At 2 `wide` has 2 x 3 GPU-ticks left by its limit, `new` 4 and `newer` 8."""
    jobs = [job("wide", 2, 9, limit_s=5), job("new", 1, 4, 2, limit_s=4)]
    instance = make_instance({"a0": 2}, *jobs, job("newer", 1, 8, 2, limit_s=8))
    assert ends(instance, "srsf:by=limit") == {"new": 6, "newer": 10, "wide": 17}


def test_the_earliest_deadline_first() -> None:
    """`late` arrives last and is due first; a job without a deadline goes last."""
    jobs = [job("never", 1, 3), job("b", 1, 4, due_s=20), job("a", 1, 4, due_s=9)]
    jobs.append(job("late", 1, 2, 1, due_s=4))
    instance = make_instance({"a0": 1}, *jobs)
    assert ends(instance, "sjf:by=due") == {"a": 4, "late": 6, "b": 10, "never": 13}
    stops = ends(instance, "sjf:by=due:stops=yes")
    assert stops == {"late": 3, "a": 6, "b": 10, "never": 13}
    with pytest.raises(InputError, match=r"size: found 'gpus', expected time. Drop by=due"):
        played(instance, "sjf:by=due:size=gpus")
