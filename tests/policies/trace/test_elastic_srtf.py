"""GPUs go where they bring an end closest; weights that are searched make it better still."""

from fractions import Fraction

import numpy as np
import pytest
from check.trace.small import job, make_instance
from little import few
from policies.trace.played import ends, mean_jct, played
from trace_optimum import optimum, tiny

from ringyard.analysis.check import check
from ringyard.instances import Incumbent, Limits, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.policies.request import Request
from ringyard.search.trace import weight_search

METHOD = "elastic-srtf:power=1"


def test_the_shorter_of_two_jobs_has_both_gpus_where_they_are_twice_as_fast() -> None:
    """One after the other they end after 1 and 3, side by side after 2 and 3."""
    jobs = [job(name, 1, length, speeds={2: 2}) for name, length in (("a", 4), ("b", 2))]
    assert ends(make_instance({"s": 2}, *jobs), METHOD) == {"a": 3, "b": 1}


@pytest.mark.parametrize(("restart", "end", "runs"), [(0, 4, 2), (5, 4, 1)])
def test_a_job_widens_when_another_ends_unless_the_pause_takes_longer(
    restart: int, end: int, runs: int
) -> None:
    """Two GPUs are 1.2 times as fast: 2 of 4 are left when the other ends, and take 2 ticks."""
    jobs = [job(name, 1, length, speeds={2: 1.2}) for name, length in (("a", 4), ("b", 2))]
    instance = make_instance({"s": 2}, *jobs, restart_s=restart)
    assert ends(instance, METHOD) == {"a": end, "b": 2}
    (long,) = (one for one in played(instance, METHOD).jobs if one.job == "a")
    assert len(long.runs) == runs


def test_without_a_power_a_gpu_goes_where_it_does_most() -> None:
    """Two GPUs of the wide job do what one of the narrow job does; but it ends soon."""
    instance = make_instance({"s": 2}, job("wide", 2, 1), job("narrow", 1, 9))
    assert ends(instance, "elastic-srtf:power=0") == {"wide": 10, "narrow": 9}
    assert ends(instance, METHOD) == {"wide": 1, "narrow": 10}


def searched(instance, schedules, limits=None):
    options = weight_search.Options(schedules=schedules)
    rng = np.random.default_rng(0)
    return weight_search.run(instance, Request(limits=limits or Limits(), rng=rng, options=options))


@pytest.mark.parametrize("seed", few(4, range(12)))
def test_the_search_is_no_worse_than_what_it_begins_with_nor_better_than_the_optimum(
    seed: int,
) -> None:
    instance = tiny(seed)
    told: list[Incumbent] = []
    outcome = searched(instance, 25, Limits(watch=told.append))
    verdict = check(instance, outcome.schedule)
    assert verdict.violations == ()
    powers = [mean_jct(instance, f"elastic-srtf:power={p}") for p in weight_search.POWERS]
    assert optimum(instance) <= verdict.objective <= min(powers)
    values = [check(instance, incumbent.schedule).objective for incumbent in told]
    assert values == sorted(values, reverse=True)
    assert [float(value) for value in values] == pytest.approx([one.value for one in told])
    assert values[-1] == verdict.objective


def test_weights_find_what_no_power_does() -> None:
    """The narrow job of the example is to run last: its notes argue for the optimum, 26/3."""
    instance = load("tiresias-example")
    powers = [mean_jct(instance, f"elastic-srtf:power={p}") for p in weight_search.POWERS]
    assert min(powers) > Fraction(26, 3)
    assert check(instance, searched(instance, 60).schedule).objective == Fraction(26, 3)


def test_with_no_time_there_is_no_schedule() -> None:
    outcome = searched(load("tiny-trace-05x2"), 9, Limits(time_s=0.0))
    assert (outcome.schedule, outcome.termination) == (None, TerminationReason.TIME_LIMIT)
