"""Certificates beside rows: written before them, checked in the run, and checked again."""

import gzip
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import Here

from ringyard.analysis.rows import Row
from ringyard.campaigns import drive
from ringyard.campaigns import perform as certificates
from ringyard.campaigns.journal import Writer
from ringyard.campaigns.perform import certificate_problems, perform
from ringyard.campaigns.plan import read_plan
from ringyard.campaigns.store import Store, prepared
from ringyard.cli import main
from ringyard.instances.reading.decode import MAX_BYTES

TEXT = """format = "ringyard-campaign/1"
name = "proofs"
instances = ["hand-lpt", "hand-spread"]
methods = ["gang-lpt", "enumeration", "bound"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "proofs.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def driven(folder: Path, file: Path) -> tuple[Store, list[str]]:
    """Run with certificates; return the store and what is contradicted."""
    store, runs = prepared(folder), read_plan(file, certificates=True).runs
    state = drive.drive(store, runs, Here(perform), lambda _: None)
    return Store(folder), state.contradictions


def changed(store: Store, row: Row, **values: Any) -> None:
    """Change the claim of a certificate or a step."""
    path = store.certificate_file(row["key"])
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    for line in lines:
        line.update({key: value for key, value in values.items() if key in line})
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))


def test_each_bound_is_written_and_checked(file: Path, tmp_path: Path) -> None:
    store, contradictions = driven(tmp_path / "out", file)
    rows = store.rows()
    assert {row["checked"] for row in rows} == {"accepted"}
    assert all(row["seconds_certificate"] is not None for row in rows)
    # What enumeration proves by a search, the checker can try by itself.
    by = {(row["instance"], row["method"]): row for row in rows}
    assert by["hand-spread", "enumeration"]["certificate"] == "every schedule"
    assert by["hand-spread", "enumeration"]["bound_kind"] == "searched"
    assert not contradictions
    assert not [fault for row in rows for fault in certificate_problems(row, store)]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"claim": {"at_least": "10"}}, "is refused at line 1: it claims at least 10"),
        ({"claim": {"at_least": "8"}}, "claims 8, but the row 9"),
        ({"rule": "guess"}, "is refused at line 2: there is no such rule"),
        ({"certificate": 2}, "expected 1"),
    ],
)
def test_a_changed_certificate_is_noticed(
    file: Path, tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    store, _ = driven(tmp_path / "out", file)
    row = next(row for row in store.rows() if row["bound"] == 9)
    changed(store, row, **values)
    (fault,) = certificate_problems(row, store)
    assert said in fault


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("gone", "found nothing"),
        ("cut", "found damaged gzip data"),
        ("flipped", "found damaged gzip data"),
        ("bomb", "found more than 64 MiB"),
        ("pipe", "found not a file"),
        ("device", "found not a file"),
    ],
)
def test_a_lost_certificate_is_named_and_the_other_rows_are_checked(
    file: Path, tmp_path: Path, damage: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store, _ = driven(tmp_path / "out", file)
    row, *others = store.rows()
    path = store.certificate_file(row["key"])
    data = path.read_bytes()
    path.unlink()
    if damage == "pipe":
        os.mkfifo(path)
    elif damage == "device":
        path.symlink_to("/dev/zero")
    elif damage != "gone":
        place = len(data) // 2
        flipped = data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]
        bomb = gzip.compress(bytes(MAX_BYTES + 1), 1)
        path.write_bytes({"cut": data[:20], "flipped": flipped, "bomb": bomb}[damage])
    tracemalloc.start()
    code, told = main(["check", str(tmp_path / "out")]), capsys.readouterr().out
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert code == 1
    assert f"{row['method']} on {row['instance']}, seed 0: its certificate: {path}: " in told
    assert f"{said}, " in told
    assert "rerun the campaign" in told
    assert f"{len(others) + 1} certificates checked: 1 no longer hold" in told
    assert peak < 3 * MAX_BYTES


def test_a_certificate_is_on_disk_before_its_row(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process that is killed in between leaves a file without a row, and the run is done again.
    found = list[bool]()

    def kill(_: Writer, row: Row) -> None:
        found.append(prepared(tmp_path / "out").certificate_file(row["key"]).is_file())
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "add", kill)
        with pytest.raises(SystemExit):
            driven(tmp_path / "out", file)
    assert found == [True]
    store, _ = driven(tmp_path / "out", file)
    assert {row["checked"] for row in store.rows()} == {"accepted"}


def test_a_refused_certificate_is_reported(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = certificates.certificate_text

    def too_much(*args: Any) -> str:
        return honest(*args).replace('"at_least": "', '"at_least": "1')

    monkeypatch.setattr(certificates, "certificate_text", too_much)
    store, contradictions = driven(tmp_path / "out", file)
    rows = {(row["instance"], row["method"]): row for row in store.rows()}
    row = rows["hand-lpt", "bound"]
    assert row["checked"].startswith("refused, line 1: it claims at least 19")
    assert any("the checker of certificates: refused" in one for one in contradictions)
    # A search that cannot be followed is searched as before, and no fault.
    searched = rows["hand-spread", "enumeration"]
    assert searched["checked"].startswith("not followed")
    assert searched["certificate"] == "searched"
    assert not list((tmp_path / "out/certificates").iterdir())


def test_certificates_make_other_runs_and_only_where_the_file_does_not_say(file: Path) -> None:
    plain, asked = read_plan(file), read_plan(file, certificates=True)
    assert not {run.key for run in plain.runs} & {run.key for run in asked.runs}
    said = file.with_name("said.toml")
    said.write_text(TEXT + 'certificates = "none"\n', encoding="utf-8")
    kept = read_plan(said, certificates=True)
    assert {run.key for run in kept.runs} == {run.key for run in plain.runs}
