"""The bound by loads: by hand, beside sets listed one by one, and what it may leave out."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from search.small_instances import jobs_on, slotted_instances

from ringyard.formulations.makespan.data import serial_horizon
from ringyard.instances import Limits, MakespanInstance
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import (
    TimedJob,
    best_bound,
    combinatorial_bounds,
    tasks_of,
)
from ringyard.search.makespan.bounds.load import ItemKind, Knapsack, load_bound
from ringyard.search.makespan.bounds.slow_bounds import best_slow_bound
from ringyard.search.makespan.exact.enumeration import enumerate_best


def loads(instance: MakespanInstance, **options: Any) -> Fraction:
    bound = load_bound(instance, Limits(), **options)
    assert bound is not None
    return bound.value


def fits(tasks: tuple[TimedJob, ...], horizon: int) -> bool:
    """Return True if one GPU can do the jobs, one after the other, by the horizon."""
    end = Fraction(0)
    for task in sorted(tasks, key=lambda task: task.release):
        end = max(end, task.release) + task.slots
    return end <= horizon


def is_enough(tasks: list[TimedJob], gpus: int, horizon: int) -> bool:
    """Return True if parts of sets, all of them listed, give every job its GPUs."""
    sets = [
        one
        for size in range(1, len(tasks) + 1)
        for one in combinations(tasks, size)
        if fits(one, horizon)
    ]
    if any(not fits((task,), horizon) for task in tasks):
        return False
    held = np.array([[-(task in one) for one in sets] for task in tasks], float)
    found = linprog(np.ones(len(sets)), A_ub=held, b_ub=[-task.gpus for task in tasks])
    assert found.status == 0
    return bool(found.fun <= gpus + 1e-6)


@given(slotted_instances(max_jobs=4, max_servers=3, max_gpus=3))
def test_no_horizon_is_skipped_and_none_is_refuted_that_can_hold(
    instance: MakespanInstance,
) -> None:
    """It is at least the first horizon at which parts of sets are enough."""
    gpus = sum(server.gpus for server in instance.cluster.servers)
    tasks = tasks_of(instance)
    simple = {b.name: b.value for b in combinatorial_bounds(instance)}
    first = int(max(simple["area"], simple["longest job"]))
    while not is_enough(tasks, gpus, first):
        first += 1
    assert loads(instance) >= first
    assume(serial_horizon(instance) <= 60)
    optimum = enumerate_best(instance, Limits()).value
    assert optimum is not None
    assert loads(instance) <= optimum


@given(st.data())
def test_the_dearest_set_is_that_of_trying_all(data: st.DataObject) -> None:
    few = st.integers(1, 4)
    kinds = sorted(
        ItemKind(data.draw(st.integers(0, 6)), data.draw(st.integers(1, 6)), 1, data.draw(few))
        for _ in range(data.draw(few))
    )
    prices = np.array([data.draw(st.integers(0, 9)) for _ in kinds])
    end = data.draw(st.integers(max(kind.release + kind.slots for kind in kinds), 20))
    single = [
        (TimedJob(str(k), 1, Fraction(kind.slots), Fraction(kind.release)), int(prices[k]))
        for k, kind in enumerate(kinds)
        for _ in range(kind.jobs)
    ]
    best = max(
        sum(price for _, price in one)
        for size in range(len(single) + 1)
        for one in combinations(single, size)
        if fits(tuple(task for task, _ in one), end)
    )
    table = Knapsack(kinds, end)
    worth, chosen, jobs = table.dearest(prices, end)
    assert worth == best == table.most(prices)[-1]
    assert all(jobs[i] <= kinds[k].jobs for i, k in enumerate(chosen))
    picked = [TimedJob("", 1, Fraction(kinds[k].slots), Fraction(kinds[k].release)) for k in chosen]
    assert fits(tuple(t for t, n in zip(picked, jobs, strict=True) for _ in range(n)), end)
    coarse = Knapsack(kinds, end, cells=12)
    assert coarse.most(prices)[end // coarse.grain] >= best


def test_jobs_that_leave_too_little_for_each_other() -> None:
    """Three GPUs, four jobs of 3 slots: 12 GPU-slots in 4 slots, but two jobs on a GPU need 6."""
    instance = jobs_on(3, *[(1, 3, 0)] * 4)
    assert best_bound(instance).value == 4
    assert loads(instance) == 6


@pytest.mark.slow
@pytest.mark.parametrize("slots", [2**62, 2**63, 10**25])
def test_slots_may_be_more_than_64_bits_count(slots: int) -> None:
    """Three jobs on two GPUs: one does two of them, where area is half as much less."""
    found = loads(jobs_on(2, *[(1, slots, 0)] * 3))
    assert slots * Fraction(3, 2) <= found <= 2 * slots
    assert found > slots * Fraction(19, 10)


def test_places_and_lengths_together() -> None:
    """Two of five jobs of 2 GPUs and 3 slots run side by side on 5 GPUs: 3 turns of 3 slots.

    Two places for 15 slots are 8, and ten pieces of 3 slots on 5 GPUs are 6.
    """
    instance = jobs_on(5, *[(2, 3, 0)] * 5)
    assert {b.name: b.value for b in combinatorial_bounds(instance)}["exclusion"] == 8
    assert loads(instance) == 9


def test_releases_cut_sets_short() -> None:
    """From slot 4 on a GPU does one job of 3 by slot 8; three are released then for two GPUs."""
    instance = jobs_on(2, *[(1, 3, 4)] * 3)
    assert best_bound(instance).value == 9
    assert loads(instance) == 10


@pytest.mark.parametrize(
    ("name", "optimum"),
    [("small-04x2", 11), ("small-06x3", 12), ("small-06x3-release", 13), ("small-08x4", 12)],
)
def test_the_bound_is_the_optimum_where_area_is_far_below(name: str, optimum: int) -> None:
    instance = load(name)
    assert loads(instance) == optimum > best_bound(instance).value
    assert best_slow_bound(instance, Limits()).name == "loads"


@pytest.mark.parametrize(("name", "value"), [("mobihoc-20-s1", 390), ("mobihoc-15-s0", 436)])
def test_at_the_scale_of_the_paper_it_exceeds_the_area(name: str, value: int) -> None:
    assert loads(load(name)) == value > best_bound(load(name)).value


def test_fractions_of_sets_can_be_fewer_than_whole_ones() -> None:
    assert loads(load("small-06x3-fluid")) == 12


def test_no_more_is_proved_than_asked_for() -> None:
    instance = load("mobihoc-20-s1")
    assert best_bound(instance).value == 356
    assert loads(instance, until=Fraction(350)) == 356
    assert 356 < loads(instance, until=Fraction(357)) < 390


def test_without_time_the_bound_is_that_of_the_longest_job_or_the_area() -> None:
    instance = load("small-06x3")
    bound = load_bound(instance, Limits(time_s=0))
    assert bound is not None
    assert bound.value == best_bound(instance).value == 9


def test_continuous_time_has_no_such_bound() -> None:
    assert load_bound(load("small-06x3-continuous"), Limits()) is None
