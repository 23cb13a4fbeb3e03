"""The portfolio: optima on record, never worse than its first phase, stops when it says."""

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import ModuleType

import pytest
from hypothesis import assume, given, settings
from little import little_work
from numpy.random import default_rng
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import Bound, Glimpse, Left, Limits, MakespanInstance, Outcome, Stop
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import generate
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.request import Request, usual
from ringyard.run import solve
from ringyard.search.makespan import local_search, nested, portfolio
from ringyard.search.makespan.bounds import best_bound
from ringyard.simulation.makespan.extremes import refusal

CLOSED = {
    name: min(known.value for known in entry.upper)
    for name, entry in entries().items()
    if entry.family in ("hand", "small")
    and entry.kind == "makespan"
    and load(name).progress != "continuous"
    and len(load(name).jobs) <= 14
}


def run(instance: MakespanInstance, limits: Limits | None = None, seed: int = 0) -> Outcome:
    return portfolio.run(instance, Request(limits=limits or Limits(), rng=default_rng(seed)))


def makespan(instance: MakespanInstance, outcome: Outcome) -> Fraction:
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    assert verdict.makespan is not None
    return verdict.makespan


@pytest.fixture
def little() -> Iterator[None]:
    with little_work():
        yield


@pytest.mark.parametrize("name", CLOSED)
def test_it_proves_the_optimum_on_record(name: str) -> None:
    instance = load(name)
    outcome = run(instance)
    assert (outcome.left, outcome.stop) == (Left.OPTIMAL, Stop.DONE)
    assert makespan(instance, outcome) == outcome.bound.value == CLOSED[name]


def test_it_proves_an_optimum_in_continuous_time() -> None:
    answer = solve(load("small-06x3-continuous"))
    assert answer.status == "optimal"


@settings(max_examples=15)
@given(makespan_instances(max_jobs=3))
def test_it_is_valid_and_no_worse_than_its_first_phase(instance: MakespanInstance) -> None:
    assume(refusal(instance) is None)
    first = gang_lpt.run(instance, Request())
    assume(first.schedule is not None)
    outcome = run(instance)
    assert best_bound(instance).value <= makespan(instance, outcome) <= makespan(instance, first)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("family", ["tight", "knot"])
def test_the_same_seed_gives_the_same_schedule(family: str) -> None:
    instance = generate(family, seed=1, jobs=30, servers=8)
    once, again, other = (run(instance, seed=seed) for seed in (7, 7, 8))
    assert once.schedule == again.schedule
    assert once.schedule != other.schedule


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(("family", "phase"), [("tight", nested), ("knot", local_search)])
def test_later_phases_improve_on_the_first(
    family: str, phase: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_search, "MOST_TRIED", 2_000)
    instance = generate(family, seed=1, jobs=30, servers=8)
    first = gang_lpt.run(instance, Request())
    alone = phase.run(instance, Request(options=usual(phase)))
    assert makespan(instance, alone) < makespan(instance, first)
    assert makespan(instance, run(instance)) <= makespan(instance, alone)


def test_no_time_is_enough_for_a_schedule() -> None:
    instance = load("knot-half-s0")
    outcome = run(instance, Limits(time_s=0.0))
    assert (outcome.left, outcome.stop) == (Left.FEASIBLE, Stop.TIME_LIMIT)
    assert makespan(instance, outcome) >= outcome.bound.value


def test_time_that_bounds_use_up_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    at = [100.0]

    def slowly(instance: MakespanInstance, limits: Limits, until: Fraction | None) -> Bound:
        del limits, until
        at[0] += 20.0
        return best_bound(instance)

    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(portfolio, "strong_bound", slowly)
    outcome = run(load("knot-half-s0"), Limits(time_s=10.0))
    assert (outcome.left, outcome.stop) == (Left.FEASIBLE, Stop.TIME_LIMIT)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("family", ["tight", "knot"])
def test_glimpses_get_better_and_end_at_the_answer(family: str) -> None:
    instance = generate(family, seed=1, jobs=14, servers=4)
    told: list[Glimpse] = []
    outcome = run(instance, Limits(watch=told.append))
    values = [glimpse.value for glimpse in told]
    assert len(values) > 1
    assert all(later < sooner for sooner, later in pairwise(values))
    assert [check(instance, glimpse.schedule).makespan for glimpse in told] == values
    assert {glimpse.schedule.method for glimpse in told} == {"portfolio"}
    assert told[-1].schedule == outcome.schedule


@pytest.mark.parametrize("name", ["hand-contend-degraded", "small-05x3"])
def test_a_horizon_that_is_too_short_is_proved_so(name: str) -> None:
    instance, best = load(name), int(CLOSED[name])
    assert solve(instance, horizon=best).objective == best
    none = solve(instance, horizon=best - 1)
    assert (none.status, none.schedule) == ("infeasible", None)
    assert solve(instance, horizon=1).status == "infeasible"


def test_jobs_that_stand_still_beside_others_are_kept_apart() -> None:
    """Where rings meet no iteration fits a slot, so gang LPT runs one after the other."""
    instance = load("hand-contend-floor")
    assert makespan(instance, gang_lpt.run(instance, Request())) == 8
    assert makespan(instance, run(instance)) == 8


def test_it_is_the_default() -> None:
    instance = load("hand-contend")
    assert solve(instance).method.name == portfolio.METHOD
    assert solve(replace(instance, name="another")).schedule.method == portfolio.METHOD


def test_what_a_few_nodes_refute_is_not_searched() -> None:
    """The schedule of the list scheduler is best there, which no bound by counting proves."""
    outcome = run(load("hand-spread"))
    assert outcome.left is Left.OPTIMAL
    assert outcome.nodes is not None
    assert outcome.nodes <= portfolio.REFUTED
