"""A schedule written into the program breaks a row exactly if the judge finds a fault."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyomo.environ as pyo
import pytest
from program_matrices import by_name
from programs_breaches import breached
from regions.traces import placed
from trace_optimum import cluster, job

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.matrix import matrix_of
from ringyard.formulations.trace.tickwise import build, twin
from ringyard.instances import (
    InputError,
    JobRuns,
    RackServer,
    RefusedError,
    TraceInstance,
    TraceRun,
    TraceSchedule,
    Width,
)

PROGRAM = find_formulation("tickwise")


def make_instance(cost: int = 1) -> TraceInstance:
    """Return 3 GPUs; a takes 3 ticks on 2 of them, b 2 ticks on 2, c 2 ticks on 1, from 1 on."""
    jobs = [job("a", 2, 3), job("b", 2, 2), job("c", 1, 2, arrival=1)]
    return cluster(jobs, 3, restart_s=Decimal(cost))


def runs(name: str, *spans: tuple[int, int | None], gpus: int) -> JobRuns:
    """Return an entry with a run for each span."""
    return JobRuns(
        job=name,
        runs=tuple(
            TraceRun(
                start_s=Decimal(start),
                stop_s=None if stop is None else Decimal(stop),
                gpus=(("s0", gpus),),
            )
            for start, stop in spans
        ),
    )


GOOD = TraceSchedule(
    instance="tiny",
    jobs=(
        runs("a", (0, 1), (3, None), gpus=2),
        runs("b", (1, None), gpus=2),
        runs("c", (1, None), gpus=1),
    ),
)


def elastic() -> TraceInstance:
    """Return jobs that may change their GPUs or share them."""
    jobs = (
        replace(job("a", 2, 3), speeds=(Width(gpus=1, speed=Decimal("0.6")),)),
        replace(job("b", 1, 2, arrival=2), packed_speed=Decimal("0.75")),
    )
    return cluster(jobs, 3, restart_s=Decimal(0))


def regions() -> TraceInstance:
    """Return jobs that may use two regions of three each, one of them from tick 1 on."""
    jobs = [
        job("wide", 2, 3, allowed_regions=("east", "north")),
        job("a", 1, 3, allowed_regions=("east", "west")),
        job("b", 1, 3, arrival=1, allowed_regions=("north", "west")),
    ]
    return placed(jobs, (1, "east"), (1, "north"), (2, "west"))


def kinds() -> TraceInstance:
    """Return jobs on two kinds of GPUs, one of them in a region."""
    jobs = (
        job("both", 1, 3, speeds=(Width(gpus=2, gpu="b", speed=Decimal("1.5")),)),
        job("a", 2, 2, gpu="a", arrival=1),
        job("east", 1, 2, gpu="b", allowed_regions=("east",)),
    )
    places = ("a", "east", 2), ("b", "east", 1), ("b", "west", 2)
    servers = tuple(
        RackServer(name=f"s{i}", gpu=gpu, region=region, gpus=gpus)
        for i, (gpu, region, gpus) in enumerate(places)
    )
    return TraceInstance(name="kinds", servers=servers, jobs=jobs)


MADE = [make_instance(0), make_instance(2), elastic(), regions(), kinds()]


@pytest.mark.parametrize("instance", MADE)
@pytest.mark.parametrize("horizon", [None, 6])
def test_the_twin_is_the_model(instance: TraceInstance, horizon: int | None) -> None:
    assert by_name(twin(instance, horizon)) == by_name(matrix_of(build(instance, horizon)))


def test_the_rows_of_pools_are_in_the_program_of_regions() -> None:
    for instance in (regions(), kinds()):
        assert sum(row.startswith("regions_fit") for row in twin(instance, 5).rows) > 5


def written(schedule: TraceSchedule, horizon: int = 9, cost: int = 1) -> Any:
    model = PROGRAM.build(make_instance(cost), horizon)
    PROGRAM.write(model, schedule)
    return model


def with_entry(entry: JobRuns) -> TraceSchedule:
    kept = tuple(entry if old.job == entry.job else old for old in GOOD.jobs)
    return replace(GOOD, jobs=kept)


@pytest.mark.parametrize(("cost", "total"), [(0, 5 + 3 + 2), (1, 6 + 3 + 2)])
def test_a_right_schedule_breaks_nothing_and_costs_what_the_judge_says(
    cost: int, total: int
) -> None:
    verdict, model = check(make_instance(cost), GOOD), written(GOOD, cost=cost)
    assert verdict.valid
    assert breached(model) == set()
    assert model.waiting_and_running() == 3 * verdict.objective == total


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        (runs("b", (0, None), gpus=2), "capacity"),
        (runs("a", (0, 1), (3, 5), gpus=2), "completes"),
        (runs("c", (1, 2), (3, 4), gpus=1), "completes"),
    ],
)
def test_a_wrong_schedule_breaks_the_row_of_the_rule(entry: JobRuns, rule: str) -> None:
    schedule = with_entry(entry)
    assert {violation.rule for violation in check(make_instance(), schedule).violations} == {rule}
    assert breached(written(schedule)) == {rule}


def test_a_horizon_that_cuts_work_off_breaks_completes() -> None:
    late = with_entry(runs("a", (0, 1), (5, None), gpus=2))
    assert breached(written(late, horizon=8)) == set()
    assert breached(written(late, horizon=7)) == {"completes"}


def test_a_start_too_many_is_a_row_of_its_own() -> None:
    model = written(GOOD)
    model.again[0, 3].set_value(0)
    assert breached(model) == {"starts"}
    model.first[0, 3].set_value(1)
    assert breached(model) == {"first_once"}


def test_an_end_said_too_early_breaks_completes() -> None:
    model = written(GOOD)
    model.open[0, 5].set_value(0, skip_validation=True)
    model.run[0, 0, 5].set_value(0)
    assert breached(model) == {"completes"}


def test_what_is_read_is_what_was_written() -> None:
    assert PROGRAM.read(written(GOOD)).jobs == GOOD.jobs


def test_another_width_is_another_mode() -> None:
    wide = job("a", 1, 4, speeds=(Width(gpus=2, speed=Decimal("1.5")),))
    instance = cluster([wide], 2)
    runs_at = (
        TraceRun(start_s=Decimal(0), stop_s=Decimal(1), gpus=(("s0", 1),)),
        TraceRun(start_s=Decimal(1), gpus=(("s0", 2),)),
    )
    schedule = TraceSchedule(instance="tiny", jobs=(JobRuns(job="a", runs=runs_at),))
    model = PROGRAM.build(instance, 5)
    PROGRAM.write(model, schedule)
    assert breached(model) == set()
    assert model.waiting_and_running() == check(instance, schedule).objective == 3
    assert PROGRAM.read(model).jobs == schedule.jobs


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (runs("z", (0, None), gpus=1), "the name of a job"),
        (runs("b", (1, None), gpus=3), "a number of GPUs that the job may have"),
    ],
)
def test_what_no_variable_can_say_is_refused(entry: JobRuns, said: str) -> None:
    with pytest.raises(InputError, match=said):
        written(replace(GOOD, jobs=(entry,)))


def test_too_many_ticks_are_refused() -> None:
    with pytest.raises(RefusedError, match="earlier ticks"):
        PROGRAM.build(make_instance(), 2000)
    with pytest.raises(RefusedError, match="slower across servers"):
        PROGRAM.build(cluster([job("a", 2, 1, communication=Decimal(1))], 1, 2))


def test_without_a_horizon_there_is_time_for_all_in_turn() -> None:
    model = PROGRAM.build(make_instance())
    assert model.horizon == 1 + 3 + 2 + 2
    assert isinstance(model.capacity, pyo.Constraint)


def test_a_job_that_arrives_at_the_horizon_or_later_is_refused() -> None:
    late = replace(
        make_instance(), jobs=(replace(make_instance().jobs[0], arrival_s=Decimal(10**6)),)
    )
    with pytest.raises(RefusedError, match=r"a job arrives at tick .*Give a longer one"):
        find_formulation("tickwise").build(late, 2)
