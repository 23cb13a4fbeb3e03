"""`ringyard reproduce`: what can be made again, tables and figures, and going on after Ctrl-C."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns import ledger
from ringyard.campaigns.ledger import BOUND
from ringyard.instances import digest
from ringyard.instances.generate import generate
from ringyard.run import Answer, solve

QUICK = ("--figure", 4, "--seeds", 2, "--time-limit", 0.2)
Call = Callable[..., Any]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_alone_it_lists_what_there_is(ringyard: Call) -> None:
    shown, said = ringyard("reproduce"), ringyard("reproduce", "--json")
    names = [row["name"] for row in said.json["campaigns"]]
    assert names == ["mobihoc", "sensitivity", "pd-ors"]
    assert all(name in shown.out for name in names)


def test_a_figure_is_tables_pictures_and_sentences(ringyard: Call, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = ringyard("reproduce", "mobihoc", "--out", tmp_path, *QUICK)
    assert done.code == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "rows.jsonl",
        "statements.md",
        *(f"figure-4.{suffix}" for suffix in ("tex", "md", "csv", "svg", "pdf")),
    }
    assert (tmp_path / "figure-4.md").read_text(encoding="utf-8").strip() in done.out
    for line in (tmp_path / "statements.md").read_text(encoding="utf-8").splitlines():
        assert line in done.out


def test_its_rows_are_those_of_solve(ringyard: Call, tmp_path: Path) -> None:
    ringyard("reproduce", "mobihoc", "--out", tmp_path, *QUICK)
    rows = {(row["digest"], row["method"]): row for row in rows_of(tmp_path)}
    for seed in (0, 1):
        instance = generate("mobihoc", seed=seed)
        for method in ("sjf-bco", "list-scheduling", "first-fit", "random"):
            answer = solve(instance, method, seed=seed)
            assert rows[digest(instance), method]["objective"] == answer.objective
    assert sum(row["method"] == BOUND for row in rows.values()) == 2


def test_it_goes_on_where_it_was_interrupted(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def counted(instance: Any, method: str, **options: Any) -> Answer:
        if len(calls) == 3:
            calls.clear()
            raise KeyboardInterrupt
        calls.append(method)
        return solve(instance, method, **options)

    monkeypatch.setattr(ledger, "solve", counted)
    stopped = ringyard("reproduce", "mobihoc", "--out", tmp_path, *QUICK)
    assert (stopped.code, stopped.out) == (130, "")
    assert "after 3 of 12 runs" in stopped.err
    kept = rows_of(tmp_path)
    assert len(kept) == 3
    monkeypatch.setattr(ledger, "solve", solve)
    assert ringyard("reproduce", "mobihoc", "--out", tmp_path, *QUICK).code == 0
    assert rows_of(tmp_path)[:3] == kept
    assert len(rows_of(tmp_path)) == 12


def test_a_second_call_says_the_same_and_runs_nothing(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("reproduce", "mobihoc", "--out", tmp_path, *QUICK, "--json")
    first = ringyard(*words)
    monkeypatch.setattr(ledger, "solve", None)
    assert ringyard(*words).json == first.json
    assert first.json["reproduced"] == "mobihoc"
    assert all(Path(name).is_file() for name in first.json["files"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mobihock"], "did you mean 'mobihoc'"),
        (["mobihoc", "--figure", "3"], "--figure: found 3; expected one of 4, 5, 6, 7"),
        (["sensitivity", "--figure", "4"], "--figure: found 4; expected no choice"),
        (["mobihoc", "--seeds", "0"], "--seeds: found 0"),
        (["mobihoc", "--time-limit", "0"], "--time-limit: found 0"),
        (["mobihoc", "--seeds", "1.5"], "1.5"),
    ],
)
def test_what_cannot_be_made_is_refused(ringyard: Call, words: list[str], said: str) -> None:
    done = ringyard("reproduce", *words)
    assert done.code == 2
    assert said in done.err


def test_a_folder_that_cannot_be_is_refused(ringyard: Call, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    done = ringyard("reproduce", "mobihoc", "--out", tmp_path / "taken")
    assert done.code == 2
    assert "a writable folder" in done.err
