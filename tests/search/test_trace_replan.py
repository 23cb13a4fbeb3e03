"""Plans of traces that are cut and repaired: random cuts, and small cases by hand."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from check.trace.small import job, make_instance, plan, run, schedule, type_of
from little import few
from replan_cases import changed, drawn_plan, unchanged

from ringyard import solve
from ringyard.analysis.check import check
from ringyard.instances import (
    InputError,
    JobGroup,
    JobRuns,
    Outage,
    RefusedError,
    TraceInstance,
    TraceJob,
    digest,
)
from ringyard.methods import all_methods
from ringyard.running.replan import Change, replan
from ringyard.running.replan.trace import completed, cut, moved, repaired, standing
from ringyard.search.trace.follow import follow


@pytest.mark.parametrize("block", few(6, range(20)))
def test_nothing_lost_gives_the_remaining_plan_back(block: int) -> None:
    for seed in range(12 * block, 12 * block + 12):
        try:
            drawn_plan(seed)
        except RefusedError:
            continue
        assert unchanged(seed) == [], seed


@pytest.mark.parametrize("block", few(5, range(20)))
def test_repaired_plans_are_valid_and_never_worse_than_waiting(block: int) -> None:
    for seed in range(12 * block, 12 * block + 12):
        try:
            drawn_plan(seed)
        except RefusedError:
            continue
        assert changed(seed)[1] == [], seed


def begun(instance: TraceInstance, name: str) -> TraceJob:
    [found] = [one for one in instance.jobs if one.name == name]
    return found


def two_servers(**more: object) -> TraceInstance:
    return make_instance(
        {"a": 2, "b": 2}, job("x", 2, 100), job("y", 1, 50, 20), restart_s=10, resume_s=3, **more
    )


def test_a_cut_keeps_work_places_and_the_restart_that_is_being_paid() -> None:
    # x works for 20 s on a, and restarts on b from 40 to 50. The cut at 44 leaves 6 s to pay.
    instance = two_servers()
    made = schedule(plan("x", run(0, 20, a=2), run(40, None, b=2)), plan("y", run(20, None, a=1)))
    rest = cut(instance, made, Change(now=Decimal(44)))
    x, y = begun(rest.instance, "x"), begun(rest.instance, "y")
    assert (x.done_s, dict(x.held or ()), x.held_s, x.stopped) == (20, {"b": 2}, 6, False)
    assert (y.done_s, dict(y.held or ()), y.held_s, y.arrival_s) == (24, {"a": 1}, 0, 0)
    assert check(rest.instance, rest.plan).ends == {"x": 130 - 44, "y": 70 - 44}


def test_a_stopped_job_pays_for_its_next_run() -> None:
    instance = two_servers()
    first = run(0, 20, a=2)
    for server, cost in (("a", 3), ("b", 10)):
        made = schedule(plan("x", first, run(40, None, **{server: 2})), plan("y", run(20, 40, a=1)))
        made = replace(made, jobs=(made.jobs[0], plan("y", run(140, None, a=1))))
        rest = cut(instance, made, Change(now=Decimal(30)))
        assert begun(rest.instance, "x").stopped
        assert check(rest.instance, rest.plan).ends["x"] == 10 + cost + 80


def test_a_lost_server_costs_the_work_since_the_last_checkpoint() -> None:
    instance = replace(two_servers(), checkpoint_s=Decimal(15))
    made = schedule(plan("x", run(0, None, a=2)), plan("y", run(20, None, b=1)))
    back = cut(instance, made, Change(now=Decimal(40), lost={"a": Decimal(60)}))
    x = begun(back.instance, "x")
    assert (x.done_s, x.stopped, dict(x.held or ())) == (30, True, {"a": 2})
    assert back.kept is None
    assert back.waiting is not None
    # Waiting: 20 s, then 3 s to resume and 70 s of work.
    assert check(back.instance, back.waiting).ends["x"] == 93
    # Moving to b when y ends takes longer: 30 s, then 10 s to restart and 70 s of work.
    assert check(back.instance, repaired(back)).ends["x"] == 93
    gone = cut(instance, made, Change(now=Decimal(40), lost={"a": None}))
    assert (gone.waiting, begun(gone.instance, "x").held) == (None, ())
    assert check(gone.instance, repaired(gone)).ends == {"y": 30, "x": 30 + 10 + 70}


def test_a_late_job_has_more_work_or_arrives_later() -> None:
    instance = two_servers()
    made = schedule(plan("x", run(0, None, a=2)), plan("y", run(20, None, b=1)))
    rest = cut(instance, made, Change(now=Decimal(10), late={"x": Decimal(5), "y": Decimal(7)}))
    assert (begun(rest.instance, "x").duration_s, begun(rest.instance, "y").arrival_s) == (105, 17)
    assert check(rest.instance, rest.waiting).ends == {"x": 95, "y": 67}
    found = moved(check(rest.instance, rest.waiting), check(rest.instance, rest.waiting), rest)
    assert found == []


def test_jobs_without_a_plan_are_served_last() -> None:
    instance = two_servers()
    made = schedule(plan("x", run(0, None, a=2)))
    found = follow(instance, made, (), "followed")
    assert found is not None
    assert check(instance, found.schedule).ends == {"x": 100, "y": 70}


REFUSES = ("state-search", "tickwise", "allox")


def three_begun() -> TraceInstance:
    goes_on = job("z", 1, 9, done_s=4, held=(("b", 1),), held_s=2)
    waits = replace(job("x", 2, 12, held=(("a", 2),)), stopped=True)
    return make_instance(
        {"a": 2, "b": 2}, goes_on, waits, job("y", 1, 6, 3), restart_s=3, resume_s=1
    )


@pytest.mark.parametrize(
    "method", [one.name for one in all_methods("trace") if one.name not in REFUSES]
)
def test_methods_follow_jobs_that_have_begun(method: str) -> None:
    answer = solve(three_begun(), method, time_limit=2.0 if method == "weight-search" else None)
    assert answer.valid
    # z has 5 s of work left, and pays 2 s or 3 s before.
    assert answer.verdict.ends["z"] >= 7  # type: ignore[union-attr]


@pytest.mark.parametrize("method", REFUSES)
def test_other_methods_refuse_them(method: str) -> None:
    with pytest.raises(RefusedError):
        solve(three_begun(), method)


def test_what_cannot_be_cut_is_refused() -> None:
    instance = two_servers()
    made = schedule(plan("x", run(0, None, a=2)), plan("y", run(20, None, b=1)))

    def refused(**change: object) -> str:
        with pytest.raises((InputError, RefusedError)) as error:
            cut(instance, made, Change(**change))  # type: ignore[arg-type]
        return str(error.value)

    assert "a multiple of tick_s" in refused(now=Decimal("0.5"))
    assert "nothing is left" in refused(now=Decimal(100))
    assert "a job that has ended by 80" in refused(now=Decimal(80), late={"y": Decimal(1)})
    assert "all servers are lost" in refused(now=Decimal(1), lost={"a": None, "b": None})
    wide = replace(instance, jobs=(*instance.jobs, job("z", 4, 10, 30)))
    wider = replace(made, jobs=(*made.jobs, JobRuns(job="z", runs=(run(100, None, a=2, b=2),))))
    with pytest.raises(InputError, match="at most 2"):
        cut(wide, wider, Change(now=Decimal(1), lost={"a": None}))


def test_replan_refuses_unknown_names_and_invalid_plans() -> None:
    instance = two_servers()
    made = schedule(plan("x", run(0, None, a=2)), plan("y", run(20, None, b=1)))

    def refused(plan: object, **change: object) -> str:
        with pytest.raises(InputError) as error:
            replan(instance, plan, Change(**change), lambda _: pytest.fail("no method"))  # type: ignore[arg-type]
        return str(error.value)

    assert "--lost: found 'c', expected one of a, b" in refused(
        made, now=Decimal(1), lost={"c": None}
    )
    assert "--late: found 'q'" in refused(made, now=Decimal(1), late={"q": Decimal(1)})
    assert "a moment after 9" in refused(made, now=Decimal(9), lost={"a": Decimal(9)})
    early = schedule(plan("x", run(0, None, a=2)), plan("y", run(0, None, b=1)))
    assert "a valid schedule" in refused(early, now=Decimal(1))


def test_the_rest_of_a_plan_is_a_file_of_its_own() -> None:
    instance = two_servers()
    made = schedule(plan("x", run(0, None, a=2)), plan("y", run(20, None, b=1)))
    rest = cut(instance, made, Change(now=Decimal(30)))
    assert rest.plan.digest == digest(rest.instance)
    again = cut(rest.instance, rest.plan, Change(now=Decimal(0)))
    assert again.instance.jobs == rest.instance.jobs
    assert check(again.instance, again.plan).ends == check(rest.instance, rest.plan).ends
    assert Fraction(70) == check(rest.instance, rest.plan).ends["x"]


def test_jobs_without_a_run_wait_behind_the_plan() -> None:
    """Job x comes back to a, so y and z wait for GPUs of b, and y goes first."""
    instance = make_instance(
        {"a": 2, "b": 2}, job("x", 2, 100), job("y", 1, 50), job("z", 2, 30), resume_s=3
    )
    made = schedule(plan("x", run(0, 20, a=2), run(40, None, a=2)))
    whole = completed(instance, made)
    assert check(instance, whole).ends == {"x": 40 + 3 + 80, "y": 50, "z": 80}
    change = Change(now=Decimal(0), lost={"b": None})
    result = replan(instance, made, change, lambda one: solve(one, "srsf"))
    assert (result.added, result.best.verdict.valid) == (2, True)


def test_quotas_are_kept_for_the_plan() -> None:
    """A group may use two GPUs, and x needs both of them at 20."""
    jobs = (replace(one, group="g") for one in (job("x", 2, 10), job("y", 1, 50)))
    instance = replace(make_instance({"a": 2, "b": 2}, *jobs), groups=(JobGroup(name="g", most=2),))
    whole = completed(instance, schedule(plan("x", run(20, None, a=2))))
    assert check(instance, whole).ends == {"x": 30, "y": 80}


def test_a_queue_is_a_plan_of_its_running_jobs() -> None:
    """Job y was stopped, so only x runs on."""
    x, y = job("x", 2, 100, held=(("a", 2),)), job("y", 1, 50, held=(("b", 1),))
    instance = make_instance({"a": 2, "b": 2}, x, replace(y, stopped=True))
    assert [(one.job, one.runs) for one in standing(instance).jobs] == [("x", (run(0, None, a=2),))]
    out = replace(instance, outages=(Outage(server="a", from_s=Decimal(0), until_s=Decimal(9)),))
    assert standing(out).jobs == ()
    found = replan(instance, None, Change(now=Decimal(0)), lambda one: solve(one, "srsf"))
    assert found.best.name == "kept"
    assert found.best.verdict.ends == {"x": 100, "y": 50}


def test_a_plan_that_lacks_jobs_has_to_be_valid() -> None:
    instance = make_instance({"a": 2}, job("x", 2, 100), job("y", 1, 50))
    half = schedule(plan("x", run(0, None, a=1)))
    with pytest.raises(InputError, match=r"found 2 violations of .*, expected a valid schedule"):
        replan(instance, half, Change(now=Decimal(0)), lambda one: solve(one, "srsf"))
    with pytest.raises(InputError, match="PLAN: found none, expected a schedule, because no job"):
        replan(instance, None, Change(now=Decimal(0)), lambda one: solve(one, "srsf"))


@pytest.mark.parametrize("block", few(3, range(20)))
def test_any_part_of_a_plan_is_completed(block: int) -> None:
    for seed in range(12 * block, 12 * block + 12):
        try:
            instance, made = drawn_plan(seed)
        except RefusedError:
            continue
        kept = tuple(one for one in made.jobs if Random(f"{seed} {one.job}").random() < 0.5)
        whole = completed(instance, replace(made, jobs=kept, mean_jct_s=None))
        assert check(instance, whole).valid, seed
        starts = {one.job: one.runs[0].start_s for one in whole.jobs} if whole else {}
        assert {one.job: starts[one.job] for one in kept} == {
            one.job: one.runs[0].start_s for one in kept
        }, seed


def test_a_cut_keeps_the_time_since_the_last_checkpoint() -> None:
    """Job x saves its work at 30 and 60. An outage at 70 loses 10 s, with or without a cut at 40.

    At 80 it resumes for 3 s, with 40 s left.
    """
    out = Outage(server="a", from_s=Decimal(70), until_s=Decimal(80))
    instance = replace(two_servers(checkpoint_s=30), outages=(out,))
    made = schedule(plan("x", run(0, 70, a=2), run(80, None, a=2)), plan("y", run(20, None, b=1)))
    assert check(instance, made).ends == {"x": 123, "y": 70}
    rest = cut(instance, made, Change(now=Decimal(40)))
    x = begun(rest.instance, "x")
    assert (x.done_s, x.unsaved_s, x.unsaved_done_s) == (40, 10, 10)
    assert check(rest.instance, rest.plan).ends == {"x": 123 - 40, "y": 70 - 40}
    # If a is lost at 0 of the rest, these 10 s are lost.
    lost = cut(rest.instance, rest.plan, Change(now=Decimal(0), lost={"a": Decimal(5)}))
    x = begun(lost.instance, "x")
    assert (x.done_s, x.unsaved_s, x.unsaved_done_s, x.stopped) == (30, 0, 0, True)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"unsaved_s": 30}, "unsaved_s: found 30, expected less than checkpoint_s"),
        ({"unsaved_s": 5, "held_s": 1}, "unsaved_s: found 5, expected 0, unless the run goes on"),
        ({"unsaved_done_s": 5}, "unsaved_done_s: found 5, expected a multiple of 0.000001 up to 0"),
        (
            {"unsaved_s": 5, "unsaved_done_s": 21},
            "found 21, expected a multiple of 0.000001 up to 20",
        ),
        ({"unsaved_s": 5, "held": None}, "unsaved_s: found 5, expected nothing without `held`"),
    ],
)
def test_impossible_checkpoints_are_refused(fields: dict[str, Any], fault: str) -> None:
    held = {"held": (("a", 2),), "done_s": 20, **fields}
    with pytest.raises(InputError, match=fault):
        make_instance({"a": 2}, job("x", 2, 100, **held), checkpoint_s=30)


def test_a_cut_in_a_later_phase_keeps_the_phase() -> None:
    """A quarter at speed 1 until 3 s, the rest at 0.5: at 7 s, 4.5 s of work are done."""
    slow = type_of("slow", (0.25, {1: 1}), (0.75, {1: 0.5}))
    small = make_instance({"a": 1}, job("x", 1, 10, type="slow"), types=(slow,))
    made = schedule(plan("x", run(0, None, a=1)))
    rest = cut(small, made, Change(now=Decimal(7)))
    assert begun(rest.instance, "x").done_s == Decimal("4.5")
    assert check(small, made).ends == {"x": 18}
    assert check(rest.instance, rest.plan).ends == {"x": 18 - 7}
    late = Change(now=Decimal(7), late={"x": Decimal(2)})
    with pytest.raises(InputError, match="--late x: found a job of type 'slow' that has begun"):
        cut(small, made, late)
