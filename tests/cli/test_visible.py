"""What files and options say is shown, and does nothing to the terminal; lines fit into it."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.rows import COLUMNS
from ringyard.campaigns.store import hand_over
from ringyard.instances import save
from ringyard.instances.catalogue import load

Call = Callable[..., Any]

WILD = "\x1b[31mred\x07\x9b2J [bold]x[/bold] \u202e"


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    path = tmp_path / "yard.json"
    save(replace(load("hand-theorem5"), title=WILD, notes=WILD, source=WILD), path)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["show", "INSTANCE"],
        ["show", "INSTANCE", "--json"],
        ["solve", f"{WILD}.json"],
        ["solve", "INSTANCE", f"--{WILD}"],
        ["solve", "INSTANCE", "--method", WILD],
        ["solve", "INSTANCE", "--method", "gang-lpt", "--out", f"{WILD[:8]}.json"],
        ["list", WILD],
        [WILD],
    ],
)
def test_nothing_that_is_printed_is_a_command_to_the_terminal(
    ringyard: Call,
    instance: Path,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = ringyard(*[instance if word == "INSTANCE" else word for word in words])
    assert (done.out + done.err).replace("\n", "").isprintable()
    assert "red" in done.out + done.err or words[-1].startswith(WILD[:8])


def test_json_still_holds_what_cannot_be_printed(ringyard: Call, instance: Path) -> None:
    shown = ringyard("show", instance, "--json")
    assert json.loads(shown.out)["title"] == WILD


def test_rows_handed_over_as_csv_hold_no_formula(tmp_path: Path) -> None:
    row = dict.fromkeys(COLUMNS) | {"note": "=1+1", "instance": "-x", "method": "@x"}
    hand_over([row], tmp_path / "rows.csv")
    (read,) = csv.DictReader(StringIO((tmp_path / "rows.csv").read_text(encoding="utf-8")))
    assert [read[name] for name in ("note", "instance", "method")] == ["'=1+1", "'-x", "'@x"]


@pytest.mark.parametrize("columns", ["60", "90"])
def test_lines_of_tables_fit_into_columns(
    ringyard: Call, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = ringyard("list", "campaigns").out
    monkeypatch.setenv("COLUMNS", columns)
    fitted = ringyard("list", "campaigns").out
    assert max(map(len, fitted.splitlines())) <= int(columns) < max(map(len, whole.splitlines()))
    assert [word for word in fitted.split() if word.strip("-")] == [
        word for word in whole.split() if word.strip("-")
    ]


@pytest.mark.parametrize("columns", ["", "0", "-5", "wide", "1"])
def test_columns_that_say_nothing_change_nothing(
    ringyard: Call, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = ringyard("list", "campaigns").out
    monkeypatch.setenv("COLUMNS", columns)
    assert ringyard("list", "campaigns").out == whole
