"""Folders of campaigns that were changed since they were written, as commands read them."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import Here

from ringyard.analysis.rows import LATER
from ringyard.campaigns.drive import drive
from ringyard.campaigns.journal import seal, to_line
from ringyard.campaigns.runs import BOUND, Run
from ringyard.campaigns.store import existing, keep_plan, prepared
from ringyard.instances.catalogue import load

Call = Callable[..., Any]

RUNS = tuple(
    Run(instance=load(name), method=method)
    for name, methods in {
        "hand-lpt": ("gang-lpt", "list-scheduling", "enumeration", BOUND),
        "hand-online-trap": ("fifo",),
    }.items()
    for method in methods
)
SCHEDULES = 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    store = prepared(folder)
    drive(store, RUNS, Here(), lambda _: None)
    keep_plan(store, 'name = "some"\n', RUNS)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Return a copy that may be damaged."""
    return Path(shutil.copytree(made, tmp_path / "some"))


def journal(folder: Path) -> Path:
    (path,) = (folder / "journal").iterdir()
    return path


def edit(folder: Path, method: str, *, bare: bool = False, **cells: Any) -> None:
    """Put other values into the row of a method; `bare` takes away the digests of all rows."""
    lines = []
    for line in journal(folder).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        row |= cells if row["method"] == method else {}
        lines.append(json.dumps({n: c for n, c in row.items() if not (bare and n in LATER)}))
    journal(folder).write_text("\n".join([*lines, ""]), encoding="utf-8")


def schedule_of(folder: Path, method: str) -> Path:
    (row,) = [row for row in existing(folder).rows() if row["method"] == method]
    return folder / str(row["schedule"])


def test_a_folder_as_it_was_written_holds(ringyard: Call, made: Path) -> None:
    done = ringyard("check", made)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{len(RUNS)} rows, {SCHEDULES} schedules judged: all correct\n"
    told = ringyard("check", made, "--json").json
    assert (told["rows"], told["judged"]) == (len(RUNS), SCHEDULES)
    assert told["left_out"] == told["broken"] == told["contradictions"] == []


@pytest.mark.parametrize("factor", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_an_edited_objective_is_noticed_by_every_reader(
    factor: int, ringyard: Call, folder: Path, tmp_path: Path
) -> None:
    value = load_row(folder, "gang-lpt")["objective"]
    edit(folder, "gang-lpt", objective=factor * value)
    plot = ("plot", folder, "--kind", "ratios", "--family", "makespan")
    for words in (
        ("table", folder, "--kind", "all"),
        ("report", folder, "--out", tmp_path / "page.html"),
        (*plot, "--out", tmp_path / "x.svg"),
        ("journal", folder),
        ("check", folder),
    ):
        done = ringyard(*words)
        assert "left out: 1 line changed since written: journal/" in done.err
        assert "without a row: 1 run of the campaign" in done.err
        assert done.code == (1 if words[0] == "check" else 0)
    assert "gang-lpt" not in ringyard("journal", folder).out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 line changed since written" in page


def load_row(folder: Path, method: str) -> dict[str, Any]:
    (row,) = [row for row in existing(folder).rows() if row["method"] == method]
    return row


@pytest.mark.parametrize(
    ("method", "cells", "said"),
    [
        ("gang-lpt", {"objective": 33.0}, "gang-lpt on hand-lpt, seed 0: objective 11 by the ju"),
        ("gang-lpt", {"objective": 3.0}, "objective 11 by the judge, 3.0 in the row"),
        (
            "gang-lpt",
            {"valid": False},
            "valid according to the judge, invalid according to the row",
        ),
        ("gang-lpt", {"violations": 2, "valid": False}, "invalid according to the row"),
        ("gang-lpt", {"schedule": None}, "objective 11.0 without a schedule"),
        ("gang-lpt", {"family": "online"}, "family: found makespan and makespan-schedule"),
        (BOUND, {"bound": 99.0}, "gave a valid value of 9.0, below the combinatorial bound 99.0"),
        ("enumeration", {"bound": 99.0}, "4 schedules judged: 1 contradiction"),
    ],
)
def test_without_digests_the_judge_notices(
    method: str, cells: dict[str, Any], said: str, ringyard: Call, folder: Path
) -> None:
    edit(folder, method, bare=True, **cells)
    done = ringyard("check", folder)
    assert done.code == 1
    assert said in done.out
    assert f"{len(RUNS)} rows without a digest" in done.err
    assert "5 rows without a digest" in ringyard("table", folder).err


def test_a_schedule_in_the_place_of_another_is_noticed(
    ringyard: Call, folder: Path, tmp_path: Path
) -> None:
    shutil.copy(schedule_of(folder, "list-scheduling"), schedule_of(folder, "gang-lpt"))
    done = ringyard("check", folder)
    assert done.code == 1
    assert "gang-lpt on hand-lpt, seed 0: " in done.out
    assert "found changed since written" in done.out
    assert f"{len(RUNS)} rows, {SCHEDULES} schedules judged: 1 no longer hold" in done.out
    page = tmp_path / "page.html"
    told = ringyard("report", folder, "--out", page)
    assert told.code == 0
    assert "changed since written" in told.err
    assert "Unreadable or invalid: 1" in page.read_text(encoding="utf-8")


def test_the_digest_of_a_schedule_is_of_its_text_not_of_how_it_is_packed(
    ringyard: Call, folder: Path
) -> None:
    path, row = schedule_of(folder, "gang-lpt"), load_row(folder, "gang-lpt")
    text = gzip.decompress(path.read_bytes())
    assert row["schedule_digest"] == sha256(text).hexdigest()[:32]
    path.write_bytes(gzip.compress(text, 1, mtime=7))  # Other versions of zlib pack otherwise.
    assert ringyard("check", folder).code == 0


def test_a_digest_of_the_packed_file_of_older_rows_is_still_followed(
    ringyard: Call, folder: Path
) -> None:
    path = schedule_of(folder, "gang-lpt")
    sealed = load_row(folder, "gang-lpt") | {"schedule_digest": seal(path.read_bytes())}
    lines = [load_row(folder, run.method) for run in RUNS if run.method != "gang-lpt"]
    journal(folder).write_bytes(b"".join(map(to_line, [sealed, *lines])))
    assert ringyard("check", folder).code == 0
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b" ", b"  ", 1)))
    assert "found changed since written" in ringyard("check", folder).out


def test_a_schedule_that_is_none_is_rejected(ringyard: Call, folder: Path) -> None:
    path = schedule_of(folder, "gang-lpt")
    plan = json.loads(gzip.decompress(path.read_bytes()))
    for one in plan["assignments"]:
        one["start_slot"] = 0
    path.write_bytes(gzip.compress(json.dumps(plan).encode()))
    edit(folder, "gang-lpt", bare=True)
    done = ringyard("check", folder)
    assert done.code == 1
    assert "gang-lpt on hand-lpt, seed 0: the judge rejects it: " in done.out


@pytest.mark.parametrize("how", ["gone", "pipe", "folder", "other", "text"])
def test_an_instance_that_is_not_there_is_named_and_tables_are_made(
    how: str, ringyard: Call, folder: Path
) -> None:
    digest = load_row(folder, "gang-lpt")["digest"]
    path, other = (folder / "instances" / f"{digest}.json.gz"), load_row(folder, "fifo")["digest"]
    path.unlink()
    if how == "pipe":
        os.mkfifo(path)
    elif how == "folder":
        path.mkdir()
    elif how == "other":
        shutil.copy(folder / "instances" / f"{other}.json.gz", path)
    elif how == "text":
        path.write_text("{", encoding="utf-8")
    assert ringyard("check", folder).code == 1
    done = ringyard("table", folder, "--kind", "frontier")
    assert done.code == 0
    assert done.err.startswith(f"left out: {path}: ")


@pytest.mark.parametrize(
    "name", ["runs.json", pytest.param("campaign.toml", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 9999, b"{}", b"[[1], 2]", None])
def test_what_stands_beside_the_rows_may_be_anything(
    name: str, content: bytes | None, ringyard: Call, folder: Path, tmp_path: Path
) -> None:
    (folder / name).unlink()
    if content is None:
        (folder / name).mkdir()
    else:
        (folder / name).write_bytes(content)
    out = tmp_path / "page.html"
    done = ringyard("report", folder, "--family", "online", "--out", out)  # few figures
    empty = content == b"[[1], 2]" and name == "runs.json"
    assert done.code == (2 if empty else 0)
    assert "left out" in done.err or content in (b"", b"[[1], 2]")


def test_of_rows_that_are_all_left_out_it_is_said_why(ringyard: Call, folder: Path) -> None:
    journal(folder).write_bytes(b"[]\n" * 7)
    done = ringyard("table", folder)
    assert done.code == 2
    assert "no rows; left out: 7 lines with no row of a run: journal/" in done.err
    assert "and 2 more" in done.err


def test_a_campaign_that_goes_on_does_again_what_is_left_out(folder: Path) -> None:
    edit(folder, "gang-lpt", objective=5.0)
    here = Here()
    drive(prepared(folder), RUNS, here, lambda _: None)
    assert here.done == [RUNS[0].key]
    assert load_row(folder, "gang-lpt")["objective"] == 11.0
    assert len(existing(folder).left_out()) == 1


def test_an_instance_is_written_anew_with_a_run_that_needs_it(folder: Path) -> None:
    digest = load_row(folder, "gang-lpt")["digest"]
    path = folder / "instances" / f"{digest}.json.gz"
    path.write_bytes(path.read_bytes()[:50])
    edit(folder, "gang-lpt", objective=5.0)
    drive(prepared(folder), RUNS, Here(), lambda _: None)
    assert existing(folder).instance(digest) == RUNS[0].instance


def test_a_row_that_stands_twice_counts_once(ringyard: Call, folder: Path) -> None:
    (folder / "journal" / "other.jsonl").write_bytes(to_line(load_row(folder, "gang-lpt")))
    done = ringyard("journal", folder)
    assert len(done.out.splitlines()) == len(RUNS)
    assert done.err == "left out: 1 line with another row of the same run\n"
