"""Benchmarks write their tables into pages, with a date."""

import shutil
import sys
from pathlib import Path

import pytest

from ringyard.campaigns.study_pages import parts_of, read_records

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import default_agreement
import first_commands
import limits
import on_page

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    shutil.copytree(DOCS / "studies", tmp_path / "docs/studies")
    return tmp_path / "docs"


def test_first_commands_write_their_table_and_its_header(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_commands, "taken", lambda *_: "0.5 (0.6)")
    before = (docs / "studies/speed.md").read_text("utf-8")
    assert first_commands.main(["--page", "--smoke"], docs) == 0
    page = (docs / "studies/speed.md").read_text("utf-8")
    old, new = parts_of(before), parts_of(page)
    assert new["first-commands"].splitlines()[2:] == [
        f"| `{command}` | 0.5 (0.6) | 0.5 (0.6) | 0.5 (0.6) |"
        for command in first_commands.FIRST[:2]
    ]
    assert {name for name in old if old[name] != new[name]} == {"first-commands"}
    now = read_records(docs)["speed#first-commands"]
    assert now.is_current
    assert now.machine
    assert now.speed_index_s
    assert f"> {now.header()}\n\n<!-- first-commands -->" in page


def test_without_page_nothing_is_written(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (docs / "studies/speed.md").read_text("utf-8")
    on_page.show(["| 1 |"], "speed", "limits", page=False, docs=docs)
    assert capsys.readouterr().out == "| 1 |\n"
    assert (docs / "studies/speed.md").read_text("utf-8") == before


def test_limits_name_the_latest_methods() -> None:
    rows = list(limits.summary({"makespan": {"a": 0.2, "b": 2.0, "c": 1.0, "d": -0.1}}))
    assert rows[2:] == ["| `makespan` | 4 | 0.6 | `b` 2.0, `c` 1.0 |"]


def test_the_default_s_table_counts_schedules_proofs_and_contradictions() -> None:
    rows = [
        {"optima": {"portfolio": 3.0, "enumeration": 3.0}, "disagreement": None},
        {"optima": {"portfolio": 4.0, "enumeration": None}, "disagreement": None},
        {"optima": {"portfolio": None, "enumeration": 5.0}, "disagreement": "wrong"},
        {"optima": {}, "disagreement": None},
    ]
    assert list(default_agreement.summary(rows))[2:] == ["| 4 | 3 | 2 | 1 | 1 |"]
