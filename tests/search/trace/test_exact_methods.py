"""Exact methods agree with each other, with the judge, and with every placement tried."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from little import few
from trace_optimum import cluster, job, optimum, tiny

from ringyard.analysis.check import check
from ringyard.formulations.trace import demand as counted
from ringyard.instances import (
    BoundKind,
    Limits,
    Outcome,
    RackLinks,
    SolutionStatus,
    TerminationReason,
    TraceInstance,
    Width,
    load_instance,
)
from ringyard.instances.catalogue import load
from ringyard.policies.request import ProgramOptions, Request
from ringyard.run import solve
from ringyard.search.trace import programs, state_search

CASES = Path(__file__).parents[2] / "cases"

SEEDS = [seed for seed in range(40) if seed not in (13, 23)]
COUNTED = [seed for seed in SEEDS if counted.refuses(tiny(seed)) is None]
PROGRAM = ProgramOptions("tickwise", "highs")


def searched(instance: TraceInstance, limits: Limits | None = None) -> Outcome:
    return state_search.run(
        instance, Request(limits=limits or Limits(), options=state_search.Options())
    )


def programmed(instance: TraceInstance, limits: Limits | None = None) -> Outcome:
    return programs.run(instance, Request(limits=limits or Limits(), options=PROGRAM))


def confirmed(instance: TraceInstance, outcome: Outcome) -> Fraction:
    """Return the value of an optimal outcome, if the judge says the same."""
    verdict = check(instance, outcome.schedule)
    assert verdict.valid, verdict.violations
    assert verdict.objective == outcome.value == outcome.bound.value
    assert outcome.status is SolutionStatus.OPTIMAL
    return verdict.objective


@pytest.mark.parametrize("seed", few(12, SEEDS))
def test_the_search_finds_the_optimum(seed: int) -> None:
    assert confirmed(tiny(seed), searched(tiny(seed))) == optimum(tiny(seed))


@pytest.mark.parametrize("seed", COUNTED)
def test_the_program_finds_the_optimum(seed: int) -> None:
    assert confirmed(tiny(seed), programmed(tiny(seed))) == optimum(tiny(seed))


@pytest.mark.parametrize("run", [searched, programmed])
@pytest.mark.parametrize("restart", [0, 1, 3])
def test_the_worked_example_has_the_optimum_of_the_table(
    run: Callable[[TraceInstance], Outcome], restart: int
) -> None:
    """J2 never runs beside another, so the shortest go first: 2, 8 and 16; nobody is stopped."""
    instance = replace(load("tiresias-example"), restart_s=Decimal(restart))
    assert confirmed(instance, run(instance)) == Fraction(26, 3)


@pytest.mark.parametrize("run", [searched, programmed])
def test_stopping_pays_until_it_costs_something(run: Callable[[TraceInstance], Outcome]) -> None:
    """The longer job ends at 7 if it is stopped; it had better not begin before 3 if that costs."""
    instance = cluster([job("a", 2, 5), job("b", 2, 2, arrival=1)], 2)
    ends = [run(replace(instance, restart_s=Decimal(cost))).value for cost in (0, 1, 2, 3)]
    assert ends == [Fraction(total, 2) for total in (7 + 2, 8 + 2, 8 + 2, 8 + 2)]


@pytest.mark.parametrize("run", [searched, programmed])
def test_a_tick_of_ten_seconds(run: Callable[[TraceInstance], Outcome]) -> None:
    jobs = [job("a", 1, 20), job("b", 1, 10, arrival=10)]
    instance = cluster(jobs, 1, tick_s=Decimal(10))
    assert confirmed(instance, run(instance)) == Fraction(20 + 20, 2)


def test_seeds_show_both_kinds_of_instance() -> None:
    assert 10 < len(COUNTED) < len(SEEDS) - 10


def test_moving_for_nothing_lets_divisible_jobs_be_counted() -> None:
    """Were b fixed where it is, c would have to cross servers, or wait."""
    slow = {"communication": Decimal(4)}
    jobs = [
        job("a", 1, 2),
        job("b", 1, 4),
        job("c", 2, 2, arrival=2, **slow),
        job("d", 2, 3),
        job("e", 4, 1, arrival=5, **slow),
    ]
    instance = cluster(jobs, 2, 2)
    assert counted.refuses(instance) is None
    assert confirmed(instance, programmed(instance)) == confirmed(instance, searched(instance))


def test_out_of_time_there_is_a_schedule_and_a_bound() -> None:
    instance = cluster([job(str(i), 1 + i % 3, 4 + 3 * i % 7, arrival=i) for i in range(8)], 4)
    for run in (searched, programmed):
        outcome = run(instance, Limits(time_s=0))
        assert (outcome.termination, outcome.status) == (
            TerminationReason.TIME_LIMIT,
            SolutionStatus.FEASIBLE,
        )
        assert outcome.bound.value < outcome.value == check(instance, outcome.schedule).objective


def test_the_search_stops_when_it_knows_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_search, "MOST_STATES", 5)
    outcome = searched(cluster([job(str(i), 1 + i % 2, 3 + i) for i in range(5)], 2))
    assert (outcome.termination, outcome.bound.kind) == (
        TerminationReason.WORK_LIMIT,
        BoundKind.SEARCHED,
    )
    assert outcome.bound.value < outcome.value


def test_what_is_too_large_is_refused() -> None:
    many = cluster([job(str(i), 1, 1) for i in range(13)], 2)
    assert "at most 12 jobs" in str(state_search.refuses(many))
    long = cluster([job(str(i), 2, 900) for i in range(3)], 2)
    assert "Lengthen tick_s" in str(programs.refuses(long, PROGRAM))
    wide = cluster([job(name, 5, 3, communication=Decimal(1)) for name in "abc"], *[2] * 6)
    assert "places" in str(state_search.refuses(wide))


def test_links_between_racks_are_not_searched() -> None:
    crossing = job("a", 3, 2, communication=Decimal(1))
    instance = cluster([crossing, job("b", 1, 2)], 2, 2, contention=RackLinks())
    assert "share rack links" in str(state_search.refuses(instance))


@pytest.mark.parametrize(
    ("jobs", "gpus", "more", "said"),
    [
        ([job("a", 2, 1, communication=Decimal(1))], (2, 1), {}, "slower across servers"),
        ([job("a", 1, 1, packed_speed=Decimal("0.5"))], (1, 1), {}, "may share GPUs"),
        (
            [job("a", 1, 1, speeds=(Width(gpus=2, speed=Decimal(2)),))],
            (2,),
            {"restart_s": Decimal(1)},
            "restarts are charged",
        ),
        ([job("a", 1, 1)], (1, 1), {"restart_s": Decimal(1), "resume_s": Decimal(0)}, "costs less"),
    ],
)
def test_where_places_matter_the_program_refuses(
    jobs: list[object], gpus: tuple[int, ...], more: dict[str, Decimal], said: str
) -> None:
    instance = cluster(jobs, *gpus, **more)
    assert said in str(programs.refuses(instance, PROGRAM))
    assert state_search.refuses(instance) is None


def test_the_default_proves_a_tiny_trace_that_the_search_proves() -> None:
    instance = load_instance(CASES / "trace-tiny-with-a-ring-across-servers.json")
    assert solve(instance).status == "optimal"


def test_choices_in_one_tick_are_counted_and_what_is_proved_by_then_is_kept() -> None:
    instance = tiny(3)
    best = optimum(instance)
    for choices in range(1, 60, 7):
        asked = Request(options=state_search.Options(choices=choices))
        outcome = state_search.run(instance, asked)
        assert outcome.termination in (TerminationReason.WORK_LIMIT, TerminationReason.DONE)
        assert outcome.bound is not None
        assert outcome.bound.value <= best <= check(instance, outcome.schedule).objective


def test_a_time_limit_holds_within_one_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[float]()
    monkeypatch.setattr(Limits, "over", lambda _: asked.append(0.0) or len(asked) > 1)
    search = state_search.Search(load("tiny-trace-08x3"))
    assert search.go(10**6, Limits(time_s=1.0)) is TerminationReason.TIME_LIMIT
    assert search.tried <= 1
