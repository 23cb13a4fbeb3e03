"""Each rule of the trace judge: one schedule that keeps it, one change that breaks it alone."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from check.trace.small import broken, ends, job, make_instance, plan, run, schedule

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import (
    InputError,
    JobGroup,
    JobRuns,
    Outage,
    Schedule,
    ServerUplink,
    Width,
    digest,
)

INSTANCE = make_instance(
    {"a0": 2, "b0": 2, "d0": 1, "e0": 1, "f0": 2},
    job("x", 2, 6, 1, speeds={1: 0.5, 4: 1.5, 5: 1.5}, group="g", gpu="v"),
    job("y", 1, 4, packed_speed=0.5, allowed_regions=("here", "there")),
    restart_s=1,
    regions={"a0": "here", "b0": "there", "e0": "elsewhere"},
    groups=(JobGroup(name="g", most=4), JobGroup(name="h")),
    kinds={"a0": "v", "b0": "v", "d0": "v", "e0": "v", "f0": "k"},
    outages=(
        Outage(server="b0", from_s=Decimal(30), until_s=Decimal(35)),
        Outage(server="a0", from_s=Decimal(30), until_s=Decimal(40)),
    ),
)
X = plan("x", run(1, 4, a0=2), run(6, None, a0=2))
Y = plan("y", run(0, None, b0=1))


def test_a_good_schedule_breaks_no_rule() -> None:
    verdict = check(INSTANCE, schedule(X, Y, digest=digest(INSTANCE), mean_jct_s=Decimal("6.5")))
    assert verdict.valid
    assert verdict.ends == {"x": 10, "y": 4}
    assert verdict.objective == Fraction(9 + 4, 2)


CASES: dict[str, list[tuple[list[JobRuns], str, object]]] = {
    "known_names": [
        ([X, Y, plan("z", run(0, None, a0=1))], "jobs[2], job z", 1),
        (
            [X, plan("y", run(0, 1, c0=1), run(1, None, b0=1))],
            "jobs[1], job y, runs[0], server c0",
            1,
        ),
    ],
    "planned_once": [
        ([X, Y, Y], "jobs[2], job y", 1),
        ([Y], "job x", 1),
    ],
    "ticks": [
        ([X, plan("y", run(0.25, None, b0=1))], "jobs[1], job y, runs[0], start", Decimal("0.25")),
        ([X, plan("y", run(0, 8.5, b0=1))], "jobs[1], job y, runs[0], stop", Decimal("0.5")),
    ],
    "order": [
        ([X, plan("y", run(0, 3, b0=1), run(2, None, b0=1))], "jobs[1], job y, runs[1]", 1),
        ([X, plan("y", run(2, 2, b0=1), run(2, None, b0=1))], "jobs[1], job y, runs[0]", 1),
        ([X, plan("y", run(4, 2, b0=1), run(4, None, b0=1))], "jobs[1], job y, runs[0]", 3),
        ([X, plan("y", run(0, None, b0=1), run(2, 3, b0=1))], "jobs[1], job y, runs[1]", 2),
        ([X, plan("y", run(3, 5, b0=1), run(0, None, b0=1))], "jobs[1], job y, runs[1]", 5),
    ],
    "arrival": [
        ([plan("x", run(0, None, a0=2)), Y], "jobs[0], job x, runs[0]", 1),
    ],
    "pieces": [
        ([X, plan("y", run(0, None, a0=0, b0=1))], "jobs[1], job y, runs[0], server a0", 1),
        ([X, plan("y", run(0, None, a0=-1, b0=2))], "jobs[1], job y, runs[0], server a0", 2),
    ],
    "gang": [
        ([plan("x", run(1, None, a0=2, b0=1)), Y], "jobs[0], job x, runs[0]", 1),
        ([X, plan("y", run(0, 1, b0=2), run(6, None, b0=1))], "jobs[1], job y, runs[0]", 1),
    ],
    "one_kind": [
        ([plan("x", run(1, 4, a0=2), run(6, None, f0=2)), Y], "jobs[0], job x, runs[1]", 1),
        ([plan("x", run(1, None, a0=1, f0=1)), Y], "jobs[0], job x, runs[0]", 1),
    ],
    "regions": [
        ([X, plan("y", run(0, None, d0=1))], "jobs[1], job y, runs[0], server d0", 1),
        (
            [X, plan("y", run(0, 1, b0=1), run(1, None, e0=1))],
            "jobs[1], job y, runs[1], server e0",
            1,
        ),
    ],
    "packing": [
        ([plan("x", run(1, None, "half", a0=2)), Y], "jobs[0], job x, runs[0]", 1),
    ],
    "capacity": [
        ([X, plan("y", run(2, None, a0=1))], "server a0, seconds [2, 4)", 1),
        ([plan("x", run(1, None, a0=3, b0=1)), Y], "server a0, seconds [1, 5)", 1),
    ],
    "most": [
        ([plan("x", run(1, None, a0=2, b0=1, d0=1, e0=1)), Y], "group g, seconds [1, 5)", 1),
    ],
    "outages": [
        (
            [plan("x", run(1, 4, a0=2), run(28, 31, a0=2), run(40, None, a0=2)), Y],
            "jobs[0], job x, runs[1], server a0",
            1,
        ),
        ([X, plan("y", run(29, None, b0=1))], "jobs[1], job y, runs[0], server b0", 3),
    ],
    "completes": [
        ([X, plan("y", run(0, 3, b0=1))], "jobs[1], job y", 1),
        ([plan("x", run(1, 4, a0=1), run(5, 7, a0=2)), Y], "jobs[0], job x", Decimal("3.5")),
    ],
    "after_end": [
        ([X, plan("y", run(0, None, b0=1), run(4, 5, b0=1))], "jobs[1], job y, runs[1]", 1),
        ([X, plan("y", run(0, 4, b0=1), run(9, None, b0=1))], "jobs[1], job y, runs[1]", 1),
    ],
    "claims": [
        ([X, replace(Y, end_s=Decimal("4.5"))], "jobs[1], job y", Decimal("0.5")),
        ([replace(X, end_s=Decimal(8)), Y], "jobs[0], job x", 2),
    ],
}


@pytest.mark.parametrize(
    ("rule", "case"), [(rule, i) for rule, cases in CASES.items() for i in range(len(cases))]
)
def test_one_change_breaks_one_rule(rule: str, case: int) -> None:
    plans, where, amount = CASES[rule][case]
    assert broken(INSTANCE, schedule(*plans)) == [(rule, where, amount)]


def test_a_half_run_takes_half_of_its_gpus() -> None:
    jobs = [job(name, 1, 4, packed_speed=0.5) for name in "abc"]
    small = make_instance({"s0": 1}, *jobs)
    half, later = run(0, None, "half", s0=1), run(8, None, s0=1)
    assert broken(small, schedule(plan("a", half), plan("b", half), plan("c", later))) == []
    third = run(6, 10, "half", s0=1), run(10, None, s0=1)
    over = [("capacity", "server s0, seconds [6, 8)", Fraction(1, 2))]
    assert broken(small, schedule(plan("a", half), plan("b", half), plan("c", *third))) == over


def test_the_jobs_of_a_group_hold_no_more_than_its_most_together() -> None:
    """`a` and `b` in group g may hold 2 GPUs together, halves counted as halves; `c` is free."""
    jobs = job("a", 2, 4, group="g"), job("b", 2, 4, group="g", packed_speed=0.5), job("c", 1, 9)
    small = make_instance({"s0": 5}, *jobs, groups=(JobGroup(name="g", most=2),))
    other = plan("c", run(0, None, s0=1))
    first, half = plan("a", run(0, None, s0=2)), plan("b", run(2, 4, "half", s0=2))
    after = replace(half, runs=(*half.runs, run(4, None, s0=2)))
    assert broken(small, schedule(first, plan("b", run(4, None, s0=2)), other)) == []
    over = [("most", "group g, seconds [2, 4)", 1)]
    assert broken(small, schedule(first, after, other)) == over
    both = schedule(first, plan("b", run(0, None, s0=2)), other)
    assert broken(small, both) == [("most", "group g, seconds [0, 4)", 2)]


def test_a_run_breaks_every_outage_that_it_overlaps() -> None:
    """Of five outages of its server, not in order, a run from 4 to 21 meets three, for 2, 1, 1."""
    small = make_instance(
        {"a0": 1, "b0": 1},
        job("x", 1, 17),
        outages=tuple(
            Outage(server=name, from_s=Decimal(start), until_s=Decimal(end))
            for name in ("a0", "b0")
            for start, end in ((10, 11), (0, 2), (20, 30), (2, 6), (40, 50))
        ),
    )
    verdict = check(small, schedule(plan("x", run(4, None, a0=1))))
    assert [(one.rule, one.amount) for one in verdict.violations] == [
        ("outages", 2),
        ("outages", 1),
        ("outages", 1),
    ]
    assert check(
        small, schedule(plan("x", run(6, 10, a0=1), run(11, 20, b0=1), run(30, None, a0=1)))
    ).valid


@pytest.mark.parametrize(
    ("every", "done"), [(None, 3), (1, 3), (2, 2.5), (3, 2.5), (4, 1.75), (5, 2), (8, 0)]
)
def test_an_outage_costs_the_work_since_the_last_checkpoint(every: int, done: float) -> None:
    """The job `x` works at half speed, from 3 to 5 at a quarter, and its server fails at 7."""
    small = make_instance(
        {"a0": 1, "b0": 2, "c0": 2},
        job("x", 2, 5, communication=1),
        job("y", 2, 1, communication=1),
        contention=ServerUplink(share=Decimal(1), degradation=Decimal(1)),
        outages=(Outage(server="a0", from_s=Decimal(7), until_s=Decimal(9)),),
        checkpoint_s=every,
        tick_s=0.25,
    )
    y = plan("y", run(3, 5, b0=1, c0=1), run(20, None, b0=2))

    def end(stop: float) -> Fraction:
        first = run(0, stop, a0=1, b0=1)
        return ends(small, plan("x", first, run(9, None, c0=2)), y)["x"]

    assert end(7) == 9 + 5 - Fraction(done)
    assert end(6.5) == 9 + 5 - Fraction(2.75), "stopped in time"
    elsewhere = replace(small.outages[0], server="b0", from_s=Decimal(8))
    small = replace(small, outages=(elsewhere,))
    assert end(7) == 9 + 5 - 3


def test_a_kind_has_its_own_speeds() -> None:
    """A width without a kind is for the requested kind, or for all if a job requests none."""
    speeds = (Width(gpus=2, speed=Decimal(2)), Width(gpus=1, gpu="k", speed=Decimal("0.5")))
    one, any_kind = replace(job("x", 1, 6, gpu="v"), speeds=speeds), job("y", 1, 4)
    small = make_instance({"a0": 2, "b0": 2}, one, any_kind, kinds={"a0": "v", "b0": "k"})
    later = plan("y", run(0, None, b0=1))
    for place, end in ({"a0": 1}, 6), ({"a0": 2}, 3), ({"b0": 1}, 12):
        verdict = check(small, schedule(plan("x", run(0, None, **place)), later))
        assert (verdict.violations, verdict.ends) == ((), {"x": end, "y": 4})
    assert broken(small, schedule(plan("x", run(0, None, b0=2)), later))[0][0] == "one_kind"


def test_every_stretch_of_too_many_gpus_is_reported_with_its_worst() -> None:
    jobs = job("a", 2, 8), job("b", 2, 2), job("c", 1, 1), job("d", 1, 1)
    small = make_instance({"s0": 3}, *jobs, tick_s=0.5)
    made = schedule(
        plan("a", run(0, None, s0=2)),
        plan("b", run(1.5, None, s0=2)),
        plan("c", run(2, None, s0=1)),
        plan("d", run(6, 6.5, s0=1), run(6.5, None, s0=1)),
    )
    assert broken(small, made) == [("capacity", "server s0, seconds [1.5, 3.5)", 2)]


def test_a_run_that_does_not_count_leaves_work_undone() -> None:
    for runs in ([run(0, None, c0=1)], [run(0, None, b0=0)], []):
        assert ("completes", "jobs[1], job y", 4) in broken(INSTANCE, schedule(X, plan("y", *runs)))


def test_an_unplanned_or_unfinished_job_leaves_no_mean() -> None:
    for plans in ([X], [X, plan("y", run(0, 3, b0=1))], [X, plan("z", run(0, None, b0=1))]):
        verdict = check(INSTANCE, schedule(*plans, mean_jct_s=Decimal(9)))
        assert verdict.objective is None
        assert verdict.ends == {"x": 10}
        assert "claims" not in {v.rule for v in verdict.violations}


def test_runs_that_overlap_count_one_after_the_other() -> None:
    verdict = check(
        INSTANCE, schedule(X, plan("y", run(0, 3, b0=1), run(1, 2, b0=1), run(2, 6, a0=1)))
    )
    assert [(held.start, held.works, held.stop) for held in verdict.held[2:]] == [
        (0, 0, 3),
        (3, 4, 5),
    ]
    assert verdict.ends["y"] == 5


def test_an_entry_after_the_first_does_not_count() -> None:
    verdict = check(INSTANCE, schedule(X, Y, plan("y", run(9, 10, b0=1))))
    assert verdict.ends["y"] == 4
    assert len(verdict.held) == 3


def test_claims_hold_the_digest_and_the_mean() -> None:
    wrong = schedule(X, Y, digest="0" * 64)
    assert broken(INSTANCE, wrong) == [("instance_digest", "digest", 1)]
    assert broken(INSTANCE, schedule(X, Y, mean_jct_s=Decimal(6))) == [
        ("claims", "mean_jct_s", Fraction(1, 2))
    ]


def test_times_are_seconds_whatever_the_tick() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 1, 0.5), job("b", 1, 1), tick_s=0.25)
    made = schedule(
        plan("a", run(0.25, 1, s0=1), run(0.75, 1.25, s0=1), run(2, 3, s0=1)),
        plan("b", run(3, 3.25, s0=1), run(3.5, 3.75, s0=1)),
    )
    assert broken(small, made) == [
        ("order", "jobs[0], job a, runs[1]", Fraction(1, 4)),
        ("arrival", "jobs[0], job a, runs[0]", Fraction(1, 4)),
        ("completes", "jobs[1], job b", Fraction(1, 2)),
        ("after_end", "jobs[0], job a, runs[2]", 1),
    ]


def test_a_schedule_of_another_family_is_refused() -> None:
    with pytest.raises(InputError, match="expected the schedule of 'trace' instances"):
        check(INSTANCE, Schedule(instance="small", assignments=()))  # type: ignore[call-overload]


def test_every_rule_is_tested_here() -> None:
    assert CASES.keys() | {"instance_digest"} == FAMILIES["trace"].rules.keys()
