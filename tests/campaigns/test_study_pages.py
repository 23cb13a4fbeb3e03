"""Pages of studies are their texts with measured parts and a header about the measurement."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ringyard.campaigns import study_pages
from ringyard.campaigns.code_digest import digest_of_paths
from ringyard.campaigns.study_pages import (
    Measured,
    fill_page,
    index_table,
    measured_now,
    note_repeated,
    page_text,
    pages_of_reproductions,
    parts_of,
    read_records,
    records_text,
    renew,
)

DOCS = Path(__file__).parents[2] / "docs"
TEXT = "# Sizes\n\nHow large?\n\n<!-- sizes -->\n\nLarge.\n"
ONE = Measured(command="ringyard reproduce sizes --docs docs", date="2026-11-28", commit="0123abcd")
STUDIES = pages_of_reproductions()


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(study_pages, "speed_index", lambda: 0.5)
    (tmp_path / "studies/text").mkdir(parents=True)
    (tmp_path / "studies/text/sizes.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "studies/measured.json").write_text(records_text({"sizes": ONE}), encoding="utf-8")
    return tmp_path


def test_the_pages_are_what_their_texts_and_measurements_give(tmp_path: Path) -> None:
    """Else run `python docs/generate.py`: a page was edited, or code of a study has changed."""
    copy = tmp_path / "docs"
    shutil.copytree(DOCS / "studies", copy / "studies")
    assert renew(copy, STUDIES) == []


def test_every_measurement_belongs_to_a_study() -> None:
    texts = {path.stem for path in (DOCS / "studies/text").glob("*.md")}
    records = read_records(DOCS)
    whole = {name for name in records if "#" not in name}
    assert whole <= texts | {name for name, pages in STUDIES.items() if pages}
    for name in records.keys() - whole:
        page, part = name.split("#")
        assert f"<!-- {part} -->" in (DOCS / f"studies/text/{page}.md").read_text("utf-8")


def test_a_page_keeps_its_parts_and_loses_edits(docs: Path) -> None:
    studies = {"sizes": ("studies/sizes.md",)}
    page = docs / "studies/sizes.md"
    assert renew(docs, studies) == [page]
    measured = page.read_text("utf-8").replace("<!-- sizes -->\n\n", "<!-- sizes -->\n\n| 7 |\n")
    page.write_text(measured + "An edit.\n", encoding="utf-8")
    assert renew(docs, studies) == [page]
    assert parts_of(page.read_text("utf-8")) == {"sizes": "| 7 |"}
    assert "An edit." not in page.read_text("utf-8")
    assert renew(docs, studies) == []


def test_a_part_with_a_record_of_its_own_has_a_header(docs: Path) -> None:
    text = "# Sizes\n\nHow large?\n<!-- sizes -->\n<!-- speeds -->\n"
    (docs / "studies/text/sizes.md").write_text(text, encoding="utf-8")
    dated = replace(ONE, command="python speeds.py", date="2026-11-20")
    (docs / "studies/measured.json").write_text(records_text({"sizes#speeds": dated}), "utf-8")
    renew(docs, {})
    page = (docs / "studies/sizes.md").read_text("utf-8")
    assert page.endswith(
        "How large?\n\n<!-- sizes -->\n\n\n\n<!-- end -->\n\n"
        f"> {dated.header()}\n\n<!-- speeds -->\n\n\n\n<!-- end -->\n"
    )
    fill_page(docs, "sizes", {"speeds": "| 9 |"}, "sizes#speeds")
    page = (docs / "studies/sizes.md").read_text("utf-8")
    assert parts_of(page)["speeds"] == "| 9 |"
    now = read_records(docs)["sizes#speeds"]
    assert now.date > dated.date
    assert page.count("> Measured") == 1
    assert f"> {now.header()}\n\n<!-- speeds -->" in page
    assert "`python speeds.py` | " in index_table(docs, read_records(docs), {})


def test_the_header_says_when_the_code_is_older() -> None:
    code = ("rounding",)
    same = replace(ONE, code=code, code_digest=digest_of_paths(code))
    older = replace(same, code_digest="0" * 16)
    assert "older code" not in page_text("sizes.md", TEXT, {}, [same])
    assert "(**older code**)" in page_text("sizes.md", TEXT, {}, [older])


def test_a_measurement_takes_its_date_and_time_from_the_rows() -> None:
    rows = [
        {"finished": "2026-11-02T10:00:00Z", "cpu_seconds": 1.5},
        {"finished": "2026-11-03T10:00:00Z", "cpu_seconds": 2.5},
    ]
    one = measured_now("command", "3 seeds", ("rounding",), rows)
    assert (one.date, one.processor_s, one.setup) == ("2026-11-03", 4, "3 seeds")
    assert one.is_current
    assert one.speed_index_s is not None
    assert one.speed_index_s > 0
    assert json.loads(records_text({"a": one}))["a"]["code"] == ["rounding"]


def test_a_repeated_measurement_gets_today_s_date_and_code(docs: Path) -> None:
    older = replace(ONE, date="2020-01-01", code=("rounding",), code_digest="0" * 16)
    (docs / "studies/measured.json").write_text(records_text({"sizes": older}), encoding="utf-8")
    note_repeated(docs, "sizes")
    now = read_records(docs)["sizes"]
    assert (now.command, now.code) == (older.command, older.code)
    assert now.date > older.date
    assert now.is_current
    assert f"Measured {now.date}" in (docs / "studies/sizes.md").read_text("utf-8")
