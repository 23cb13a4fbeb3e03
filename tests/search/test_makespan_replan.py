"""Plans of `makespan` that are cut at a slot and repaired: by hand, and at random."""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringyard import makespan, solve
from ringyard.analysis.check import check
from ringyard.instances import (
    Assignment,
    InputError,
    MakespanInstance,
    RefusedError,
    Schedule,
    digest,
)
from ringyard.running.replan import Change, Rest, replan
from ringyard.running.replan.makespan import (
    completed,
    cut,
    moved,
    out_name,
    repaired,
    standing,
)

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import replan_cuts

WORK = {"iterations": 6, "backward_s": 1}
"""Six slots."""


def batch(**options: Any) -> MakespanInstance:
    """Return jobs of one and two GPUs on three servers of two."""
    jobs = {name: {"gpus": gpus, **WORK} for name, gpus in {"a": 2, "b": 1, "c": 2, "d": 2}.items()}
    return makespan(jobs, [2, 2, 2], **options)


PLAN = {"a": (0, {"s0": 2}), "b": (0, {"s1": 1}), "c": (0, {"s2": 2}), "d": (6, {"s0": 2})}
"""Jobs a and d one after the other, b and c beside them: all end by slot 12."""


def planned(
    instance: MakespanInstance, plan: Mapping[str, tuple[Any, dict[str, int]]] = PLAN
) -> Schedule:
    """Return starts and GPUs as a schedule."""
    return Schedule(
        instance=instance.name,
        digest=digest(instance),
        assignments=tuple(
            Assignment(job=job, start_slot=Decimal(str(start)), gpus=tuple(gpus.items()))
            for job, (start, gpus) in plan.items()
        ),
    )


def rest_of(now: Any = 4, **change: Any) -> Rest:
    """Return what is left of the plan."""
    return cut(batch(), planned(batch()), Change(now=Decimal(now), **change))


def ends(rest: Rest, plan: Any) -> dict[str, Fraction]:
    """Return the ends of a valid schedule."""
    verdict = check(rest.instance, plan)
    assert verdict.violations == ()
    return dict(verdict.ends)


def test_nothing_lost_and_nothing_late() -> None:
    rest = rest_of()
    assert {job.name: (job.iterations, job.held) for job in rest.instance.jobs} == {
        "a": (2, (("s0", 2),)),
        "b": (2, (("s1", 1),)),
        "c": (2, (("s2", 2),)),
        "d": (6, None),
    }
    assert rest.kept == rest.plan
    for plan in (rest.kept, rest.waiting, repaired(rest)):
        assert ends(rest, plan) == {"a": 2, "b": 2, "c": 2, "d": 8}


def test_a_job_that_has_ended_is_gone_and_one_that_starts_now_is_free() -> None:
    (job,) = rest_of(6).instance.jobs
    assert (job.name, job.held, job.iterations) == ("d", None, 6)


def test_a_server_that_is_never_back() -> None:
    """Both other servers are idle at slot 2, where a starts again and d starts earlier."""
    rest = rest_of(lost={"s0": None})
    assert [one.name for one in rest.instance.cluster.servers] == ["s1", "s2"]
    assert (rest.kept, rest.waiting) == (None, None)
    job = rest.instance.jobs[0]
    assert (job.iterations, job.held) == (6, None)
    assert ends(rest, repaired(rest)) == {"a": 8, "b": 2, "c": 2, "d": 8}
    after = check(rest.instance, repaired(rest))
    was = cut(batch(), planned(batch()), Change(now=Decimal(4)))
    moves = moved(check(was.instance, was.plan), after, rest)
    told = {one.job: (one.before, one.after, one.ended, one.ends, one.cost) for one in moves}
    # Four of six iterations of a are done again.
    assert told == {"a": ("s0:2", "s1:2", 2, 8, 4), "d": ("s0:2", "s2:2", 8, 8, 0)}


def test_a_server_that_is_back() -> None:
    """It is held by a job of its own for three slots: d waits behind a, or both find other servers.

    Job d is hit, too: it was to start on s0 at slot 2.
    """
    rest = rest_of(lost={"s0": Decimal(7)})
    out = rest.instance.jobs[-1]
    assert (out.name, out.held, out.iterations) == (out_name("s0"), (("s0", 2),), 3)
    assert rest.kept is None
    waiting = ends(rest, rest.waiting)
    assert waiting == {"a": 9, "b": 2, "c": 2, "d": 15, out.name: 3}
    assert max(ends(rest, repaired(rest)).values()) == 8


def test_a_server_that_is_back_before_the_plan_uses_it() -> None:
    idle = {**PLAN, "a": (0, {"s1": 1, "s2": 1}), "b": (0, {"s1": 1}), "c": (6, {"s2": 2})}
    rest = cut(batch(), planned(batch(), idle), Change(now=Decimal(4), lost={"s0": Decimal(6)}))
    assert rest.kept is not None
    assert ends(rest, rest.kept)["d"] == 8


@pytest.mark.parametrize(("redo", "left"), [(None, 6), (0, 2), (1, 3), (100, 6)])
def test_work_that_is_done_again(redo: int | None, left: int) -> None:
    again = None if redo is None else Decimal(redo)
    assert rest_of(lost={"s0": None}, redo=again).instance.jobs[0].iterations == left


def test_a_job_is_late() -> None:
    """Two more slots of work for a, which runs: d waits. It also has more if it has arrived."""
    rest = rest_of(late={"a": Decimal(2), "d": Decimal(1)})
    assert rest.kept is None
    assert ends(rest, rest.waiting) == {"a": 4, "b": 2, "c": 2, "d": 11}
    coming = replace(batch().jobs[3], release_slot=Decimal(5))
    instance = replace(batch(), jobs=(*batch().jobs[:3], coming))
    change = Change(now=Decimal(4), late={"d": Decimal(3)})
    rest = cut(instance, planned(instance), change)
    assert (rest.instance.jobs[3].release_slot, rest.instance.jobs[3].iterations) == (4, 6)
    assert ends(rest, rest.waiting)["d"] == 10


def test_work_left_is_exact() -> None:
    """Two rings share uplinks: an iteration takes 0.5 * 2 + 0.5 s, alone 0.5 + 0.5 s."""
    ring = {"gpus": 2, "iterations": 9, "gradient_gb": 0.5, "backward_s": 0.5}
    rings = {"a": ring, "b": {**ring, "iterations": 3}}
    places = {name: (0, {"s0": 1, "s1": 1}) for name in "ab"}
    for progress, left in (("fractional", Fraction(19, 3)), ("continuous", Fraction(19, 3))):
        instance = makespan(
            rings, [2, 2], inter_bandwidth_gb_s=1, reduce_gb_s=None, progress=progress
        )
        rest = cut(instance, planned(instance, places), Change(now=Decimal(4)))
        assert rest.instance.jobs[0].iterations == left
        whole = check(instance, planned(instance, places)).ends
        assert {job: end + 4 for job, end in ends(rest, rest.kept).items()} == whole


def test_work_left_of_too_many_digits_is_rounded_down() -> None:
    left = 3 + Fraction(1, 3**8360)
    job = {"gpus": 1, "iterations": left, "backward_s": Decimal("0.7000000000000000000000000003")}
    instance = makespan({"a": job}, [1])
    rest = cut(instance, planned(instance, {"a": (0, {"s0": 1})}), Change(now=Decimal(1)))
    work = rest.instance.jobs[0].iterations
    exact = left - 1 / Fraction(job["backward_s"])
    assert 0 < exact - work < Fraction(1, 10**12)
    assert rest.kept is not None


def test_an_idle_server_that_comes_back_replaces_one_that_does_not() -> None:
    """Job a needs two servers. One of its own is lost for good, and a third is back at slot 3."""
    instance = makespan({"a": {"gpus": 4, **WORK}, "b": {"gpus": 1, **WORK}}, [2, 2, 2])
    plan = planned(instance, {"a": (0, {"s0": 2, "s1": 2}), "b": (6, {"s0": 1})})
    change = Change(now=Decimal(1), lost={"s0": None, "s2": Decimal(3)})
    rest = cut(instance, plan, change)
    assert rest.waiting is None
    assert ends(rest, repaired(rest)) == {"a": 8, "b": 14, out_name("s2"): 2}


def test_a_second_loss_of_a_server_that_was_out() -> None:
    first = rest_of(lost={"s0": Decimal(7)})
    second = cut(first.instance, first.waiting, Change(now=Decimal(1), lost={"s0": Decimal(9)}))
    assert [job.name for job in second.instance.jobs] == ["a", "b", "c", "d", out_name("s0")]
    assert second.instance.jobs[-1].iterations == 8
    assert ends(second, second.waiting)["a"] == 14


def test_lost_servers_leave_their_leaf() -> None:
    leaves = [{"name": "l", "servers": ["s0"]}, {"name": "r", "servers": ["s1", "s2"]}]
    instance = batch(contention={"model": "fluid", "leaves": leaves})
    change = Change(now=Decimal(4), lost={"s0": None})
    rest = cut(instance, planned(instance), change)
    assert [leaf.name for leaf in rest.instance.contention.leaves] == ["r"]
    assert repaired(rest) is not None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"now": "4.5"}, "--now: found 4.5, expected a whole slot, because progress is"),
        ({"now": 12}, "nothing is left: the plan ends at slot 12, by 12"),
        ({"lost": {"s0": Decimal("4.5")}}, "--lost s0: found 4.5, expected a whole slot"),
        ({"late": {"a": Decimal("0.5")}}, "--late a: found 0.5, expected a whole slot"),
        ({"now": 6, "late": {"a": Decimal(1)}}, "--late a: found 'a job that ends at slot 6'"),
        ({"lost": dict.fromkeys(("s0", "s1", "s2"))}, "nothing is left: all servers are lost"),
    ],
)
def test_changes_that_are_not_possible(change: Mapping[str, Any], fault: str) -> None:
    with pytest.raises((InputError, RefusedError), match=fault):
        rest_of(**change)


def test_a_job_without_room_on_the_servers_left() -> None:
    jobs = {"a": {"gpus": 4, **WORK}, "b": {"gpus": 1, **WORK}}
    instance = makespan(jobs, [2, 2])
    plan = planned(instance, {"a": (0, {"s0": 2, "s1": 2}), "b": (6, {"s0": 1})})
    with pytest.raises(RefusedError, match=r"the servers that are left are too small: .*at most 2"):
        cut(instance, plan, Change(now=Decimal(1), lost={"s0": None}))


def test_the_best_plan_is_never_worse_than_waiting() -> None:
    change = Change(now=Decimal(4), lost={"s0": Decimal(7)})
    made = replan(batch(), planned(batch()), change, lambda one: solve(one, "gang-lpt"))
    values = {one.name: one.verdict.objective for one in made.candidates}
    assert made.best.verdict.objective == min(v for v in values.values() if v is not None) == 8
    assert {"waiting", "repaired", "gang-lpt"} <= values.keys()
    assert made.bound.value <= 8


@pytest.mark.parametrize("index", range(60))
def test_random_cuts(index: int) -> None:
    """`python benchmarks/replan_cuts.py makespan` does more."""
    assert replan_cuts.faults_of("makespan", 5, index, Counter()) == []


def test_jobs_without_a_run_wait_behind_the_plan() -> None:
    """Job b starts on the idle server once d has started, and c after a."""
    part = planned(batch(), {"a": PLAN["a"], "d": (2, {"s1": 2})})
    whole = completed(batch(), part)
    assert check(batch(), whole).ends == {"a": 6, "d": 8, "b": 8, "c": 12}
    change = Change(now=Decimal(3), lost={"s2": None})
    made = replan(batch(), part, change, lambda one: solve(one, "gang-lpt"))
    assert (made.added, made.best.verdict.valid) == (2, True)


def test_rings_that_run_are_a_plan() -> None:
    rest = rest_of().instance
    assert [one.job for one in standing(rest).assignments] == ["a", "b", "c"]
    made = replan(rest, None, Change(now=Decimal(0)), lambda one: solve(one, "first-fit"))
    assert (made.added, made.best.verdict.makespan) == (1, 8)
