"""Branch and bound against enumeration, against what is on record, and at its limits."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from looks import looks
from numpy.random import default_rng
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import (
    BoundKind,
    Cluster,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    RingJob,
    Server,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import generate
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.request import Request
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.exact import branch_and_bound, decide
from ringyard.search.makespan.exact.decide import ALONE, HorizonQuestion
from ringyard.search.makespan.exact.enumeration import enumerate_best
from ringyard.search.makespan.exact.profiles import NO, UNKNOWN, YES
from ringyard.simulation.makespan.evaluate import refusal

HAND = [n for n, e in entries().items() if (e.family, e.kind) == ("hand", "makespan")]


def search(instance: MakespanInstance, limits: Limits | None = None) -> Outcome:
    """Ask questions alone: schedules found by local search would answer most of them."""
    return branch_and_bound.improve(instance, limits or Limits())


@settings(max_examples=15)
@given(st.data())
def test_it_finds_the_optimum_of_tiny_instances(data: st.DataObject) -> None:
    progress = data.draw(st.sampled_from(["floor", "fractional"]))
    instance = data.draw(
        makespan_instances(max_servers=3, max_gpus=4, max_jobs=4, progress=progress)
    )
    assume(branch_and_bound.refuses(instance) is None)
    known = enumerate_best(instance, looks(50))
    assume(known.status is SolutionStatus.OPTIMAL)
    found = search(instance, looks(200))
    verdict = check(instance, found.schedule)
    assert verdict.valid
    assert verdict.makespan == found.value
    assert found.bound is not None
    assert found.bound.value <= known.value <= found.value
    if found.termination is TerminationReason.DONE:
        assert found.status is SolutionStatus.OPTIMAL
        assert found.value == found.bound.value


@pytest.mark.parametrize("name", HAND)
def test_hand_instances_have_the_optimum_on_record(name: str) -> None:
    instance = load(name)
    outcome = search(instance)
    assert outcome.bound is not None
    if instance.progress == "continuous":
        assert outcome.bound.value <= entries()[name].upper[0].value
        return
    assert outcome.status is SolutionStatus.OPTIMAL
    assert outcome.value == entries()[name].upper[0].value


def test_a_bound_above_the_counting_ones_is_called_exact() -> None:
    outcome = search(load("hand-contend"))
    assert outcome.status is SolutionStatus.OPTIMAL
    assert outcome.bound is not None
    assert outcome.bound.kind is BoundKind.SEARCHED
    assert outcome.bound.value == outcome.value == 7
    assert outcome.nodes


def test_each_question_is_answered_as_the_optimum_demands() -> None:
    instance = load("small-08x4")
    answers = [HorizonQuestion(instance, slot).answer(Limits(), 10**9) for slot in range(8, 15)]
    assert answers == [NO, NO, NO, NO, YES, YES, YES]


@pytest.mark.parametrize("rows", [1, 10])
def test_failures_that_share_a_place_are_told_apart(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decide, "FAILURES", rows)
    instance = load("small-08x4")
    answers = [HorizonQuestion(instance, slot).answer(Limits(), 10**9) for slot in (10, 11, 12)]
    assert answers == [NO, NO, YES]


def test_effort_and_time_leave_a_question_open() -> None:
    decision = HorizonQuestion(load("small-16x6"), 11)
    assert decision.answer(Limits(), 1000) == UNKNOWN
    assert decision.answer(Limits(time_s=0.0), 10**9) == UNKNOWN


def test_a_time_limit_leaves_a_schedule_and_a_bound() -> None:
    instance = load("small-16x6")
    outcome = search(instance, Limits(time_s=0.0))
    assert (outcome.termination, outcome.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.FEASIBLE,
    )
    assert check(instance, outcome.schedule).valid
    assert outcome.bound is not None
    assert outcome.bound.value <= outcome.value


def test_long_questions_end_with_the_time() -> None:
    instance = generate("small", seed=1, jobs=20, servers=7)
    outcome = search(instance, looks(150))
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert outcome.nodes is not None
    assert outcome.nodes >= ALONE
    assert check(instance, outcome.schedule).valid


def test_local_search_finds_what_questions_do_not() -> None:
    """The bound is 12, which few schedules attain and few nodes find."""
    instance = generate("small", seed=5, jobs=24, servers=8)
    asked = branch_and_bound.improve(instance, Limits(), rounds=1, effort=1_000)
    assert asked.status is SolutionStatus.FEASIBLE
    tried = branch_and_bound.run(instance, Request())
    assert (tried.status, tried.value) == (SolutionStatus.OPTIMAL, 12)
    verdict = check(instance, tried.schedule)
    assert (verdict.valid, verdict.makespan) == (True, 12)
    assert tried.schedule == branch_and_bound.run(instance, Request(rng=default_rng(7))).schedule


def test_a_horizon_is_kept_or_shown_to_be_too_early() -> None:
    instance = load("small-08x4")
    late = search(instance, Limits(horizon=12))
    assert (late.status, late.value) == (SolutionStatus.OPTIMAL, 12)
    early = search(instance, Limits(horizon=11))
    assert early.schedule is None
    assert early.status is SolutionStatus.INFEASIBLE
    assert early.bound is not None
    assert early.bound.value == 12


def test_better_schedules_are_told_as_they_come() -> None:
    seen: list[Incumbent] = []
    outcome = search(load("small-10x3"), Limits(watch=seen.append))
    values = [incumbent.value for incumbent in seen]
    assert values == sorted(values, reverse=True)
    assert len(values) > 1
    assert Fraction(values[-1]) == outcome.value
    assert seen[-1].schedule == outcome.schedule


def test_runs_are_the_same() -> None:
    one, two = search(load("small-10x4")), search(load("small-10x4"))
    assert (one.schedule, one.nodes) == (two.schedule, two.nodes)


def test_the_order_of_jobs_and_servers_does_not_matter() -> None:
    instance = load("small-08x4")
    servers = tuple(reversed(instance.cluster.servers))
    turned = replace(
        instance,
        jobs=tuple(reversed(instance.jobs)),
        cluster=replace(instance.cluster, servers=servers),
    )
    assert search(turned).value == search(instance).value


def test_releases_are_kept() -> None:
    instance = load("small-06x3-release")
    late = replace(instance, jobs=tuple(replace(j, release_slot=Decimal(3)) for j in instance.jobs))
    outcome = search(late)
    assert check(late, outcome.schedule).valid
    unreleased = tuple(replace(j, release_slot=Decimal(0)) for j in instance.jobs)
    assert outcome.value == search(replace(instance, jobs=unreleased)).value + 3


def test_a_list_of_sets_that_is_cut_short_is_never_taken_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a no would follow from sets that were not looked at."""
    instance = load("small-06x3")
    whole = HorizonQuestion(instance, int(best_bound(instance).value)).batches.batch.size
    for most in range(whole + 3):
        monkeypatch.setattr(decide, "MOST_BATCHES", most)
        question = HorizonQuestion(instance, int(best_bound(instance).value))
        assert question.too_many == (most < whole)


def test_too_many_jobs_are_refused_and_too_many_sets_given_up() -> None:
    many = generate("small", seed=0, jobs=63, servers=8)
    assert "at most 62 jobs" in str(branch_and_bound.refuses(many))
    wide = generate("small", seed=0, jobs=60, servers=1, server_gpus=[32])
    outcome = search(wide)
    assert outcome.termination is TerminationReason.WORK_LIMIT
    assert "too many" in outcome.note
    assert check(wide, outcome.schedule).valid


def test_continuous_time_is_closed_where_rings_need_not_meet() -> None:
    instance = load("small-06x3-continuous")
    outcome = search(instance)
    assert outcome.bound is not None
    assert check(instance, outcome.schedule).makespan == outcome.bound.value


@given(st.data())
def test_without_contention_continuous_time_is_slotted_time(data: st.DataObject) -> None:
    drawn = data.draw(
        makespan_instances(max_servers=3, max_gpus=3, max_jobs=4, progress="fractional")
    )
    jobs = tuple(
        replace(job, gradient_gb=Decimal(0), backward_s=Decimal(1), forward_s_per_sample=Decimal(0))
        for job in drawn.jobs
    )
    jobs = tuple(replace(job, iterations=min(job.iterations, 5)) for job in jobs)
    slotted = replace(drawn, jobs=jobs, overhead_s=Decimal(0), slot_s=Decimal(1))
    outcome = search(replace(slotted, progress="continuous"))
    assert outcome.bound is not None
    assert outcome.bound.value == enumerate_best(slotted, Limits()).value


@given(makespan_instances(max_servers=3, max_gpus=3, max_jobs=4, progress="continuous"))
def test_the_bound_in_continuous_time_is_below_every_schedule(instance: MakespanInstance) -> None:
    assume(refusal(instance) is None and branch_and_bound.refuses(instance) is None)
    outcome = search(instance, looks(200))
    assert outcome.bound is not None
    assert outcome.bound.value >= best_bound(instance).value
    for schedule in (outcome.schedule, gang_lpt.run(instance, Request()).schedule):
        makespan = check(instance, schedule).makespan
        assert makespan is not None
        assert makespan >= outcome.bound.value


def one_ring(sizes: list[int], **job: object) -> MakespanInstance:
    """Return an instance of one ring, on servers of so many GPUs."""
    plain = {"gpus": 2, "iterations": 1, "backward_s": Decimal(1)}
    return MakespanInstance(
        name="ring",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=size) for i, size in enumerate(sizes)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(10),
        ),
        jobs=(RingJob(name="ring", **(plain | job)),),
    )


def test_more_servers_than_bits_are_refused() -> None:
    assert branch_and_bound.refuses(one_ring([1] * 62)) is None
    assert "62 servers" in str(branch_and_bound.refuses(one_ring([1] * 63)))


def test_a_ring_of_many_slots_ends_where_it_ends() -> None:
    """A sum of 30,000 rates of a tenth misses 3,000 by more than one rounding."""
    long = one_ring([1, 1], iterations=3000, backward_s=Decimal(10))
    assert HorizonQuestion(long, 29_999).answer(Limits(), 10**7) == NO
    assert HorizonQuestion(long, 30_000).answer(Limits(), 10**7) == YES


def test_an_end_a_hair_behind_a_slot_is_in_the_next() -> None:
    """Two rings that contend end a hair behind slot 10."""
    hair = Decimal("1.5e-11")
    gradient, backward = Decimal("0.03"), Decimal("0.018") + hair
    one = one_ring([2, 2, 2], gpus=3, iterations=100, gradient_gb=gradient, backward_s=backward)
    near = replace(one, jobs=(one.jobs[0], replace(one.jobs[0], name="other")))
    assert HorizonQuestion(near, 10).answer(Limits(), 10**7) == NO
    outcome = search(near)
    assert check(near, outcome.schedule).makespan == 11
    assert (outcome.termination, outcome.status) == (TerminationReason.DONE, SolutionStatus.OPTIMAL)
