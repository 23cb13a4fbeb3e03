"""Local search: never worse than its start, reproducible, and within its limits."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import (
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import entries, load
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.makespan.baselines import LIST_SCHEDULING
from ringyard.policies.request import Request
from ringyard.search.makespan.annealing.local_search import Options, improve, run
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.simulation.makespan.evaluate import refusal

RINGS = {name: entry for name, entry in entries().items() if entry.kind == "makespan"}
TINY = [name for name, entry in RINGS.items() if entry.family in ("hand", "small")]


def makespan(instance: MakespanInstance, schedule: Schedule) -> Fraction:
    verdict = check(instance, schedule)
    assert verdict.valid
    return verdict.makespan


def search(name: str, work: int, seed: int = 0, threads: int = 1) -> Outcome:
    return improve(load(name), Limits(threads=threads), default_rng(seed), work=work)


@settings(max_examples=15)
@given(makespan_instances(max_jobs=8), st.sampled_from([1, 10, 300]))
def test_it_is_valid_and_no_worse_than_its_start(instance: MakespanInstance, work: int) -> None:
    assume(refusal(instance) is None)
    start = gang_lpt.run(instance, Request()).schedule
    assume(start is not None)
    found = improve(instance, Limits(), default_rng(0), start=start, work=work)
    assert makespan(instance, found.schedule) <= makespan(instance, start)
    assert makespan(instance, found.schedule) >= best_bound(instance).value


@pytest.mark.parametrize("name", TINY)
def test_it_reaches_the_best_on_record(name: str) -> None:
    instance = load(name)
    written = Fraction(1, 10**6) if instance.progress == "continuous" else 0  # digits of a start
    best = min(known.value for known in entries()[name].upper) + written
    found = improve(instance, Limits(), default_rng(0), target=best, work=30_000)
    assert makespan(instance, found.schedule) <= best
    assert found.termination is TerminationReason.DONE


@pytest.mark.parametrize("threads", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_the_same_work_gives_the_same_schedule(threads: int) -> None:
    once, again = (search("knot-cheap-s0", 500, threads=threads) for _ in range(2))
    assert once.schedule == again.schedule
    assert once.schedule != search("knot-cheap-s0", 500, seed=1, threads=threads).schedule


@pytest.mark.parametrize("threads", [1, 2])
def test_work_is_counted(threads: int) -> None:
    found = search("mobihoc-20-s1", 2000, threads=threads)
    assert found.nodes == 2000
    assert found.termination is TerminationReason.WORK_LIMIT


def test_more_work_is_no_worse() -> None:
    instance = load("tight-full-s1")
    values = [makespan(instance, search("tight-full-s1", w).schedule) for w in (1, 100, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2]


def test_it_stops_at_the_target() -> None:
    found = improve(load("knot-half-s0"), Limits(), default_rng(0), target=1000, work=10_000)
    assert found.termination is TerminationReason.DONE
    assert found.nodes is not None
    assert found.nodes < 100


def test_a_start_that_meets_the_target_is_kept_as_it_is() -> None:
    instance = load("knot-full-s0")
    start = search("knot-full-s0", 50).schedule
    found = improve(
        instance, Limits(), default_rng(0), start=start, target=makespan(instance, start), work=10
    )
    assert found.termination is TerminationReason.DONE
    assert found.schedule == start


def test_a_poor_start_is_left_behind() -> None:
    instance = load("mobihoc-20-s1")
    start = LIST_SCHEDULING.run(instance, Request(options=LIST_SCHEDULING.Options())).schedule
    found = improve(instance, Limits(), default_rng(0), start=start, work=500)
    assert makespan(instance, found.schedule) < makespan(instance, start)


def test_a_search_goes_on_where_it_stopped() -> None:
    instance = load("knot-half-s0")
    start = search("knot-half-s0", 2000).schedule
    found = improve(instance, Limits(), default_rng(7), start=start, work=2000)
    assert makespan(instance, found.schedule) <= makespan(instance, start)


def test_no_time_is_enough_for_a_schedule() -> None:
    instance = load("knot-full-s0")
    found = run(instance, Request(limits=Limits(time_s=0.0), options=Options()))
    assert found.termination is TerminationReason.TIME_LIMIT
    assert makespan(instance, found.schedule) < 2000


def test_quiet_rings_are_found_at_once() -> None:
    instance = load("knot-full-s0")
    packed = makespan(instance, gang_lpt.run(instance, Request()).schedule)
    found = run(instance, Request(options=Options(work=100)))
    assert makespan(instance, found.schedule) < Fraction(4, 5) * packed


def test_an_interrupt_leaves_the_best_told() -> None:
    told: list[Incumbent] = []

    def watch(incumbent: Incumbent) -> None:
        told.append(incumbent)
        if len(told) == 3:
            raise KeyboardInterrupt

    instance = load("knot-cheap-s1")
    with pytest.raises(KeyboardInterrupt):
        improve(instance, Limits(watch=watch), default_rng(0))
    values = [incumbent.value for incumbent in told]
    assert values == sorted(values, reverse=True)
    assert makespan(instance, told[-1].schedule) == values[-1]


def test_a_standstill_is_said() -> None:
    instance = load("hand-contend-floor")
    found = improve(instance, Limits(), default_rng(0), work=200)
    assert found.status is SolutionStatus.FEASIBLE
    assert makespan(instance, found.schedule) == 8


def test_it_ends_soon_after_the_target_is_met() -> None:
    instance = load("hand-theorem5")
    found = improve(instance, Limits(), default_rng(0), target=6, work=2_000)
    assert found.termination is TerminationReason.DONE
    assert makespan(instance, found.schedule) == 6
    assert found.nodes is not None
    assert found.nodes < 500
