"""Bounds of jobs that go through phases: by hand, against the optimum, and as certificates."""

from fractions import Fraction

import pytest
from check.trace.small import job, make_instance, type_of
from trace_optimum import optimum, tiny_phased

from ringyard.analysis.check.certificates.reading import ProofStep
from ringyard.analysis.check.certificates.trace import RULES
from ringyard.formulations.solver_interface.solve import solve
from ringyard.formulations.trace.busy_times import twin_of
from ringyard.formulations.trace.demand import demands
from ringyard.instances import Bound, Limits, TraceInstance
from ringyard.instances.trace.mix import random_trace
from ringyard.instances.trace.phases import with_types
from ringyard.search.trace.bounds import combinatorial_bounds
from ringyard.search.trace.plan_bound import plan_bound

SLOW = type_of("slow", (0.25, {1: 1, 2: 1.9}), (0.75, {1: 0.5, 2: 0.4}))
QUICK = [seed for seed in range(30) if seed not in (5, 7, 10, 13, 16, 28)]
"""The optima of the others take seconds."""


def one(**more: object) -> TraceInstance:
    return make_instance({"s0": 2}, job("a", 1, 10, type="slow", **more), types=(SLOW,))


def bounds_of(instance: TraceInstance, intervals: int) -> list[Bound]:
    return [*combinatorial_bounds(instance), plan_bound(instance, Limits(), intervals)]


def test_the_least_ticks_and_areas_of_phases_add_up() -> None:
    """2.5 ticks of work take 2 ticks on 2 GPUs, or 2.5 GPU-ticks; 7.5 take 15 ticks on one GPU."""
    (found,) = demands(one())
    assert (found.ticks, found.size) == (2 + 15, 2 * (2.5 + 15))
    # In whole ticks, a phase that takes 2.5 GPU-ticks holds 3.
    assert found.area == 2 * (3 + 15)
    # Of 17.5 GPU-ticks, 2.5 are done 15 ticks and half of 2.5 / 1.9 ticks before the end.
    sums = Fraction(5, 2) * (15 + Fraction(25, 38)) + 15 * Fraction(15, 2)
    assert found.lag == sums / Fraction(35, 2)


def test_work_before_time_0_leaves_out_phases_that_are_over() -> None:
    (found,) = demands(one(done_s=4))
    assert (found.ticks, found.area, found.phases) == (12, 24, ())


@pytest.mark.parametrize("seed", QUICK)
def test_no_bound_is_above_the_optimum(seed: int) -> None:
    instance = tiny_phased(seed)
    best = optimum(instance)
    for bound in bounds_of(instance, 8):
        assert bound.value <= best, bound.name
    arrivals = sum(int(job.arrival_s) for job in instance.jobs)
    program = solve(twin_of(instance, 8)).bound
    assert program is not None
    assert program <= best * len(instance.jobs) + arrivals + 1e-6


def test_the_bounds_are_not_weak() -> None:
    """On most of these instances, some bound is the optimum."""
    tight = [
        max(bound.value for bound in combinatorial_bounds(tiny_phased(seed)))
        == optimum(tiny_phased(seed))
        for seed in QUICK
    ]
    assert sum(tight) > len(tight) / 2


@pytest.mark.parametrize("index", range(12))
def test_the_checker_recounts_the_same_values(index: int) -> None:
    drawn = random_trace(23, index)
    instance = drawn if drawn.types else with_types(drawn, index, 1 + index % 4, 0.8)
    for bound in bounds_of(instance, 10):
        assert bound.proof is not None
        (step,) = bound.proof
        rule = RULES[step["rule"]]
        assert rule(instance, ProofStep(line=1, rule=step["rule"], values=step)) == bound.value
