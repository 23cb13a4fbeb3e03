"""What the judge still says when a schedule is wrong in several ways."""

from fractions import Fraction

import pytest
from check.cases import breaches, exact, job, make_instance, plan, ring

from ringyard.analysis.check import check
from ringyard.instances import Assignment, Schedule

TWO = make_instance([job("a", 1, 3), job("b", 1, 2)], [2, 2])


def test_all_faults_at_once() -> None:
    instance = make_instance(
        [job("a", 2, 3, release_slot=4), job("b", 1, 2), job("c", 1, 1)], [1, 1]
    )
    schedule = plan(
        ("a", "0.5", {"s0": 1, "s9": 2}),
        ("a", 1, {"s0": 3}),
        ("b", 1, {"s0": 1}),
        ("b", 6, {"s0": 1}),
        ("z", 0, {"s7": 1}),
        digest="no digest",
        makespan=3,
    )
    assert breaches(check(instance, schedule)) == [
        ("instance_digest", "digest", 1),
        ("known_names", "assignments[0], server s9", 1),
        ("known_names", "assignments[4], job z", 1),
        ("known_names", "assignments[4], server s7", 1),
        ("every_job_once", "job c", 1),
        ("no_preemption", "assignments[3], job b", 1),
        ("no_migration", "assignments[1], job a", 1),
        ("gang", "assignments[0], job a", 1),
        ("gang", "assignments[1], job a", 1),
        ("capacity", "server s0, slots [1, 4)", 3),
        ("release", "assignments[0], job a", Fraction(7, 2)),
        ("release", "assignments[1], job a", 3),
        ("whole_slots", "assignments[0], job a", Fraction(1, 2)),
    ]


def test_time_is_that_of_the_first_usable_entry() -> None:
    schedule = plan(
        ("a", 0, {"s9": 1}),
        ("a", 1, {"s0": 1}),
        ("a", 7, {"s1": 1}),
        ("b", 2, {"s0": 1}),
    )
    verdict = check(TWO, schedule)
    assert verdict.ends == {"a": 4, "b": 4}
    assert verdict.makespan == 4
    assert [(span.job, span.start) for span in verdict.spans] == [("a", 1), ("b", 2)]


def test_claims_are_those_of_the_entry_that_counts() -> None:
    entries = [
        Assignment(job="a", start_slot=exact(0), gpus=(("s0", 1),), end_slot=exact(3)),
        Assignment(job="a", start_slot=exact(1), gpus=(("s0", 1),), end_slot=exact(9)),
        Assignment(job="b", start_slot=exact(1), gpus=(("s0", 1),)),
    ]
    found = breaches(check(TWO, Schedule(instance="test", assignments=tuple(entries))))
    assert found == [("no_preemption", "assignments[1], job a", 1)]


def test_repeated_pieces_add_up() -> None:
    def entry(*gpus: tuple[str, int]) -> Assignment:
        return Assignment(job="r", start_slot=exact(0), gpus=gpus)

    instance = make_instance([ring("r", 2, 1)], [2, 2])
    twice = Schedule(instance="test", assignments=(entry(("s0", 1), ("s0", 1)),))
    once = Schedule(instance="test", assignments=(entry(("s0", 2)),))
    assert check(instance, twice) == check(instance, once)
    assert check(instance, once).valid
    again = Schedule(instance="test", assignments=(*once.assignments, *twice.assignments))
    assert [v.rule for v in check(instance, again).violations] == ["no_preemption"]


def test_the_order_of_pieces_is_no_migration() -> None:
    instance = make_instance([ring("r", 2, 1)], [2, 2])
    schedule = plan(("r", 0, {"s0": 1, "s1": 1}), ("r", 3, {"s1": 1, "s0": 1}))
    assert [v.rule for v in check(instance, schedule).violations] == ["no_preemption"]


@pytest.mark.parametrize("gpus", [{}, {"s0": 0}, {"s0": -1}])
def test_no_gpus_at_all(gpus: dict[str, int]) -> None:
    verdict = check(TWO, plan(("a", 0, gpus), ("b", 0, {"s0": 1})))
    assert verdict.ends == {"b": 2}
    assert verdict.makespan is None
    assert "gang" in {v.rule for v in verdict.violations}


def test_a_start_before_slot_0_is_too_early() -> None:
    verdict = check(TWO, plan(("a", -2, {"s0": 1}), ("b", 0, {"s0": 1})))
    assert breaches(verdict) == [("release", "assignments[0], job a", 2)]
    assert verdict.ends == {"a": 1, "b": 2}


def test_a_claimed_makespan_of_an_incomplete_schedule_is_not_judged() -> None:
    verdict = check(TWO, plan(("a", 0, {"s0": 1}), makespan=77))
    assert [v.rule for v in verdict.violations] == ["every_job_once"]
    assert verdict.ends == {"a": 3}
    assert verdict.makespan is verdict.mean_completion is None


def test_gpus_of_a_wrong_gang_count_for_capacity() -> None:
    verdict = check(TWO, plan(("a", 0, {"s0": 3}), ("b", 0, {"s1": 1})))
    assert breaches(verdict) == [
        ("gang", "assignments[0], job a", 2),
        ("capacity", "server s0, slots [0, 3)", 1),
    ]
