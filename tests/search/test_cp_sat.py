"""CP-SAT against enumeration; its proofs, its limits, and the process it runs in."""

import os
import signal
from dataclasses import replace
from decimal import Decimal
from threading import Thread
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from numpy.random import default_rng
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import (
    BoundKind,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import best_schedule, entries, load
from ringyard.instances.makespan import Overhead
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.exact import cp_child, cp_sat
from ringyard.search.makespan.exact.cp_model import CpQuestion, search_twice
from ringyard.search.makespan.exact.cp_sat import refuses, run
from ringyard.search.makespan.exact.enumeration import enumerate_best

RNG = default_rng(0)
RINGS = [n for n, e in entries().items() if e.kind == "makespan" and e.family == "hand"]
HAND = [name for name in RINGS if refuses(load(name)) is None]


def assert_same_as_enumeration(instance: MakespanInstance) -> None:
    """Hold value, bound and schedule against those of enumeration."""
    outcome, other = run(instance, Request(rng=RNG)), enumerate_best(instance, Limits())
    assert outcome.status is SolutionStatus.OPTIMAL
    assert outcome.value == outcome.bound.value == other.value
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    assert verdict.makespan == outcome.value


@pytest.mark.parametrize("progress", ["floor", "fractional"])
@pytest.mark.parametrize("overhead", get_args(Overhead))
@pytest.mark.parametrize("contention", ["server_uplink", "fluid"])
def test_all_options_have_the_enumerated_optimum(
    progress: str, overhead: str, contention: str
) -> None:
    options = {"progress": progress, "overhead": overhead, "contention": contention}
    compared = []

    @settings(max_examples=12)
    @given(makespan_instances(max_servers=3, max_gpus=3, max_jobs=4, **options))
    def compare(instance: MakespanInstance) -> None:
        assume(best_bound(instance).value <= 20)
        assert_same_as_enumeration(instance)
        compared.append(instance)

    compare()
    assert len(compared) >= 6


@pytest.mark.parametrize("name", HAND)
def test_instances_made_by_hand_have_the_optimum_on_record(name: str) -> None:
    outcome = run(load(name), Request(rng=RNG))
    assert outcome.status is SolutionStatus.OPTIMAL
    assert outcome.value == best_schedule(name).makespan


@pytest.mark.parametrize("name", ["small-08x3", "small-10x4", "small-10x5"])
def test_contended_instances_are_proved(name: str) -> None:
    instance = load(name)
    outcome = run(instance, Request(rng=RNG))
    assert check(instance, outcome.schedule).makespan == outcome.value
    assert outcome.status is SolutionStatus.OPTIMAL
    assert outcome.bound.kind is BoundKind.SEARCHED
    assert outcome.bound.value > best_bound(instance).value


@pytest.mark.parametrize("gpus", [2, 3])
def test_equal_jobs_on_equal_servers(gpus: int) -> None:
    instance = load("small-06x3")
    jobs = tuple(replace(instance.jobs[k % 2], name=f"j{k}", gpus=gpus) for k in range(5))
    assert_same_as_enumeration(replace(instance, jobs=jobs))


def before(upper: int, instance: MakespanInstance, **limits: Any) -> Outcome:
    """Ask for schedules that end before a slot."""
    return run(instance, Request(limits=Limits(horizon=upper - 1, **limits), rng=RNG))


def test_what_is_lost_by_rounding_is_cut_off_again() -> None:
    instance = load("hand-contend")
    slower = Decimal("1e-8")
    jobs = tuple(
        replace(job, iterations=5, backward_s=job.backward_s + slower) for job in instance.jobs
    )
    barely = replace(instance, jobs=jobs)
    assert cp_child.ask(CpQuestion(barely, horizon=8, contention=True)).found
    assert before(9, barely).bound.value == 9
    assert_same_as_enumeration(barely)


def test_one_worker_gives_the_same_schedule_again() -> None:
    instance = load("small-10x3")
    assert run(instance, Request(rng=RNG)) == run(instance, Request(rng=RNG))


def test_several_workers_prove_the_same_optimum() -> None:
    outcome = run(load("small-08x4"), Request(limits=Limits(threads=2), rng=RNG))
    assert (outcome.value, outcome.status) == (12, SolutionStatus.OPTIMAL)


def test_nothing_before_upper_proves_upper() -> None:
    instance = load("small-07x3")
    best = run(instance, Request(rng=RNG)).value
    proof = before(int(best), instance)
    assert (proof.schedule, proof.termination, proof.status) == (
        None,
        TerminationReason.DONE,
        SolutionStatus.INFEASIBLE,
    )
    assert (proof.bound.value, proof.bound.kind) == (best, BoundKind.SEARCHED)
    found = before(int(best) + 3, instance)
    assert check(instance, found.schedule).makespan == found.value < best + 3
    assert found.termination is TerminationReason.DONE
    open_ = before(int(best), instance, time_s=0)
    assert (open_.schedule, open_.termination, open_.status) == (
        None,
        TerminationReason.TIME_LIMIT,
        SolutionStatus.NOTHING,
    )


def test_an_upper_below_the_simple_bounds_claims_no_more_than_they_do() -> None:
    instance = load("hand-theorem5")
    outcome = before(2, instance)
    assert (outcome.schedule, outcome.status) == (None, SolutionStatus.INFEASIBLE)
    assert outcome.bound == best_bound(instance)


def test_a_horizon_before_the_optimum_is_infeasible() -> None:
    answer = solve(load("small-07x3"), "cp-sat", horizon=14)
    assert answer.status == "infeasible"


def test_time_runs_out_with_and_without_a_schedule() -> None:
    instance = load("small-10x3")
    outcome = run(instance, Request(limits=Limits(time_s=0), rng=RNG))
    assert (outcome.termination, outcome.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.FEASIBLE,
    )
    assert check(instance, outcome.schedule).makespan == outcome.value
    assert outcome.bound == best_bound(instance)
    outcome = run(instance, Request(limits=Limits(time_s=0, horizon=17), rng=RNG))
    assert (outcome.termination, outcome.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.NOTHING,
    )
    assert (outcome.schedule, outcome.value) == (None, None)


def test_it_tells_of_every_better_schedule() -> None:
    told: list[Incumbent] = []
    instance = load("small-10x3")
    outcome = run(instance, Request(limits=Limits(watch=told.append), rng=RNG))
    values = [incumbent.value for incumbent in told]
    assert len(values) > 1
    assert values == sorted(set(values), reverse=True)
    assert values[-1] == outcome.value
    assert all(check(instance, one.schedule).makespan == one.value for one in told)


def test_ctrl_c_keeps_the_best_schedule_and_ends_the_process() -> None:
    run(load("hand-spread-slow"), Request(rng=RNG))
    ends = [Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))]
    answer = solve(load("small-16x6"), "cp-sat", watch=lambda _: ends and ends.pop().start())
    assert answer.outcome.termination is TerminationReason.INTERRUPTED
    assert answer.valid
    assert solve(load("small-06x4"), "cp-sat").status == "optimal"


@pytest.mark.slow
def test_a_process_that_dies_is_reported_and_replaced() -> None:
    instance = load("small-06x4")
    outcome = run(instance, Request(limits=Limits(threads=-1), rng=RNG))
    assert (outcome.termination, outcome.status) == (
        TerminationReason.CRASHED,
        SolutionStatus.FEASIBLE,
    )
    assert outcome.note == "the process of CP-SAT ended with code 1"
    assert run(instance, Request(rng=RNG)).status is SolutionStatus.OPTIMAL


def test_it_runs_beside_highs() -> None:
    import highspy

    assert solve(load("small-06x4"), "cp-sat").status == "optimal"
    assert highspy.Highs().version()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("small-06x3-continuous", "cp-sat needs slots"),
        ("mobihoc-20-s0", "jobs x servers x slots"),
    ],
)
def test_it_refuses_what_it_cannot_state(name: str, reason: str) -> None:
    assert reason in (refuses(load(name)) or "")
    with pytest.raises(RefusedError, match=reason):
        run(load(name), Request(rng=RNG))


def test_it_refuses_a_job_that_never_ends_and_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = load("hand-theorem5")
    stuck = replace(instance, progress="floor", slot_s=Decimal("0.5"))
    assert "does no iteration" in (refuses(stuck) or "")
    monkeypatch.setattr(cp_sat, "find_spec", lambda name: None)
    assert "pip install 'ringyard[cpsat]'" in (refuses(instance) or "")


@pytest.mark.parametrize(
    ("said", "counts"), [(["no", "yes"], "yes"), (["no", "open"], "open"), (["no", "no"], "no")]
)
def test_a_no_counts_if_it_is_said_without_presolve_too(said: list[str], counts: str) -> None:
    class Solver:
        parameters, num_branches, wall_time = SimpleNamespace(cp_model_presolve=True), 7, 3.0

        def solve(self, model: object) -> str:
            del model
            return said[not self.parameters.cp_model_presolve]

    solver = Solver()
    question = CpQuestion(load("hand-contend"), 6, seconds=10.0)
    assert search_twice(solver, None, question, "no") == (counts, 14)
    assert solver.parameters.max_time_in_seconds == 7.0


def test_the_bound_says_that_cp_sat_was_asked_twice() -> None:
    assert "asked twice" in run(load("hand-contend"), Request(rng=RNG)).bound.argument
