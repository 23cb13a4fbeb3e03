"""The portfolio: optima on record, never worse than its first phase, stops when it says."""

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import ModuleType
from typing import get_args

import pytest
from hypothesis import assume, given, settings
from little import little_work
from numpy.random import default_rng
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import (
    Bound,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import generate
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.request import Request, usual
from ringyard.run import solve
from ringyard.search.makespan import portfolio
from ringyard.search.makespan.annealing import local_search, nested
from ringyard.search.makespan.annealing.block_moves import HEAT_BATH, MOVES, PARTS, move_odds
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.bounds.slow_bounds import OPTIONAL, slow_bounds
from ringyard.simulation.makespan.evaluate import refusal

CLOSED = {
    name: min(known.value for known in entry.upper)
    for name, entry in entries().items()
    if entry.family in ("hand", "small")
    and entry.kind == "makespan"
    and load(name).progress != "continuous"
    and len(load(name).jobs) <= 14
}


def run(
    instance: MakespanInstance,
    limits: Limits | None = None,
    seed: int = 0,
    without: portfolio.PortfolioPart | None = None,
) -> Outcome:
    asked = Request(
        limits=limits or Limits(), rng=default_rng(seed), options=portfolio.Options(without=without)
    )
    return portfolio.run(instance, asked)


def makespan(instance: MakespanInstance, outcome: Outcome) -> Fraction:
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    assert verdict.makespan is not None
    return verdict.makespan


def test_a_list_schedule_that_meets_a_bound_is_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On servers with a GPU for each worker, all jobs start at once."""
    drawn = generate("mobihoc", seed=0, jobs=portfolio.FEW + 1, servers=4)
    jobs = tuple(replace(job, gpus=1) for job in drawn.jobs)
    servers = tuple(replace(one, gpus=len(jobs)) for one in drawn.cluster.servers)
    easy = replace(drawn, jobs=jobs, cluster=replace(drawn.cluster, servers=servers))
    monkeypatch.setattr(nested, "improve", None)
    monkeypatch.setattr(local_search, "improve", None)
    outcome = run(easy)
    assert outcome.status is SolutionStatus.OPTIMAL
    assert makespan(easy, outcome) == best_bound(easy).value


@pytest.fixture
def little() -> Iterator[None]:
    with little_work():
        yield


@pytest.mark.parametrize("name", CLOSED)
def test_it_proves_the_optimum_on_record(name: str) -> None:
    instance = load(name)
    outcome = run(instance)
    assert (outcome.status, outcome.termination) == (SolutionStatus.OPTIMAL, TerminationReason.DONE)
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
@pytest.mark.parametrize(
    ("family", "phase"),
    [("tight", nested), pytest.param("knot", local_search, marks=pytest.mark.slow)],
)
def test_later_phases_improve_on_the_first(
    family: str, phase: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_search, "MOST_TRIED", 2_000)
    instance = generate(family, seed=1, jobs=30, servers=8)
    first = gang_lpt.run(instance, Request())
    alone = phase.run(instance, Request(options=usual(phase)))
    gained = makespan(instance, first) - makespan(instance, alone)
    assert gained > 0
    # The default has other random numbers, by which it may end a slot or two above the phase alone.
    assert makespan(instance, first) - makespan(instance, run(instance)) >= 0.98 * gained


def test_no_time_is_enough_for_a_schedule() -> None:
    instance = load("knot-half-s0")
    outcome = run(instance, Limits(time_s=0.0))
    assert (outcome.status, outcome.termination) == (
        SolutionStatus.FEASIBLE,
        TerminationReason.TIME_LIMIT,
    )
    assert makespan(instance, outcome) >= outcome.bound.value


def test_time_that_bounds_use_up_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    at = [100.0]

    def slowly(instance: MakespanInstance, *_: object) -> Bound:
        at[0] += 20.0
        return best_bound(instance)

    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(portfolio, "best_slow_bound", slowly)
    outcome = run(load("knot-half-s0"), Limits(time_s=10.0))
    assert (outcome.status, outcome.termination) == (
        SolutionStatus.FEASIBLE,
        TerminationReason.TIME_LIMIT,
    )


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("family", ["tight", pytest.param("knot", marks=pytest.mark.slow)])
def test_glimpses_get_better_and_end_at_the_answer(family: str) -> None:
    instance = generate(family, seed=1, jobs=14, servers=4)
    told: list[Incumbent] = []
    outcome = run(instance, Limits(watch=told.append))
    values = [incumbent.value for incumbent in told]
    assert len(values) > 1
    assert all(later < sooner for sooner, later in pairwise(values))
    assert [check(instance, incumbent.schedule).makespan for incumbent in told] == values
    assert {incumbent.schedule.method for incumbent in told} == {"portfolio"}
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
    assert outcome.status is SolutionStatus.OPTIMAL
    assert outcome.nodes is not None
    assert outcome.nodes <= portfolio.REFUTED


def test_a_short_search_before_the_bounds_stops_at_one_by_counting() -> None:
    instance = load("hand-lpt")
    best = solve(instance).schedule
    asked = Request(limits=Limits(), rng=default_rng(0), options=portfolio.Options(), start=best)
    known = portfolio._Known(instance, asked, asked.rng)
    outcome = portfolio._search(known, asked.rng, work=portfolio.GLANCED)
    assert makespan(instance, outcome) == best_bound(instance).value
    assert outcome.nodes == 1


@pytest.mark.parametrize("name", ["hand-exclusion", "hand-contend", "small-08x4"])
def test_its_parts_that_can_be_left_out_are_those_that_it_has(name: str) -> None:
    parts = {part for part, _ in portfolio._phases(load(name))}
    assert parts <= {*get_args(portfolio.PortfolioPart)}
    named = {part.replace(" ", "-") for part in OPTIONAL} | {*MOVES}
    assert named <= {*get_args(portfolio.PortfolioPart)}


def test_a_bound_that_is_left_out_proves_nothing() -> None:
    instance = load("hand-exclusion")
    with_all, without = (
        slow_bounds(instance, Limits()),
        slow_bounds(instance, Limits(), None, "exclusion"),
    )
    assert with_all.best.name == "exclusion"
    assert "exclusion" not in {bound.name for bound in [without.first, *without.found]}
    for name in ("loads", "server configurations"):
        left = slow_bounds(instance, Limits(), None, name)
        assert {one.name for one in with_all.found} - {one.name for one in left.found} == {name}


def test_a_phase_that_is_left_out_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*_: object, **__: object) -> Outcome:
        raise AssertionError("a phase that was left out was asked")

    instance = load("tight-full-s0")
    monkeypatch.setattr(nested, "improve", called)
    with pytest.raises(AssertionError):
        run(instance)
    monkeypatch.setattr(local_search, "MOST_TRIED", 1)
    monkeypatch.setattr(portfolio, "_dive", portfolio._search)
    assert run(instance, without="nested").schedule is not None


@pytest.mark.parametrize("without", MOVES)
def test_a_move_that_is_left_out_is_never_made(without: str) -> None:
    odds = move_odds(without)
    ends = (0.0, odds.trade_all, odds.trade_some, odds.move, 1.0)
    made = {name for name, (low, high) in zip(PARTS, pairwise(ends), strict=True) if low < high}
    assert made | ({HEAT_BATH} if odds.share_every else set()) == {*MOVES} - {without}


def test_all_moves_have_the_odds_of_the_page() -> None:
    assert move_odds() == (0.3, 0.6, 0.7, 12)


@pytest.mark.slow
@pytest.mark.usefixtures("little")
def test_a_list_schedule_alone_is_no_proof() -> None:
    """Where all that could improve it is left out, `done` would say that it is optimal."""
    instance = load("knot-half-s0")
    outcome = run(instance, without="local-search")
    assert outcome.termination is TerminationReason.WORK_LIMIT
    assert makespan(instance, outcome) > outcome.bound.value
