"""Starts, ends and spans of small schedules worked out by hand."""

from fractions import Fraction
from typing import Any

import pytest
from check.cases import breaches, job, make_instance, plan, ring, shared

from ringyard.analysis.check import check
from ringyard.analysis.check.contention import Span
from ringyard.instances import MakespanInstance

PAIR = {"s0": 1, "s1": 1}


def rings(*iterations: int, **fields: Any) -> MakespanInstance:
    """Make rings r0, r1, ... for two servers; 1, 2/3, 1/2 iterations a slot as contention rises."""
    return make_instance([ring(f"r{i}", 2, f) for i, f in enumerate(iterations)], [4, 4], **fields)


def spans(*rows: tuple[str, Any, Any, Any]) -> tuple[Span, ...]:
    return tuple(
        Span(job=name, start=Fraction(a), end=Fraction(b), slowdown=Fraction(f))
        for name, a, b, f in rows
    )


def test_contention_comes_and_goes() -> None:
    verdict = check(rings(4, 4), plan(("r0", 0, PAIR), ("r1", 2, PAIR)))
    assert verdict.valid
    assert verdict.ends == {"r0": 5, "r1": 7}
    assert verdict.makespan == 7
    assert verdict.mean_completion == 6
    assert verdict.spans == spans(
        ("r0", 0, 2, 1), ("r0", 2, 5, 2), ("r1", 2, 5, 2), ("r1", 5, 7, 1)
    )


def test_spans_stand_in_the_order_of_the_schedule() -> None:
    verdict = check(rings(4, 4), plan(("r1", 2, PAIR), ("r0", 0, PAIR)))
    assert [(span.job, span.start) for span in verdict.spans] == [
        ("r1", 2),
        ("r1", 5),
        ("r0", 0),
        ("r0", 2),
    ]


def test_an_end_and_a_start_at_the_same_moment_do_not_meet() -> None:
    verdict = check(rings(3, 3), plan(("r0", 0, PAIR), ("r1", 3, PAIR)))
    assert verdict.valid
    assert verdict.spans == spans(("r0", 0, 3, 1), ("r1", 3, 6, 1))
    full = {"s0": 4, "s1": 4}
    jobs = [job("a", 8, 2), job("b", 8, 2)]
    handed_over = check(make_instance(jobs, [4, 4]), plan(("a", 0, full), ("b", 2, full)))
    assert handed_over.valid


def test_two_leave_before_a_third_starts() -> None:
    schedule = plan(("r0", 0, PAIR), ("r1", 0, PAIR), ("r2", 3, PAIR))
    verdict = check(rings(2, 2, 3), schedule)
    assert verdict.spans == spans(("r0", 0, 3, 2), ("r1", 0, 3, 2), ("r2", 3, 6, 1))


def test_one_leaves_and_another_comes_without_a_new_span() -> None:
    schedule = plan(("r0", 0, PAIR), ("r1", 0, PAIR), ("r2", 3, PAIR))
    verdict = check(rings(4, 2, 3), schedule)
    assert verdict.spans == spans(
        ("r0", 0, 6, 2), ("r1", 0, 3, 2), ("r2", 3, 6, 2), ("r2", 6, 7, 1)
    )


def test_a_share_below_one_is_no_new_span() -> None:
    instance = rings(4, 2, contention=shared("0.5"))
    verdict = check(instance, plan(("r0", 0, PAIR), ("r1", 1, PAIR)))
    assert verdict.spans == spans(("r0", 0, 4, 1), ("r1", 1, 3, 1))


def test_a_job_inside_a_server_neither_suffers_nor_counts() -> None:
    verdict = check(rings(4, 4), plan(("r0", 0, PAIR), ("r1", 0, {"s0": 2})))
    assert {span.slowdown for span in verdict.spans} == {1}
    assert verdict.ends["r0"] == 4


@pytest.mark.parametrize(
    ("progress", "end"), [("floor", 3), ("fractional", 2), ("continuous", Fraction(9, 5))]
)
def test_progress_is_rounded_as_the_option_says(progress: str, end: Fraction) -> None:
    instance = make_instance([job("j", 1, 3, backward_s="0.6")], [1], progress=progress)
    assert check(instance, plan(("j", 0, {"s0": 1}))).makespan == end


def test_fractions_of_iterations_are_kept_within_a_run() -> None:
    # 2/3 iteration a slot: 4 iterations take exactly 6 slots, not 7.
    instance = make_instance([job("j", 1, 4, backward_s="1.5")], [1])
    assert check(instance, plan(("j", 1, {"s0": 1}))).makespan == 7


def test_continuous_ends_are_rational_and_set_others_free_at_once() -> None:
    # 3 iterations a slot alone, 2 together: a has 0.7 left at 0.2, b has 1.3 left at 0.55.
    verdict = check(
        rings(1, 2, progress="continuous", slot_s=3),
        plan(("r0", "0.1", PAIR), ("r1", "0.2", PAIR)),
    )
    assert verdict.valid
    assert verdict.ends == {"r0": Fraction("0.55"), "r1": Fraction(59, 60)}
    assert verdict.spans == spans(
        ("r0", "0.1", "0.2", 1),
        ("r0", "0.2", "0.55", 2),
        ("r1", "0.2", "0.55", 2),
        ("r1", "0.55", Fraction(59, 60), 1),
    )


def test_two_rings_that_block_each_other_never_end() -> None:
    schedule = plan(("r0", 0, PAIR), ("r1", 1, PAIR), ("r2", 9, {"s0": 2}), makespan=5)
    verdict = check(rings(3, 2, 1, progress="floor"), schedule)
    assert breaches(verdict) == [
        ("completes", "assignments[0], job r0", 2),
        ("completes", "assignments[1], job r1", 2),
    ]
    assert verdict.ends == {"r2": 10}
    assert verdict.makespan is None
    assert verdict.mean_completion is None
    assert verdict.spans == spans(("r0", 0, 1, 1), ("r2", 9, 10, 1))


def test_who_never_ends_keeps_its_gpus() -> None:
    instance = make_instance(
        [ring("r", 2, 1), job("j", 2, 1)], [2, 1], slot_s="0.5", progress="floor"
    )
    verdict = check(instance, plan(("r", 4, PAIR), ("j", 7, {"s0": 2})))
    assert breaches(verdict) == [
        ("capacity", "server s0, slots [7, ...)", 1),
        ("completes", "assignments[0], job r", 1),
        ("completes", "assignments[1], job j", 1),
    ]


def test_a_ring_may_stand_still_and_go_on_later() -> None:
    # Beside another ring an iteration of `slow` does not fit into a slot; one of `quick` does.
    jobs = [ring("slow", 2, 2), ring("quick", 2, 2, gradient_gb="0.1")]
    instance = make_instance(jobs, [2, 2], progress="floor")
    verdict = check(instance, plan(("slow", 0, PAIR), ("quick", 1, PAIR)))
    assert verdict.valid
    assert verdict.spans == spans(
        ("slow", 0, 1, 1), ("slow", 1, 2, 2), ("slow", 2, 3, 1), ("quick", 1, 2, 2)
    )


def test_a_start_inside_a_slot_counts_from_the_next() -> None:
    verdict = check(rings(3), plan(("r0", "1.25", PAIR)))
    assert verdict.spans == spans(("r0", 2, 5, 1))
    exact = check(rings(3, progress="continuous"), plan(("r0", "1.25", PAIR)))
    assert exact.spans == spans(("r0", "1.25", "4.25", 1))


def test_an_empty_schedule_has_no_cost() -> None:
    verdict = check(rings(1), plan())
    assert breaches(verdict) == [("every_job_once", "job r0", 1)]
    assert verdict.ends == {}
    assert verdict.makespan is verdict.mean_completion is None
    assert verdict.spans == ()
