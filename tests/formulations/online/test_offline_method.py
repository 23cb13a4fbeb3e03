"""The offline programs as methods: checked schedules, bounds, limits."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from brute import optimum
from tiny import tiny

from ringyard.analysis.check import check
from ringyard.instances import (
    BoundKind,
    Incumbent,
    Limits,
    OnlineInstance,
    Outcome,
    RefusedError,
    SolutionStatus,
)
from ringyard.instances.generate import generate
from ringyard.policies.request import ProgramOptions, Request
from ringyard.search.online import offline
from ringyard.search.online.offline import worth_of
from ringyard.simulation.online import rooms


def run(instance: OnlineInstance, program: str = "offline", **limits: Any) -> Outcome:
    rng = np.random.default_rng(0)
    return offline.run(
        instance,
        Request(limits=Limits(**limits), rng=rng, options=ProgramOptions(program, "highs")),
    )


@pytest.mark.parametrize("program", ["offline", "schedules"])
def test_it_proves_the_optimum_of_tiny_instances(program: str) -> None:
    for seed in range(12):
        instance = tiny(seed)
        best, _ = optimum(instance)
        if program == "schedules" and not best:
            continue
        outcome = run(instance, program)
        assert outcome.status is SolutionStatus.OPTIMAL
        assert outcome.value == best == check(instance, outcome.schedule).objective
        assert outcome.bound is not None
        assert (outcome.bound.kind, outcome.bound.value) == (BoundKind.SOLVER, best)


def test_servers_that_no_machine_holds_are_not_listed() -> None:
    """A worker asks for 3e14 servers of which each takes something, and a machine holds a few."""
    instance = tiny(1)
    few = tuple(replace(job, workers_per_server=Decimal("3e-15")) for job in instance.jobs)
    assert (rooms(replace(instance, jobs=few)).servers <= 10).all()


def test_more_servers_than_can_be_listed_are_refused() -> None:
    instance = tiny(1)
    free = tuple(
        replace(job, workers_per_server=Decimal("3e-15"), server=()) for job in instance.jobs
    )
    with pytest.raises(RefusedError, match=r"workers or servers of job .*, more than 10,000,000"):
        rooms(replace(instance, jobs=free))


def test_oasis_claims_no_bound() -> None:
    outcome = run(tiny(1), "oasis")
    assert outcome.bound is None
    assert check(tiny(1), outcome.schedule).objective == outcome.value


def test_it_tells_of_better_and_better_valid_schedules() -> None:
    instance, seen = generate("pdors-small", seed=1), list[Incumbent]()
    outcome = run(instance, watch=seen.append)
    values = [check(instance, incumbent.schedule).objective for incumbent in seen]
    assert all(check(instance, incumbent.schedule).valid for incumbent in seen)
    assert values == sorted(set(values))
    assert values[-1] == outcome.value


def test_without_time_the_first_schedule_stays() -> None:
    instance = generate("pdors-small", seed=1)
    outcome = run(instance, time_s=0.0)
    assert check(instance, outcome.schedule).valid
    assert outcome.note == "no time was left for the program"


def test_a_large_instance_is_refused_with_advice() -> None:
    reason = offline.refuses(generate("pdors", seed=0), ProgramOptions("offline", "highs"))
    assert reason is not None
    assert "100,000 triples" in reason
    assert "ringyard bound --time-limit" in reason


def test_jobs_that_miss_samples_are_worth_nothing() -> None:
    shortened = 0
    for seed in range(12):
        instance = tiny(seed)
        value, best = optimum(instance)
        assert sum(worth_of(instance, best).values(), Fraction(0)) == value
        for one in best.admissions:
            short = replace(best, admissions=(replace(one, plan=one.plan[1:]),))
            if len(one.plan) > 1 and check(instance, short).violations:
                assert worth_of(instance, short) == {}
                shortened += 1
    assert shortened
