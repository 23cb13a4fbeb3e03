"""The load limit: its twin, the least limit by bisection and by hand."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import assume, given
from program_matrices import by_name, in_slots

from ringyard.analysis.check import check
from ringyard.formulations.makespan import load_limit
from ringyard.formulations.makespan.data import data_of, serial_horizon
from ringyard.formulations.makespan.load_limit import estimates, gpus_of, twin
from ringyard.formulations.makespan.timetable import starts_in_turn
from ringyard.formulations.matrix import matrix_of, point_of, set_point
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Limits, MakespanInstance, SolutionStatus
from ringyard.instances.catalogue import load
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.makespan.baselines import estimates as estimates_of_policies
from ringyard.policies.request import Request
from ringyard.search.makespan.exact.enumeration import enumerate_best

TINY = in_slots(max_jobs=4, max_servers=3, max_gpus=3)


def least_slots(instance: MakespanInstance) -> dict[str, Fraction]:
    return {job: Fraction(task.least) for job, task in data_of(instance).tasks.items()}


def least_load(instance: MakespanInstance, work: dict[str, Fraction]) -> Fraction:
    """Try all assignments of jobs to GPUs."""
    data = data_of(instance)
    gpus = gpus_of(data)
    sets = [combinations(gpus, task.gpus) for task in data.tasks.values()]
    best = sum(work.values(), Fraction(0))
    for chosen in product(*map(list, sets)):
        loads: Counter[tuple[str, int]] = Counter()
        for slots, held in zip(work.values(), chosen, strict=True):
            loads.update(dict.fromkeys(held, slots))
        best = min(best, max(loads.values()))
    return best


@given(TINY)
def test_the_twin_is_the_model(instance: MakespanInstance) -> None:
    for limit in (None, 7, Fraction(22, 3)):
        model = matrix_of(load_limit.build(instance, limit))
        assert by_name(twin(instance, limit)) == by_name(model)


@pytest.mark.parametrize("gpus", [1, 2, 3])
def test_the_twin_of_a_small_server_stores_no_zeros(gpus: int) -> None:
    instance = load("hand-spread")
    servers = (replace(instance.cluster.servers[0], gpus=gpus),)
    jobs = (replace(instance.jobs[0], gpus=1),)
    small = replace(instance, cluster=replace(instance.cluster, servers=servers), jobs=jobs)
    assert by_name(twin(small)) == by_name(matrix_of(load_limit.build(small)))


@given(TINY)
def test_work_is_that_of_the_policies(instance: MakespanInstance) -> None:
    work = [float(slots) for slots in estimates(instance).values()]
    assert work == pytest.approx(list(estimates_of_policies(instance)))


@given(in_slots(max_jobs=3, max_servers=2, max_gpus=3))
def test_bisection_finds_the_least_load_of_all_assignments(instance: MakespanInstance) -> None:
    for work in (estimates(instance), least_slots(instance)):
        found = load_limit.bisect(instance, work)
        assert found.theta == found.least == least_load(instance, work)
        loads: Counter[tuple[str, int]] = Counter()
        for job, gpus in found.gpus.items():
            assert len(set(gpus)) == data_of(instance).tasks[job].gpus
            loads.update(dict.fromkeys(gpus, work[job]))
        assert max(loads.values()) == found.theta


@given(TINY)
def test_no_limit_exceeds_the_optimum(instance: MakespanInstance) -> None:
    assume(serial_horizon(instance) <= 60)
    optimum = enumerate_best(instance, Limits()).value
    work, least = load_limit.bisect(instance), load_limit.bisect(instance, least_slots(instance))
    assert optimum is not None
    assert work.theta <= least.theta <= optimum


@pytest.mark.parametrize("name", ["hand-contend", "small-06x3", "small-08x4"])
def test_a_schedule_is_a_point_with_loads_up_to_its_makespan(name: str) -> None:
    instance = load(name)
    schedule = gang_lpt.run(instance, Request()).schedule
    model = load_limit.build(instance)
    matrix = matrix_of(model)
    load_limit.write(model, schedule)
    point, makespan = point_of(model, matrix), check(instance, schedule).makespan
    assert makespan is not None
    assert checker_of(matrix).violation(point) < 1e-9
    assert 0 < checker_of(matrix).value(point) <= makespan


@pytest.mark.parametrize("name", ["hand-contend", "small-06x3", "small-06x3-release"])
def test_an_assignment_becomes_a_legal_schedule(name: str) -> None:
    instance = load(name)
    model = load_limit.build(instance)
    matrix = matrix_of(model)
    solution = solve(matrix)
    assert solution.point is not None
    set_point(model, matrix, solution.point)
    verdict = check(instance, load_limit.read(model))
    assert verdict.valid
    assert solution.value is not None
    assert verdict.makespan is not None
    assert verdict.makespan >= solution.value - 1e-6


def test_a_limit_below_the_least_leaves_no_point() -> None:
    instance = load("small-06x3")
    theta = load_limit.bisect(instance).theta
    assert solve(twin(instance, theta)).status is SolutionStatus.OPTIMAL
    assert solve(twin(instance, theta - Fraction(1, 100))).status is SolutionStatus.INFEASIBLE


def test_a_capped_bisection_says_what_is_not_refuted() -> None:
    found = load_limit.bisect(load("small-10x4"), caps=Caps(time_s=0))
    assert found.least <= found.theta
    assert found.gpus.keys() == data_of(load("small-10x4")).tasks.keys()
    assert found.least > 0


def test_jobs_in_turn_start_as_soon_as_their_gpus_are_free() -> None:
    data = data_of(load("hand-contend"))
    beside = {"a": {"s0": 3, "s1": 1}, "b": {"s1": 2, "s2": 2}}
    assert starts_in_turn(data, beside) == {"a": 0, "b": 0}
    behind = {"b": {"s0": 3, "s1": 1}, "a": {"s0": 2, "s1": 2}}
    assert starts_in_turn(data, behind) == {"b": 0, "a": data.tasks["b"].least}


def test_rings_at_a_standstill_are_not_waited_for() -> None:
    instance = load("hand-contend-floor")
    third = replace(instance.jobs[0], name="c", gpus=8)
    data = data_of(replace(instance, jobs=(*instance.jobs, third)))
    rings = {"a": {"s0": 3, "s1": 1}, "b": {"s1": 2, "s2": 2}, "c": dict(data.sizes)}
    assert starts_in_turn(data, rings) == {"a": 0, "b": 0, "c": 1}
