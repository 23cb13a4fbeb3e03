"""Runs and their keys: what could change an answer is in the key, and nothing else."""

import json
from dataclasses import replace

import pytest

from ringyard.analysis.rows import COLUMNS
from ringyard.campaigns import runs
from ringyard.campaigns.code_digest import Code
from ringyard.campaigns.runs import BOUND, Run
from ringyard.instances import digest
from ringyard.instances.catalogue import load

RUN = Run(instance=load("hand-lpt"), method="gang-lpt")


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, instance=load("hand-area")),
        replace(RUN, method="first-fit"),
        replace(RUN, seed=1),
        replace(RUN, repetition=1),
        replace(RUN, threads=2),
        replace(RUN, horizon=9),
        replace(RUN, time_limit=5.0),
        replace(RUN, cpu_limit=5.0),
        replace(RUN, memory_limit=500.0),
    ],
)
def test_whatever_could_change_the_answer_is_another_run(other: Run) -> None:
    assert other.key != RUN.key


def test_another_name_of_the_same_problem_is_the_same_run() -> None:
    assert replace(RUN, instance=replace(RUN.instance, name="other", title="x")).key == RUN.key


def test_another_release_of_the_same_code_is_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = RUN.key
    monkeypatch.setattr(runs, "__version__", "99")
    assert replace(RUN).key == before


def test_other_code_of_ours_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = RUN.key
    monkeypatch.setattr(runs, "code_of", lambda *_, **__: Code("other", {}))
    assert replace(RUN).key != before


def test_another_version_of_the_solver_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    program = replace(RUN, method="linearised:highs")
    before = program.key
    runs._method_columns.cache_clear()
    monkeypatch.setattr(runs, "_version", lambda method: "99")
    assert replace(program).key != before
    runs._method_columns.cache_clear()


def test_a_task_is_plain_and_complete() -> None:
    task = json.loads(json.dumps(RUN.task()))
    assert task["key"] == RUN.key
    assert task["digest"] == digest(RUN.instance)
    assert json.loads(task["text"])["name"] == "hand-lpt"


def test_what_is_stated_are_columns() -> None:
    for run in (RUN, replace(RUN, method=BOUND), replace(RUN, method="linearised:highs")):
        assert run.stated().keys() <= COLUMNS.keys()


@pytest.mark.parametrize(
    ("method", "options", "solver"),
    [
        ("sjf-bco:kappa=4:mode=pack", "kappa=4:mode=pack", None),
        ("linearised", "", "highs"),
        ("linearised:scip", "", "scip"),
        (BOUND, "", None),
    ],
)
def test_options_and_solver_have_columns(method: str, options: str, solver: str | None) -> None:
    stated = replace(RUN, method=method).stated()
    assert (stated["options"], stated["solver"]) == (options, solver)
    assert (stated["solver_version"] is not None) == (solver is not None)
