"""`ringyard shrink` finds what faulty methods get wrong, and says when there is nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from injected import early, fragile, halted, inject, pessimist

from ringyard.cli.shrink import disagreement
from ringyard.instances import load_instance


@pytest.fixture(autouse=True)
def _faulty_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    inject(monkeypatch, early=early, pessimist=pessimist, fragile=fragile, halted=halted)


def run(ringyard: Callable[..., Any], out: Path, methods: str, *more: object) -> Any:
    return ringyard("shrink", "small-06x2", "--methods", methods, "--out", out, *more)


def test_a_wrong_bound_is_kept_while_the_instance_shrinks(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "small.json"
    done = run(ringyard, out, "enumeration,pessimist")
    assert done.code == 0
    smallest = load_instance(out)
    assert [(job.gpus, job.iterations) for job in smallest.jobs] == [(1, 1), (1, 1)]
    found = disagreement(smallest, ["enumeration", "pessimist"], None)
    assert found is not None
    said = "pessimist claims that there is none below 3"
    assert found.text == f"{said}, but enumeration has a valid schedule of 2 slots"
    assert found.text in done.out
    assert smallest.notes == found.text
    assert smallest.source == "shrunk from small-06x2"
    assert "shrunk to 2 jobs, 1 server, 1 GPU\n" in done.out


def test_a_crash_and_an_invalid_schedule_need_no_second_method(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "small.json"
    done = run(ringyard, out, "fragile")
    assert "fragile stopped with ZeroDivisionError: no third job expected" in done.out
    assert len(load_instance(out).jobs) == 3
    releases = tmp_path / "late.json"
    made = ("generate", "small", "--seed", 1, "--set", "jobs=4", "--set", "servers=2")
    ringyard(*made, "--set", "release_slots=8", "--out", releases)
    done = ringyard("shrink", releases, "--methods", "early", "--out", out)
    assert "early gave an invalid schedule (release)" in done.out
    (job,) = load_instance(out).jobs
    assert job.release_slot == 1


def test_the_kind_of_contradiction_stays_the_same(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "small.json"
    run(ringyard, out, "fragile,pessimist")
    found = disagreement(load_instance(out), ["fragile", "pessimist"], None)
    assert found is not None
    assert found.kind == "error of fragile"


def test_agreement_ends_with_exit_code_3_and_no_file(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "small.json"
    done = run(ringyard, out, "enumeration, gang-lpt")
    assert done.code == 3
    assert "do not contradict each other" in done.out
    assert run(ringyard, out, "enumeration", "--json").json["disagreement"] is None
    assert not out.exists()


def test_an_interrupt_keeps_the_smallest_so_far(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "small.json"
    done = run(ringyard, out, "halted,enumeration", "--json")
    assert done.code == 130
    assert done.json["termination"] == "interrupted"
    assert len(load_instance(out).jobs) == 3


@pytest.mark.parametrize(
    ("methods", "file", "more", "word"),
    [
        ("none", "a.json", (), "method: found 'none'"),
        ("enumeration", "a.txt", (), "--out"),
        ("enumeration", "missing/a.json", (), "--out"),
        ("enumeration", "a.json", ("--run-limit", 0), "--run-limit"),
        ("enumeration", "a.json", ("--time-limit", -1), "--time-limit"),
    ],
)
def test_wrong_options_are_refused(
    ringyard: Callable[..., Any],
    tmp_path: Path,
    methods: str,
    file: str,
    more: tuple[object, ...],
    word: str,
) -> None:
    done = run(ringyard, tmp_path / file, methods, *more)
    assert done.code == 2
    assert word in done.err
