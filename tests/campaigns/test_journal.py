"""The journal: what was acknowledged stays, what was torn is gone, what is damaged is named."""

import errno
import json
import os
from pathlib import Path

import pytest

from ringyard.analysis.rows import VERSION, whole_row
from ringyard.campaigns.journal import Reader, Writer, cut_torn_ends
from ringyard.instances.errors import InputError

PART = json.dumps({"v": VERSION, "key": "b"})
"""A row that lacks all else."""


def row(key: str) -> dict[str, object]:
    return whole_row({"v": VERSION, "key": key})


def keys(folder: Path) -> list[str]:
    return [row["key"] for row in Reader(folder).new()]


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
        assert synced[-1] == writer.path.stat().st_size == count * len(json.dumps(row("a")) + "\n")
    writer.close()


@pytest.mark.parametrize("torn", [b"{", PART.encode(), b"\xff\xfe", b"\0" * 20])
def test_a_line_without_its_end_was_never_there(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    whole = json.dumps(row("a")).encode() + b"\n"
    path.write_bytes(whole + torn)
    assert keys(tmp_path) == ["a"]
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
    with pytest.raises(InputError, match=r"no space left on device.*make room"):
        writer.add(row("b"))
    monkeypatch.setattr(os, "write", write)
    writer.add(row("c"))
    assert keys(tmp_path) == ["a", "c"]
    writer.close()


@pytest.mark.parametrize("line", ["{", "[]", "{}", "7", '"x"', "\0", "", PART, "[" * 9999])
def test_a_damaged_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(json.dumps(row("a")) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: .*delete this line"):
        keys(tmp_path)


def test_rows_of_another_version_are_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"v": 99, "key": "a"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=rf"line 1: v: found 99; expected {VERSION}"):
        keys(tmp_path)


def test_a_folder_that_vanished_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Writer(tmp_path / "gone").add(row("a"))


def test_a_file_of_rows_is_no_program(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.add(row("a"))
    writer.close()
    assert not writer.path.stat().st_mode & 0o111
