"""Whatever a path leads to, loading it ends in an entity or in a clear `InputError`."""

import gzip
import os
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from fuzz.mutate import SEEDS

from ringyard.instances import InputError, load_instance, load_schedule, save
from ringyard.instances.catalogue import load
from ringyard.instances.reading import files
from ringyard.instances.reading.decode import MAX_BYTES

GOOD = SEEDS["uplink"]


def fault(path: Path | str) -> str:
    """Return the one line that loading a path ends in, without the path."""
    with pytest.raises(InputError) as caught:
        load_instance(path)
    (problem,) = caught.value.problems
    assert caught.value.source == str(path)
    return str(problem)


def test_a_path_may_be_a_text(tmp_path, plan):
    (tmp_path / "yard.json").write_bytes(GOOD)
    assert load_instance(str(tmp_path / "yard.json")).name == "seed-uplink"
    save(plan, str(tmp_path / "plan.json"))
    assert load_schedule(str(tmp_path / "plan.json")) == plan


def test_a_missing_file_is_named_with_its_nearest_sibling(tmp_path):
    (tmp_path / "small-4.json").write_bytes(GOOD)
    line = fault(tmp_path / "smal-4.json")
    like = tmp_path / "small-4.json"
    assert line == f"file: found nothing, expected an existing file. Did you mean '{like}'?"
    assert fault(tmp_path / "zzz").endswith(". Check the path.")
    assert fault(tmp_path / "no" / "folder.json").endswith(". Check the path.")
    assert fault(tmp_path).endswith("found a folder, expected a file. Name a file in it.")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("", "a folder"),
        ("x" * 300, "file name too long"),
        ("a\0b", "characters that no file name allows"),
        ("a\ud800b", "characters that no file name allows"),
        ("yard.json/part", "not a directory"),
        ("loop", "too many levels of symbolic links"),
    ],
)
def test_a_path_that_cannot_be_read(tmp_path, name, found):
    (tmp_path / "yard.json").write_bytes(GOOD)
    (tmp_path / "loop").symlink_to("loop")
    assert fault(tmp_path / name).startswith(f"file: found {found}, expected a ")


def test_a_path_that_cannot_be_printed(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\n")
    with pytest.raises(InputError) as caught:
        load_instance(path)
    assert str(caught.value).startswith(f"{tmp_path}/\\udcff\\n: file: found nothing")


@pytest.mark.parametrize("spot", ["stat", "open", "iterdir"])
def test_missing_rights_are_told(tmp_path, monkeypatch, spot):
    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "yard.json"
    if spot == "iterdir":
        monkeypatch.setattr(Path, "iterdir", refuse)
        assert fault(path) == "file: found nothing, expected an existing file. Check the path."
        return
    path.write_bytes(GOOD)
    monkeypatch.setattr(*((Path, "stat") if spot == "stat" else ("builtins.open",)), refuse)
    expected = "a readable file. Check the path and its permissions."
    assert fault(path) == f"file: found permission denied, expected {expected}"


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "huge.json"
    path.touch()
    os.truncate(path, 100 * 2**30)
    tracemalloc.start()
    line = fault(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert line == "file: found more than 64 MiB, expected at most 64 MiB. Make it smaller."
    assert peak < 2**20


def test_a_gzip_bomb_is_unpacked_no_further_than_the_limit(tmp_path):
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(5 * MAX_BYTES // 2**24):
            stream.write(bytes(2**24))
    assert path.stat().st_size < MAX_BYTES / 20
    tracemalloc.start()
    line = fault(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert line == "file: found more than 64 MiB, expected at most 64 MiB. Make it smaller."
    assert peak < 3 * MAX_BYTES


@pytest.mark.parametrize("ending", [".gz", pytest.param("", marks=pytest.mark.slow)])
def test_a_file_of_the_greatest_size_is_read(tmp_path, ending):
    path = tmp_path / f"wide.json{ending}"
    for size in (MAX_BYTES, MAX_BYTES + 1):
        data = GOOD.ljust(size)
        path.write_bytes(gzip.compress(data, 1) if ending else data)
        if size == MAX_BYTES:
            assert load_instance(path).name == "seed-uplink"
        else:
            assert fault(path).startswith("file: found more than 64 MiB")


@pytest.mark.parametrize("damage", ["cut", "flipped", "garbage", "plain", "empty"])
def test_damaged_gzip_files_are_told(tmp_path, damage):
    packed = gzip.compress(GOOD)
    data = {
        "cut": packed[:-9],
        "flipped": packed[:60] + bytes([packed[60] ^ 255]) + packed[61:],
        "garbage": b"\x1f\x8b\x08" + bytes(range(50)),
        "plain": GOOD,
        "empty": b"",
    }[damage]
    path = tmp_path / "yard.json.gz"
    path.write_bytes(data)
    if damage == "empty":
        assert fault(path).startswith("line 1 column 1: found an empty file")
    else:
        assert fault(path).startswith("file: found damaged gzip data, expected complete gzip")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (
            gzip.compress(GOOD, mtime=0),
            "byte 1: found byte 0x8b, .*. Add .gz to the name of a gzip file",
        ),
        (GOOD.decode().encode("utf-16"), "byte 0: found byte 0xff, expected UTF-8 text. Save"),
        (GOOD.replace(b"Z\xc3\xbc", b"Z\xfc"), r"byte \d+: found byte 0xfc, expected UTF-8"),
        (GOOD.replace(b"\xc3\xbc", b"\xc3"), r"byte \d+: found byte 0xc3, expected UTF-8"),
        (GOOD.replace(b"bert", b"\xed\xa0\x80"), r"byte \d+: found byte 0xed, expected UTF-8"),
        (GOOD + b"\0", r"line \d+ column 1: found '\\x00', expected the end of the file"),
        (b"\0" * 50, r"line 1 column 1: found '\\x00.*, expected a value. Correct the text"),
        (b"", "line 1 column 1: found an empty file, expected a value. Complete the file"),
    ],
)
def test_bytes_that_are_no_text(tmp_path, data, line):
    path = tmp_path / "yard.json"
    path.write_bytes(data)
    assert re.match(line, fault(path)), fault(path)


def test_a_byte_order_mark_is_allowed(tmp_path):
    path = tmp_path / "yard.json"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD)
    assert load_instance(path).name == "seed-uplink"


def test_a_failed_write_keeps_the_old_file(tmp_path, instance, monkeypatch):
    path = tmp_path / "yard.json"
    save(instance, path)
    old = path.read_bytes()

    def full(self: Path, data: bytes) -> None:
        with self.open("wb") as stream:
            stream.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="file: found no space left on device, expected a wri"):
        save(instance, path)
    assert path.read_bytes() == old
    assert [entry.name for entry in tmp_path.iterdir()] == ["yard.json"]


def test_what_was_found_sound_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sound, looks = load("tiny-trace-05x2-uplinks"), list[str]()
    files.validate(sound)
    real = files.decode
    monkeypatch.setattr(files, "decode", lambda *given: looks.append("") or real(*given))
    files.validate(sound)
    assert not looks
    other = replace(sound, name=sound.name)
    files.validate(other)
    files.validate(other)
    assert len(looks) == 1
    with pytest.raises(InputError, match="name"):
        files.validate(replace(sound, name=""))
