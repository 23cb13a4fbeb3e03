"""The linearisation: exact with HiGHS, its numbers computed, its rounding on the safe side."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from programs_cases import make_instance
from programs_solved import assert_optimum
from pyomo.repn import generate_standard_repn

from ringyard import load
from ringyard.formulations.makespan import linearised
from ringyard.formulations.makespan.data import data_of
from ringyard.formulations.makespan.rates import levels
from ringyard.formulations.matrix import is_linear
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import MakespanInstance, RingJob, SolutionStatus


@pytest.mark.parametrize(
    ("name", "horizon"),
    [
        ("hand-contend", 8),
        ("hand-contend-degraded", 8),
        ("hand-contend-floor", 8),
        ("hand-overhead-max-workers", 12),
        pytest.param("hand-idling", 7, marks=pytest.mark.slow),
        ("small-04x2", 12),
        pytest.param("small-05x3", 12, marks=pytest.mark.slow),
        pytest.param("small-06x4", 10, marks=pytest.mark.slow),
        ("small-06x3-release", 13),
    ],
)
def test_highs_agrees_with_enumeration(name: str, horizon: int) -> None:
    model = linearised.build(load(name), horizon)
    assert is_linear(model)
    assert_optimum(load(name), linearised, model, "highs")


def test_without_a_horizon_there_is_room_for_one_job_after_the_other() -> None:
    model = linearised.build(make_instance())
    assert_optimum(make_instance(), linearised, model, "highs")


@pytest.mark.parametrize("horizon", [0, 1, 2])
def test_a_horizon_too_short_is_refuted(horizon: int) -> None:
    assert solve(linearised.build(make_instance(), horizon)).status is SolutionStatus.INFEASIBLE


def test_a_job_alone_on_one_server_has_no_level() -> None:
    cluster = replace(make_instance().cluster, servers=make_instance().cluster.servers[:1])
    alone = replace(make_instance(), cluster=cluster, jobs=make_instance().jobs[:1])
    model = linearised.build(alone, 3)
    assert not model.level
    assert_optimum(alone, linearised, model, "highs")


@pytest.mark.parametrize("name", ["small-05x3", "hand-contend-degraded"])
def test_progress_coefficients_are_rounded_up_by_a_hair(name: str) -> None:
    model = linearised.build(load(name), 12)
    seen = 0
    for job, row in model.completes.items():
        body = generate_standard_repn(row.body)
        shares = {
            model.level[job, level.units, level.rings, slot].name: level.rate
            for level in model.levels[job]
            for slot in range(12)
        }
        for column, factor in zip(body.linear_vars, body.linear_coefs, strict=True):
            exact = shares.get(column.name, Fraction(0)) / model.data.tasks[job].iterations
            if exact:
                seen += 1
                assert exact <= Fraction(factor) <= exact * (1 + Fraction(1, 10**15))
    assert seen


def test_levels_that_make_no_difference_are_merged() -> None:
    free = replace(make_instance(), overhead_s=Decimal(0))
    halved = replace(
        make_instance(), contention=replace(make_instance().contention, share=Decimal("0.5"))
    )
    silent = RingJob(name="c", gpus=3, iterations=2, backward_s=Decimal(1))
    assert shapes(make_instance("max_workers_per_server"), "c") == [(2, 1), (2, 2)]
    assert shapes(halved, "c") == [(2, 2)]
    assert shapes(replace(free, jobs=(*make_instance().jobs[:2], silent)), "c") == [(2, 2)]
    assert shapes(make_instance(), "a") == []


def shapes(instance: MakespanInstance, job: str) -> list[tuple[int, int]]:
    return [(level.units, level.rings) for level in levels(data_of(instance, 8), job)]


def test_the_rate_of_a_level_is_that_of_its_worst_ring() -> None:
    data = data_of(load("small-05x3"), 12)
    for job in data.tasks:
        for units, rings, rate in levels(data, job):
            assert rate == data.rate(job, units, data.tasks[job].gpus, rings)
