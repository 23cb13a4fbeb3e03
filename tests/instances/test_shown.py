"""What Python shows of instances, schedules, bounds and answers: little text, and a picture."""

from dataclasses import replace
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import ringyard
from ringyard.families import FAMILIES


def sign(value: Any) -> int:
    """Return -1, 0 or 1."""
    return (value > 0) - (value < 0)


NAMED = {
    "makespan": "hand-contend",
    "online": "pdors-small-03x2x4",
    "trace": "tiny-trace-03x1",
    "rental": "rental-small-s0",
}


@pytest.mark.parametrize("name", NAMED.values())
def test_what_is_shown_of_an_answer_is_short(name: str) -> None:
    instance = ringyard.load(name)
    answer = ringyard.solve(instance, FAMILIES[instance.kind].default, time_limit=1e-9)
    lines = repr(answer).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) < 250
    assert name in lines[0]
    assert answer.status in lines[0]
    for entity in (instance, answer.schedule, answer.bound, answer.outcome, answer.verdict):
        assert len(repr(entity)) < 250
        assert "\n" not in repr(entity)


def test_the_size_does_not_depend_on_the_instance() -> None:
    small, large = (ringyard.generate("small", seed=0, jobs=jobs, servers=4) for jobs in (4, 4000))
    assert len(repr(large)) - len(repr(small)) < 10
    assert "4 servers, 4,000 jobs" in repr(large)


def test_what_is_faulty_can_be_shown() -> None:
    instance = replace(ringyard.load("hand-contend"), jobs=None)  # type: ignore[type-var]
    assert repr(instance) == "MakespanInstance(invalid: ringyard.save reports the errors)"
    assert repr(instance) in instance._repr_html_()
    with pytest.raises(ringyard.InputError, match="jobs: found null"):
        ringyard.save(instance, "nowhere.json")


def test_an_invalid_answer_says_which_rules_are_broken() -> None:
    instance = ringyard.load("hand-contend")
    schedule = ringyard.solve(instance, "gang-lpt").schedule
    verdict = ringyard.check(instance, replace(schedule, assignments=schedule.assignments[1:]))
    assert repr(verdict) == "Verdict(2 violations of completion, every_job_once)"
    assert repr(ringyard.check(instance, schedule)) == "Verdict(valid, objective 7)"


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_notebook_shows_a_dot_for_each_item_of_an_instance(kind: str) -> None:
    family = FAMILIES[kind]
    for name in family.examples:
        instance = ringyard.load(name)
        shown = instance._repr_html_()
        assert escape(repr(instance)) in shown
        assert f"family {kind}" in shown
        look = family.portrait
        items = getattr(instance, look.items) if look else ()
        assert shown.count('class="dot"') == len(items)
        assert shown.count("<svg") == (look is not None)


def test_a_dot_stands_at_the_numbers_of_its_job() -> None:
    from ringyard.analysis.portrait import portrait

    picture = portrait(ringyard.load("tiny-trace-03x1"))  # GPUs 1, 1, 2 for 4, 7, 4 seconds.
    assert picture is not None
    dots = [shape.at[0] for shape in picture.flat() if shape.role == "dot"]
    jobs = ringyard.load("tiny-trace-03x1").jobs
    for one, there in combinations(range(len(jobs)), 2):
        assert sign(dots[one][0] - dots[there][0]) == sign(jobs[one].gpus - jobs[there].gpus)
        longer = jobs[there].duration_s - jobs[one].duration_s
        assert sign(dots[one][1] - dots[there][1]) == sign(longer)


def test_of_many_jobs_a_sample_is_drawn() -> None:
    shown = ringyard.load("large-2000-s0")._repr_html_()
    assert shown.count('class="dot"') == 500
    assert "slots alone (500 of 2,000 jobs)" in shown


def test_a_notebook_shows_the_chart_of_answer_and_schedule() -> None:
    instance = ringyard.load("hand-contend")
    answer = ringyard.solve(instance, "gang-lpt")
    for shown in (answer._repr_html_(), answer.schedule._repr_html_()):
        assert shown.count("<svg") == 1
        assert all(job.name in shown for job in instance.jobs)


def test_a_plan_without_times_says_that_there_is_no_chart() -> None:
    answer = ringyard.solve(ringyard.load("rental-small-s0"), "equal-width")
    assert "<svg" not in answer._repr_html_()
    assert "no times to draw" in answer._repr_html_()


def test_a_schedule_finds_its_instance_by_digest_only() -> None:
    named = ringyard.load("hand-contend")
    schedule = ringyard.solve(named, "gang-lpt").schedule
    stranger = replace(schedule, digest="0" * 64)
    assert "is not available" in stranger._repr_html_()
    assert "<svg" not in replace(stranger, instance="nobody's")._repr_html_()


def test_entities_are_saved_and_come_back_equal(tmp_path: Path) -> None:
    instance = ringyard.load("hand-contend")
    schedule = ringyard.solve(instance, "gang-lpt").schedule
    instance.save(tmp_path / "one.json")
    schedule.save(tmp_path / "plan.json.gz")
    assert ringyard.load(tmp_path / "one.json") == instance
    assert ringyard.load_schedule(tmp_path / "plan.json.gz") == schedule
