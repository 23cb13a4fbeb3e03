"""A schedule written into a program is feasible there exactly if the judge accepts it."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from programs_breaches import breached
from programs_cases import make_instance, place, three
from strategies import makespan_instances, makespan_schedules

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.instances import InputError, MakespanInstance, Schedule

EXACT = ("nonconvex", "disjunctive", "linearised")
SLOTWISE = ("nonconvex", "disjunctive")


@st.composite
def cases(draw: st.DrawFn) -> tuple[MakespanInstance, Schedule, int]:
    """Draw an instance, a schedule without claims, and a horizon about as long as it."""
    instance = draw(
        makespan_instances(
            max_servers=3,
            max_gpus=3,
            max_jobs=3,
            contention="server_uplink",
            progress=draw(st.sampled_from(["floor", "fractional"])),
        )
    )
    drawn = draw(makespan_schedules(instance, latest=3))
    entries = tuple(replace(entry, end_slot=None) for entry in drawn.assignments)
    schedule = replace(drawn, makespan=None, digest="", assignments=entries)
    makespan = check(instance, schedule).makespan
    assume(makespan is not None)
    return instance, schedule, int(makespan or 0) + draw(st.integers(-2, 2))


@pytest.mark.parametrize("name", EXACT)
@given(case=cases())
@settings(max_examples=15)
def test_program_and_judge_agree(name: str, case: Any) -> None:
    instance, schedule, horizon = case
    program, verdict = find_formulation(name), check(instance, schedule)
    model = program.build(instance, horizon)
    program.write(model, schedule)
    found = breached(model)
    seen = verdict.makespan <= horizon
    assert (found == set()) == (verdict.valid and seen)
    if seen:
        assert {violation.rule for violation in verdict.violations} <= found
    if not found:
        assert model.latest_end() == verdict.makespan
    assert places(program.read(model)) == places(schedule) or "every_job_once" in found


@pytest.mark.parametrize("name", EXACT)
def test_a_job_that_holds_gpus_starts_there_at_once(name: str) -> None:
    first, *others = make_instance().jobs
    instance = replace(make_instance(), jobs=(replace(first, held=(("s0", 1),)), *others))
    elsewhere = (place("a", 0, s1=1), place("b", 1, s0=2), place("c", 3, s0=2, s1=1))
    later = (place("a", 1, s0=1), place("b", 1, s1=2), place("c", 4, s0=2, s1=1))
    for plan, rows in (
        (three(), set()),
        (replace(three(), assignments=elsewhere), {"held_here"}),
        (replace(three(), assignments=later), {"held"}),
    ):
        verdict, model = check(instance, plan), find_formulation(name).build(instance, 9)
        find_formulation(name).write(model, plan)
        assert {one.rule for one in verdict.violations} == ({"held"} if rows else set())
        if name == "linearised":  # It fixes variables: rows of these names would clash with `held`.
            rows = {{"held": "start", "held_here": "gpus"}[row] for row in rows}
        assert breached(model) >= rows
        assert not breached(model) - {"held", "held_here", "start", "gpus"}


def places(schedule: Schedule) -> dict[str, Any]:
    return {
        entry.job: (entry.start_slot, tuple(sorted(entry.gpus))) for entry in schedule.assignments
    }


@pytest.mark.parametrize("name", EXACT)
def test_a_right_schedule_breaks_nothing(name: str) -> None:
    assert check(make_instance(), three()).valid
    assert breached(written(name, three())) == set()


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(
    ("rule", "job", "wrong"),
    [
        ("gang", "b", place("b", 1, s1=1)),
        ("gang", "a", place("a", 0, s0=2)),
        ("capacity", "a", place("a", 2, s0=1)),
    ],
)
def test_a_wrong_schedule_breaks_the_row_of_the_rule(
    name: str, rule: str, job: str, wrong: Any
) -> None:
    schedule = with_entry(job, wrong)
    assert {violation.rule for violation in check(make_instance(), schedule).violations} == {rule}
    assert rule in breached(written(name, schedule))


@pytest.mark.parametrize("name", SLOTWISE)
def test_an_early_start_breaks_the_release_alone(name: str) -> None:
    schedule = with_entry("b", place("b", 0, s1=2))
    assert {violation.rule for violation in check(make_instance(), schedule).violations} == {
        "release"
    }
    assert breached(written(name, schedule)) == {"release"}


def test_the_linearisation_has_no_early_start_to_choose() -> None:
    found = breached(written("linearised", with_entry("b", place("b", 0, s1=2))))
    assert "every_job_once" in found


@pytest.mark.parametrize("name", EXACT)
def test_a_horizon_that_cuts_work_off_breaks_completes(name: str) -> None:
    late = with_entry("a", place("a", 6, s0=1))
    assert "completes" in breached(written(name, late, horizon=8))
    assert breached(written(name, late, horizon=9)) == set()


@pytest.mark.parametrize("name", EXACT)
def test_a_makespan_claimed_too_short_breaks_the_makespan_alone(name: str) -> None:
    model = written(name, three())
    model.makespan_slots.set_value(model.makespan_slots.value - 1)
    assert breached(model) == {"makespan"}


def test_moving_a_job_breaks_no_migration_alone() -> None:
    model = written("nonconvex", three())
    for variable in (model.gpus, model.some, model.short):
        here, there = variable["a", "s0", 2], variable["a", "s1", 2]
        here.value, there.value = there.value, here.value
    # b leaves its server free for a in this slot: only the move itself is wrong.
    assert breached(model) == {"no_migration"}


def test_interrupting_a_job_breaks_no_preemption() -> None:
    model = written("nonconvex", with_entry("a", place("a", 6, s0=1)))
    model.makespan_slots.set_value(10)
    names = ("gpus", "some", "short", "run", "done", "overhead_s", "iteration_s")
    for variable in (model.component(name) for name in names):
        swap_slots(variable, "a", 8, 9)
    assert breached(model) == {"no_preemption", "no_migration"}


@pytest.mark.parametrize(
    ("job", "wrong", "said"),
    [
        ("a", place("b", 0, s0=1), "one entry for each of a, b, c"),
        ("a", replace(place("a", 0, s0=1), start_slot=Decimal("0.5")), "a whole slot"),
        ("a", place("a", 0, s9=1), "the name of a server"),
    ],
)
def test_what_no_variable_can_say_is_refused(job: str, wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        written("linearised", with_entry(job, wrong))


def swap_slots(variable: Any, job: str, one: int, other: int) -> None:
    for index in variable:
        if index[0] == job and index[-1] == one:
            here, there = variable[index], variable[(*index[:-1], other)]
            here.value, there.value = there.value, here.value


def written(name: str, schedule: Schedule, horizon: int = 10) -> Any:
    program = find_formulation(name)
    model = program.build(make_instance(), horizon)
    program.write(model, schedule)
    return model


def with_entry(job: str, entry: Any) -> Schedule:
    entries = tuple(entry if old.job == job else old for old in three().assignments)
    return replace(three(), assignments=entries)
