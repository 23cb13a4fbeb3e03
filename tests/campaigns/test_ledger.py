"""Rows as they come: what is written down is not done again, what differs is."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns import ledger
from ringyard.campaigns.ledger import BOUND, Ledger, Run
from ringyard.instances import Stop
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError
from ringyard.run import Answer, solve

RUN = Run(instance=load("hand-lpt"), method="gang-lpt")


def test_a_run_is_done_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    first = Ledger(path).row(RUN)
    monkeypatch.setattr(ledger, "solve", None)
    again = Ledger(path)
    assert again.has(RUN)
    assert again.row(RUN) == first
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, instance=load("hand-area")),
        replace(RUN, method="first-fit"),
        replace(RUN, seed=1),
        replace(RUN, time_limit=5.0),
    ],
)
def test_whatever_changes_the_answer_is_another_run(other: Run, tmp_path: Path) -> None:
    rows = Ledger(tmp_path / "rows.jsonl")
    rows.row(RUN)
    assert not rows.has(other)


def test_another_version_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Ledger(tmp_path / "rows.jsonl")
    rows.row(RUN)
    monkeypatch.setattr(ledger, "__version__", "99")
    assert not rows.has(RUN)


def test_an_interrupted_run_leaves_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **options: Any) -> Answer:
        answer = solve(*given, **options)
        return replace(answer, outcome=replace(answer.outcome, stop=Stop.INTERRUPTED))

    monkeypatch.setattr(ledger, "solve", interrupted)
    rows = Ledger(tmp_path / "rows.jsonl")
    with pytest.raises(KeyboardInterrupt):
        rows.row(RUN)
    assert not rows.has(RUN)
    assert not rows.path.exists()


def test_a_bound_needs_no_schedule(tmp_path: Path) -> None:
    row = Ledger(tmp_path / "rows.jsonl").row(replace(RUN, method=BOUND, time_limit=5.0))
    assert 0 < row["bound"] <= solve(RUN.instance, "enumeration").row()["objective"]
    assert not row["valid"]


@pytest.mark.parametrize("line", ["{", "[]", "{}", "7", '"x"', "\0"])
def test_a_damaged_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"key": "a"}) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: .*delete this line"):
        Ledger(path)
