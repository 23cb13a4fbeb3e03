"""Rows for other programs: the journal as it lies, and files made of it."""

import csv
import json
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest
from campaigns.runs_at_hand import Here, some_runs

from ringyard.analysis.rows import COLUMNS, Row
from ringyard.campaigns.drive import drive
from ringyard.campaigns.runs import BOUND, Run
from ringyard.campaigns.store import existing, form_of, hand_over, prepared
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a campaign with runs that went well, a bound, and a refusal."""
    place = tmp_path_factory.mktemp("campaign")
    lpt = load("hand-lpt")
    others = [Run(instance=lpt, method=method) for method in (BOUND, "drf", "branch-and-bound")]
    drive(prepared(place), [*others, *some_runs(3)], Here(), lambda state: None)
    return place


@pytest.fixture
def rows(folder: Path) -> list[Row]:
    return existing(folder).rows()


def test_duckdb_reads_the_journal_without_us(folder: Path, rows: list[Row]) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = f"select key, objective from read_json_auto('{folder}/journal/*.jsonl') order by key"
    found = duckdb.sql(query).fetchall()
    assert found == sorted((row["key"], row["objective"]) for row in rows)


def test_polars_reads_the_journal_without_us(folder: Path, rows: list[Row]) -> None:
    polars = pytest.importorskip("polars")
    files = sorted((folder / "journal").glob("*.jsonl"))
    found = polars.read_ndjson(files, infer_schema_length=None)
    assert set(found.columns) == set(COLUMNS)
    assert sorted(found["key"]) == sorted(row["key"] for row in rows)


def test_pandas_reads_the_journal_without_us(folder: Path, rows: list[Row]) -> None:
    pandas = pytest.importorskip("pandas")
    (file,) = (folder / "journal").glob("*.jsonl")
    found = pandas.read_json(file, lines=True)
    assert list(found.columns) == list(COLUMNS)
    assert sorted(found["key"]) == sorted(row["key"] for row in rows)


def test_parquet_has_every_row_and_type(tmp_path: Path, rows: list[Row]) -> None:
    polars = pytest.importorskip("polars")
    hand_over(rows, tmp_path / "rows.parquet")
    assert polars.read_parquet(tmp_path / "rows.parquet").to_dicts() == rows


def test_lines_are_those_of_the_journal(tmp_path: Path, rows: list[Row]) -> None:
    hand_over(rows, tmp_path / "rows.jsonl")
    text = (tmp_path / "rows.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in text.splitlines()] == rows


def test_csv_has_every_row(tmp_path: Path, rows: list[Row]) -> None:
    hand_over(rows, tmp_path / "rows.csv")
    found = list(csv.DictReader(StringIO((tmp_path / "rows.csv").read_text(encoding="utf-8"))))
    assert [row["key"] for row in found] == [row["key"] for row in rows]
    assert [json.loads(row["trajectory"] or "null") for row in found] == [
        row["trajectory"] for row in rows
    ]


def test_another_suffix_is_refused() -> None:
    with pytest.raises(InputError, match=r"found '\.xlsx', expected one of \.parquet"):
        form_of(Path("rows.xlsx"))


def test_rows_are_the_same_bytes_every_time(tmp_path: Path, rows: list[Row]) -> None:
    suffixes = [".csv", ".jsonl", *([".parquet"] if find_spec("polars") else [])]
    for suffix in suffixes:
        for name in ("a", "b"):
            hand_over(rows, tmp_path / (name + suffix))
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
