"""What no run can be asked for is said in Python as on the command line, all of it at once."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ringyard
from ringyard.cli import main
from ringyard.instances.errors import InputError


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"seed": -1}, "seed: found -1, expected an integer from 0 to 2^63 - 1"),
        ({"seed": 2**63}, "seed: found 9223372036854775808, expected"),
        ({"seed": "7"}, "seed: found '7', expected"),
        ({"method": "gang_lpt"}, "makespan instances: method: found 'gang_lpt', expected one of"),
        ({"threads": 0}, "threads: found 0, expected an integer at least 1"),
        ({"threads": None}, "threads: found nothing, expected"),
        ({"threads": 1.5}, "threads: found 1.5 (float), expected"),
        ({"horizon": 0}, "horizon: found 0, expected"),
        ({"time_limit": -1}, "time_limit: found -1, expected seconds, 0 or more"),
        ({"time_limit": float("nan")}, "time_limit: found nan, expected"),
        ({"time_limit": "5"}, "time_limit: found '5', expected seconds, 0 or more. Remove the q"),
        ({"time_limit": True}, "time_limit: found true, expected seconds"),
        ({"seed": True}, "seed: found true, expected an integer"),
        ({"threads": "2"}, "threads: found '2', expected an integer at least 1. Remove the quotes"),
        ({"gap": "5%"}, "gap: found '5%', expected 0 or more, and less than 1. 0.01 is 1 per"),
        ({"gap": "0.05"}, "gap: found '0.05', expected 0 or more, and less than 1. Remove the"),
        ({"gap": 2}, "gap: found 2, expected 0 or more, and less than 1. 0.01"),
        ({"target": "x"}, "target: found 'x', expected a finite number. Give a value of the"),
        ({"target": float("inf")}, "target: found inf, expected a finite number"),
        ({"watch": 3}, "watch: found 3, expected a function of a better schedule"),
        ({"instance": "hand-lpt"}, "instance: found 'hand-lpt', expected an instance. Load it"),
    ],
)
def test_arguments_that_cannot_be_are_refused(asked: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"instance": ringyard.load("hand-lpt"), "method": "gang-lpt", **asked}
    with pytest.raises(InputError) as error:
        ringyard.solve(**given)
    assert words in str(error.value)


def test_no_time_at_all_is_for_python_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert ringyard.solve(ringyard.load("hand-lpt"), "gang-lpt", time_limit=0).valid
    assert main(["solve", "hand-lpt", "--time-limit", "0", "--threads", "0"]) == 2
    told = capsys.readouterr().err
    assert "--time-limit: found 0, expected seconds above 0" in told
    assert "--threads: found 0, expected an integer at least 1" in told


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("no instance", "instance: found 'hand-lpt', expected an instance. Load it"),
        ("an answer", "schedule: found an Answer, expected a schedule. Give answer.schedule"),
        ("a file", "schedule: found 's.json', expected a schedule. Load it: ringyard.load_sched"),
        ("a plan", "schedule: found an object with keys 'a', expected a schedule. Let a function"),
        ("nothing", "schedule: found nothing, expected a schedule. Load it"),
        ("swapped", "instance: found a Schedule, expected an instance. Give the instance, then"),
    ],
)
def test_what_cannot_be_checked_is_refused(case: str, words: str) -> None:
    instance = ringyard.load("hand-lpt")
    answer = ringyard.solve(instance, "gang-lpt")
    given: dict[str, tuple[Any, Any]] = {
        "no instance": ("hand-lpt", answer.schedule),
        "an answer": (instance, answer),
        "a file": (instance, "s.json"),
        "a plan": (instance, {"a": (0, {"s0": 2})}),
        "nothing": (instance, None),
        "swapped": (answer.schedule, instance),
    }
    with pytest.raises(InputError) as error:
        ringyard.check(*given[case])
    assert words in str(error.value)


def test_a_bound_is_of_an_instance() -> None:
    name: Any = "hand-lpt"
    with pytest.raises(InputError, match=r"expected an instance. Load it: ringyard\.load"):
        ringyard.bound(name)
    answer: Any = ringyard.solve(ringyard.load(name), "gang-lpt")
    with pytest.raises(InputError, match=r"found an Answer, .*. Give answer\.instance"):
        ringyard.bound(answer)


@pytest.mark.parametrize("seed", [-1, "1", 2**63, 0.5])
def test_a_seed_that_cannot_be_generates_nothing(seed: Any) -> None:
    with pytest.raises(InputError, match=r"seed: found .*, expected an integer from 0 to"):
        ringyard.generate("tiny-trace", seed=seed)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("out/first", "runs: found 'out/first', expected answers or a campaign. Load it: ringyard"),
        (3, "runs: found 3, expected answers or a campaign. Give a result of ringyard.solve"),
        ([3], "runs[0]: found 3, expected an answer. Give a result of ringyard.solve"),
        (["x"], "runs[0]: found 'x', expected an answer. Give a result of ringyard.solve"),
        ([ringyard.collect([])], "runs[0]: found a Campaign, expected an answer. Use the camp"),
        ([ringyard.load("hand-lpt")], "runs[0]: found a MakespanInstance, expected an answer"),
        (list(range(20)), "8 more problems are hidden"),
    ],
)
def test_what_is_no_answer_is_no_run(given: Any, words: str) -> None:
    for takes, named in ((ringyard.collect, "collect"), (ringyard.plot.ratios, "plot.ratios")):
        with pytest.raises(InputError) as error:
            takes(given)
        assert words in str(error.value)
        assert str(error.value).startswith(f"ringyard.{named}: ")


def test_one_answer_is_enough_for_a_campaign() -> None:
    answer = ringyard.solve(ringyard.load("hand-lpt"), "gang-lpt")
    assert ringyard.collect(answer).rows == ringyard.collect([answer]).rows


def test_only_instances_and_schedules_are_saved(tmp_path: Path) -> None:
    answer = ringyard.solve(ringyard.load("hand-lpt"), "gang-lpt")
    given: tuple[tuple[Any, str], ...] = (
        ("x", "entity: found 'x', expected an instance or a schedule. Make or load one first"),
        (
            answer,
            "entity: found an Answer, expected an instance or a schedule. Give answer.schedule",
        ),
        (None, "entity: found nothing, expected an instance or a schedule"),
    )
    for one, words in given:
        with pytest.raises(InputError) as error:
            ringyard.save(one, tmp_path / "one.json")
        assert words in str(error.value)


def test_a_function_whose_parameters_cannot_be_read_is_refused() -> None:
    def plan(instance: Any) -> Any:
        return {}

    with pytest.raises(InputError, match=r"plan:wrong=1: function: found .*wrong.*, expected a f"):
        ringyard.solve(ringyard.load("hand-lpt"), partial(plan, wrong=1))


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"jobs": ()}, "jobs: "),
        ({"iterations": -99}, "jobs[0].iterations: "),
        ({"gpus": 99}, "jobs[0].gpus: "),
    ],
)
def test_an_instance_changed_into_none_is_refused_by_all(
    changes: dict[str, Any], place: str
) -> None:
    """`dataclasses.replace` asks nothing; what takes an instance does."""
    sound = ringyard.load("hand-spread")
    schedule = ringyard.solve(sound, "gang-lpt").schedule
    none = "jobs" in changes
    jobs = () if none else (replace(sound.jobs[0], **changes), *sound.jobs[1:])
    broken = replace(sound, jobs=jobs)
    takers: tuple[Callable[[], Any], ...] = (
        lambda: ringyard.solve(broken),
        lambda: ringyard.bound(broken),
        lambda: ringyard.check(broken, schedule),
        lambda: ringyard.plot.gantt(broken, schedule),
    )
    told = set()
    for take in takers:
        with pytest.raises(InputError) as error:
            take()
        told.add(str(error.value))
    (said,) = told
    assert place in said


def test_an_entity_is_saved_under_names_that_are_read_again(tmp_path: Path) -> None:
    instance = ringyard.load("hand-lpt")
    with pytest.raises(InputError, match=r"suffix: found '.txt', expected a name that ends in .j"):
        instance.save(tmp_path / "zz.txt")
    assert not (tmp_path / "zz.txt").exists()
    instance.save(tmp_path / "zz.json.gz")
    assert ringyard.load(tmp_path / "zz.json.gz") == instance
