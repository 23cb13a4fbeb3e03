"""The program over whole schedules: it lists all there are, and what its relaxations are worth."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pyomo.environ as pyo
import pytest
from hypothesis import assume, given, settings
from program_matrices import in_slots
from programs_breaches import breached
from programs_cases import make_instance, place, three
from programs_solved import assert_optimum

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.makespan import master
from ringyard.formulations.makespan.data import data_of, serial_horizon
from ringyard.formulations.makespan.master import look_of, whole_schedules
from ringyard.formulations.makespan.placements import splits
from ringyard.formulations.matrix import relax
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.instances import (
    Assignment,
    Cluster,
    Limits,
    MakespanInstance,
    RefusedError,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
)
from ringyard.instances.catalogue import load
from ringyard.search.makespan.exact.enumeration import enumerate_best

TINY = in_slots(max_jobs=3, max_servers=2, max_gpus=3)


def turns(count: int) -> MakespanInstance:
    """Return jobs of a slot each, on one GPU."""
    return MakespanInstance(
        name="turns",
        cluster=Cluster(
            servers=(Server(name="s", gpus=1),),
            intra_bandwidth_gb_s=Decimal(1),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=None,
        ),
        jobs=tuple(
            RingJob(name=f"j{i}", gpus=1, iterations=1, backward_s=Decimal(1)) for i in range(count)
        ),
        contention=ServerUplink(),
    )


def value(model: Any) -> float:
    found = solve(program_of(model)).value
    assert found is not None
    return found


def relaxed_value(instance: MakespanInstance, horizon: int) -> float:
    return value(relax(master.build(instance, horizon)))


def all_of(instance: MakespanInstance, last: int) -> Iterable[Schedule]:
    """Yield every start and every split of GPUs that the judge accepts and that ends in time."""
    data = data_of(instance)
    sizes = tuple(data.sizes.values())
    ways = []
    for job in instance.jobs:
        alike = tuple(range(len(sizes)))
        gpus = [
            tuple((name, n) for name, n in zip(data.sizes, counts, strict=True) if n)
            for counts in splits(sizes, alike, job.gpus)
        ]
        ways.append(
            [
                Assignment(job=job.name, start_slot=Decimal(start), gpus=held)
                for start, held in product(range(last), gpus)
            ]
        )
    for entries in product(*ways):
        schedule = Schedule(instance=instance.name, assignments=entries)
        verdict = check(instance, schedule)
        if verdict.valid and verdict.makespan is not None and verdict.makespan <= last:
            yield schedule


def test_all_schedules_that_the_judge_accepts_are_listed_once() -> None:
    instance, horizon = make_instance(), 5
    data = data_of(instance, horizon)
    looks = [
        look_of(
            data,
            {entry.job: int(entry.start_slot) for entry in schedule.assignments},
            {entry.job: dict(entry.gpus) for entry in schedule.assignments},
        )
        for schedule in all_of(instance, horizon)
    ]
    model = master.build(instance, horizon)
    listed = [look_of(data, *master._by_name(model, one)) for one in model.known]
    assert listed
    assert set(listed) == set(looks)
    assert len(listed) == len(set(listed))


@settings(max_examples=15)
@given(TINY)
def test_the_optimum_is_that_of_enumeration_and_the_relaxation_is_no_more(
    instance: MakespanInstance,
) -> None:
    assume(serial_horizon(instance) <= 30)
    optimum = enumerate_best(instance, Limits()).value
    assert optimum is not None
    try:
        known = whole_schedules(instance, int(optimum))
    except RefusedError:
        assume(False)
    assume(len(known) < 300)
    assert min(max(one.ends) for one in known) == optimum
    assert value(master.build(instance, int(optimum))) == pytest.approx(float(optimum))
    assert relaxed_value(instance, int(optimum)) <= float(optimum) + 1e-6
    assert not whole_schedules(instance, int(optimum) - 1)


@pytest.mark.parametrize("name", ["hand-contend", "hand-contend-degraded", "hand-overtake"])
def test_a_solver_finds_the_optimum(name: str) -> None:
    assert_optimum(load(name), master, master.build(load(name)), "highs")


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_relaxation_lets_jobs_end_last_in_turn(count: int) -> None:
    """The ends of n unit jobs in turn sum to n (n + 1) / 2, in whatever order."""
    assert value(master.build(turns(count))) == pytest.approx(count)
    assert relaxed_value(turns(count), count) == pytest.approx((count + 1) / 2)


def test_a_row_for_each_schedule_says_next_to_nothing_and_one_row_says_all() -> None:
    """Two readings of the printed maximum: harmonic in what is listed, or the optimum itself."""
    instance = load("hand-spread")
    ends = [max(one.ends) for one in whole_schedules(instance, 7)]
    apart = _over(ends, lambda model, k: model.least >= ends[k] * model.x[k])
    assert apart == pytest.approx(1 / sum(1 / end for end in ends))
    assert apart < 0.1

    def all_in_one(model: Any, k: int) -> Any:
        every = sum(ends[i] * model.x[i] for i in range(len(ends)))
        return model.least >= every if k == 0 else pyo.Constraint.Skip

    assert _over(ends, all_in_one) == pytest.approx(min(ends)) == pytest.approx(6)


def _over(ends: list[int], row: Any) -> float:
    """Return the least value of shares of schedules under one more kind of row."""
    model = pyo.ConcreteModel()
    model.x, model.least = pyo.Var(range(len(ends)), bounds=(0, 1)), pyo.Var()
    model.value = pyo.Objective(expr=model.least)
    model.one = pyo.Constraint(expr=sum(model.x.values()) == 1)
    model.rows = pyo.Constraint(range(len(ends)), rule=row)
    return value(model)


def test_a_schedule_is_a_point_exactly_if_the_judge_accepts_it() -> None:
    model = master.build(make_instance(), 8)
    master.write(model, three())
    assert breached(model) == set()
    assert check(make_instance(), master.read(model)).makespan == model.latest_end()
    for wrong in (place("a", 2, s0=1), place("b", 0, s1=2), place("b", 1, s1=1)):
        entries = tuple(wrong if old.job == wrong.job else old for old in three().assignments)
        master.write(model, replace(three(), assignments=entries))
        assert "every_job_once" in breached(model)


def test_servers_that_are_alike_may_be_renamed() -> None:
    model = master.build(make_instance(), 8)
    entries = (place("a", 0, s1=1), place("b", 1, s0=2), place("c", 3, s1=2, s0=1))
    master.write(model, replace(three(), assignments=entries))
    assert breached(model) == set()


def test_a_horizon_in_which_no_schedule_ends_is_refuted_by_the_bound() -> None:
    model = master.build(load("hand-contend"), 6)
    assert solve(program_of(model)).value is None


def test_instances_with_too_many_schedules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{whole_schedules.__module__}.MOST_STEPS", 100)
    program = find_formulation("master")
    with pytest.raises(RefusedError, match="it has 160 jobs, and the schedules of more than 8"):
        program.build(load("mobihoc-10-s0"), 20)
    with pytest.raises(RefusedError, match="too many schedules that end by slot 12 to list"):
        program.build(load("small-06x3"), 12)
