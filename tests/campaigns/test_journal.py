"""The journal: what was acknowledged stays, what was torn is gone, what is damaged is named."""

import errno
import json
import os
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest
from stats_rows import run

from ringyard.analysis.rows import LATER, VERSION, Row
from ringyard.campaigns.journal import (
    BARE,
    CHANGED,
    NO_ROW,
    TORN,
    Reader,
    Writer,
    cut_torn_ends,
    to_line,
)
from ringyard.instances.errors import InputError
from ringyard.instances.reading.decode import MAX_BYTES

PART = json.dumps({"v": VERSION, "key": "b"})
"""A row that lacks all else."""


def row(key: str, **columns: Any) -> Row:
    return run(**{"v": VERSION, "key": key} | columns)


def keys(folder: Path) -> list[str]:
    return [row["key"] for row in Reader(folder).new()]


def read(folder: Path) -> tuple[list[str], list[str]]:
    """Return the keys of the rows, and what is said of the rest."""
    reader = Reader(folder)
    found = [row["key"] for row in reader.new()]
    reader.look_for_torn_ends()
    return found, list(reader.left_out.sentences())


def test_rows_of_before_are_read_with_the_word_of_now(tmp_path: Path) -> None:
    # Complete searches were called exact in files; `to_line` writes what it is given.
    line = to_line(row("a", bound_kind="exact"))
    (tmp_path / "w.jsonl").write_bytes(line)
    (read_row,) = Reader(tmp_path).new()
    assert read_row["bound_kind"] == "searched"


def test_a_row_is_there_once_it_is_added(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    for key in ("a", "b"):
        writer.add(row(key))
        assert keys(tmp_path)[-1] == key
    writer.close()


def test_without_a_row_there_is_no_file(tmp_path: Path) -> None:
    Writer(tmp_path).close()
    assert not list(tmp_path.iterdir())


def test_each_writer_has_a_file_of_its_own(tmp_path: Path) -> None:
    one, other = Writer(tmp_path), Writer(tmp_path)
    one.add(row("a"))
    other.add(row("b"))
    assert {path.stem for path in tmp_path.iterdir()} == {one.name, other.name}
    one.close()
    other.close()


def test_a_reader_reads_on_from_where_it_was(tmp_path: Path) -> None:
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    writer.add(row("a"))
    assert [r["key"] for r in reader.new()] == ["a"]
    writer.add(row("b"))
    assert [r["key"] for r in reader.new()] == ["b"]
    assert not list(reader.new())
    writer.close()


def test_every_row_is_on_the_disk_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync

    def noted(handle: int) -> None:
        synced.append(os.fstat(handle).st_size)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    writer = Writer(tmp_path)
    for count in (1, 2, 3):
        writer.add(row("a"))
        assert synced[-1] == writer.path.stat().st_size == count * len(to_line(row("a")))
    writer.close()


@pytest.mark.parametrize("torn", [b"{", PART.encode(), b"\xff\xfe", b"\0" * 20])
def test_a_line_without_its_end_was_never_there(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    whole = to_line(row("a"))
    path.write_bytes(whole + torn)
    place = f"{tmp_path.name}/gone.jsonl line 2"
    assert read(tmp_path) == (["a"], [f"left out: 1 line {TORN}: {place}"])
    assert path.read_bytes() == whole + torn
    cut_torn_ends(tmp_path)
    assert path.read_bytes() == whole


def test_the_file_of_a_living_writer_is_let_alone(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.add(row("a"))
    half = writer.path.read_bytes() + b"{half"
    writer.path.write_bytes(half)
    cut_torn_ends(tmp_path)
    assert writer.path.read_bytes() == half
    assert read(tmp_path) == (["a"], [])
    writer.close()
    cut_torn_ends(tmp_path)
    assert writer.path.read_bytes() == half.removesuffix(b"{half")


def test_a_full_disk_leaves_whole_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, write = Writer(tmp_path), os.write
    writer.add(row("a"))
    room = [10]

    def full(handle: int, data: bytes) -> int:
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, data[: room.pop()])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(InputError, match=r"no space left on device.*Free space"):
        writer.add(row("b"))
    monkeypatch.setattr(os, "write", write)
    writer.add(row("c"))
    assert keys(tmp_path) == ["a", "c"]
    writer.close()


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", "7", '"x"', "\0", "", PART, "[" * 9999, "\x80", '{"v": NaN}']
)
def test_a_damaged_line_is_left_out_and_named(line: str, tmp_path: Path) -> None:
    data = to_line(row("a")) + line.encode("latin-1") + b"\n" + to_line(row("b"))
    (tmp_path / "some.jsonl").write_bytes(data)
    place = f"{tmp_path.name}/some.jsonl line 2"
    assert read(tmp_path) == (["a", "b"], [f"left out: 1 line {NO_ROW}: {place}"])


def test_rows_of_another_version_are_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_text('{"v": 99, "key": "a"}\n', encoding="utf-8")
    found, said = read(tmp_path)
    assert not found
    assert said[0].startswith("left out: 1 line of another version")


def test_no_byte_of_a_line_changes_unseen(tmp_path: Path) -> None:
    """Every byte in turn gets another value, and a bit is flipped in it; one row is left."""
    line, rng = to_line(row("a")), Random(0)
    for at in range(len(line) - 1):
        for other in (line[at] ^ 1 << rng.randrange(8), rng.randrange(256)):
            data = bytes([*line[:at], other, *line[at + 1 :]])
            (tmp_path / "one.jsonl").write_bytes(data + to_line(row("b")))
            found, said = read(tmp_path)
            if data == line:
                continue
            assert "a" not in found
            assert said


def test_an_edited_value_is_noticed_and_an_unedited_line_is_not(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    line = to_line(row("a", objective=12))
    path.write_bytes(line.replace(b"12.0", b"36.0") + line.replace(b'"a"', b'"b"') + line)
    found, (said,) = read(tmp_path)
    assert found == ["a"]
    assert said.startswith(f"left out: 2 lines {CHANGED}: ")
    path.write_bytes(line.replace(b"\n", b"\r\n"))  # As an editor of another system saves it.
    assert read(tmp_path) == (["a"], [])


def test_rows_of_before_are_read_and_said_to_have_no_digest(tmp_path: Path) -> None:
    old = {name: cell for name, cell in row("a").items() if name not in LATER}
    (tmp_path / "old.jsonl").write_text(json.dumps(old) + "\n", encoding="utf-8")
    found, (said,) = read(tmp_path)
    assert found == ["a"]
    assert said.startswith("1 row without a digest: ")
    (tmp_path / "new.jsonl").write_bytes(to_line(row("b")) + json.dumps(old).encode() + b"\n")
    found, said = read(tmp_path)
    assert found == ["b", "a"]
    assert f"left out: 1 line {BARE}: {tmp_path.name}/new.jsonl line 2" in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("objective", "12"),
        ("objective", True),
        ("objective", 1e308),
        ("objective", None),  # Of a run that is valid.
        ("bound_kind", None),
        ("bound_kind", "guess"),
        ("seed", 1.0),
        ("seed", 2**63),
        ("seed", None),
        ("valid", 1),
        ("violations", -1),
        ("sense", "most"),
        ("family", 7),
        ("status", "solved"),
        ("instance", "a\nb"),
        ("instance", ""),
        ("note", "\ud800"),
        ("note", 7),
        ("digest", "../x"),
        ("schedule", "/etc/passwd"),
        ("schedule", "schedules/../x"),
        ("trajectory", [[1, 2]]),
        ("trajectory", [[1, 2, True]]),
        ("trajectory", [1]),
        ("trajectory", {}),
    ],
)
def test_a_cell_is_what_its_column_says_whatever_the_digest(
    name: str, value: Any, tmp_path: Path
) -> None:
    wrong = {**row("a"), name: value}
    (tmp_path / "some.jsonl").write_bytes(to_line(wrong) + to_line(row("b")))
    place = f"{tmp_path.name}/some.jsonl line 1"
    said = f"left out: 1 line with a wrong value of `{name}`: {place}"
    assert read(tmp_path) == (["b"], [said])


def test_a_row_of_a_family_that_is_not_loaded_says_how_to_load_it(tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_bytes(to_line({**row("a"), "family": "other"}))
    load = "load it: ringyard --plugin FILE.py COMMAND .."
    place = f"{tmp_path.name}/some.jsonl line 1"
    said = f"left out: 1 line of an unknown family, 'other' ({load}): {place}"
    assert read(tmp_path) == ([], [said])


def test_what_is_no_file_is_left_out_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    (tmp_path / "lost.jsonl").symlink_to("nowhere")
    (tmp_path / "some.jsonl").write_bytes(to_line(row("a")))
    cut_torn_ends(tmp_path)
    found, said = read(tmp_path)
    assert found == ["a"]
    assert [sentence.split(":")[1] for sentence in said] == [
        " 2 files that cannot be read (not a file)",
        " 1 file that cannot be read (too many levels of symbolic links)",
        " 1 file that cannot be read (no such file or directory)",
    ]


def test_a_file_without_line_ends_is_read_no_further_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_bytes(to_line(row("a")))
    (tmp_path / "zero.jsonl").touch()
    os.truncate(tmp_path / "zero.jsonl", 100 * 2**30)
    tracemalloc.start()
    cut_torn_ends(tmp_path)
    found, said = read(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == ["a"]
    assert said == [f"left out: 1 line {TORN}: {tmp_path.name}/zero.jsonl line 1"]
    assert (tmp_path / "zero.jsonl").stat().st_size == 100 * 2**30, "no writer of ours left it"
    assert peak < 3 * MAX_BYTES


def test_what_a_link_leads_to_is_not_cut(tmp_path: Path) -> None:
    elsewhere = tmp_path / "text"
    elsewhere.write_text("no end", encoding="utf-8")
    (tmp_path / "some.jsonl").symlink_to(elsewhere)
    cut_torn_ends(tmp_path)
    assert elsewhere.read_text(encoding="utf-8") == "no end"


def test_a_folder_that_vanished_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Writer(tmp_path / "gone").add(row("a"))


def test_a_file_of_rows_is_no_program(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.add(row("a"))
    writer.close()
    assert not writer.path.stat().st_mode & 0o111
