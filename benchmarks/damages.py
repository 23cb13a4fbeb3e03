"""Ways to damage the folder of a campaign, each a function of the folder and a random generator."""

import gzip
import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from ringyard.analysis.rows import COLUMNS, LATER
from ringyard.campaigns.journal import to_line

Damage = Callable[[Path, Random], None]

FOLDERS = ("journal", "journal", "journal", "instances", "schedules", "schedules", ".")
"""Where a file is damaged; journals more often than others."""

NASTY: tuple[Any, ...] = (
    *(None, True, "", "x" * 10_000, "../../etc/passwd", "\ud800", "\x1b[31m", "a\nb", "nan"),
    *(-1, 0, 0.5, 1e308, -1e308, 1e-308, 10**400, 2**70, float("nan"), float("inf")),
    *([], {}, [[]], [[1, 2]], [[1, None, None]], {"a": 1}, [None], "2026-99-99T99:99:99Z"),
)


def seals(folder: Path, rng: Random) -> bool:
    """Return True if a folder has digests; every third time take them away."""
    if rng.randrange(3):
        return True
    for path in (folder / "journal").iterdir():
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        bare = [{name: cell for name, cell in row.items() if name not in LATER} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    return False


def files(place: Path) -> list[Path]:
    """Return the files in a folder in which anything stands, by name; pipes are none."""
    return sorted(path for path in place.iterdir() if path.is_file() and path.stat().st_size)


def drawn(folder: Path, rng: Random) -> Path:
    """Return a file of the folder."""
    place = folder / rng.choice(FOLDERS)
    return rng.choice(files(place))


def of_bytes(change: Callable[[bytearray, Random], bytes | bytearray]) -> Damage:
    """Return a damage that changes the bytes of a file."""

    def damage(folder: Path, rng: Random) -> None:
        path = drawn(folder, rng)
        path.write_bytes(change(bytearray(path.read_bytes()), rng))

    return damage


def of_lines(change: Callable[[list[bytes], Random], None]) -> Damage:
    """Return a damage that changes the lines of a journal."""

    def damage(folder: Path, rng: Random) -> None:
        path = rng.choice(files(folder / "journal"))
        lines = path.read_bytes().splitlines(keepends=True)
        change(lines, rng)
        path.write_bytes(b"".join(lines))

    return damage


def of_places(change: Callable[[Path, Path, Random], object]) -> Damage:
    """Return a damage that puts something else into the place of a file."""

    def damage(folder: Path, rng: Random) -> None:
        path = drawn(folder, rng)
        path.unlink()
        change(path, folder, rng)

    return damage


def linked(path: Path, folder: Path, rng: Random) -> None:
    """Let a name lead to any other file."""
    path.symlink_to(rng.choice(sorted(one for one in folder.rglob("*") if one.is_file())))


def flipped(data: bytearray, rng: Random) -> bytearray:
    for _ in range(rng.choice((1, 1, 1, 8, 100))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def overwritten(data: bytearray, rng: Random) -> bytearray:
    start = rng.randrange(len(data))
    size = rng.randrange(1, 300)
    data[start : start + size] = rng.choice((b"\0" * size, rng.randbytes(size)))
    return data


def without_middle(data: bytearray, rng: Random) -> bytearray:
    start, end = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:start] + data[end:]


def recoded(data: bytearray, rng: Random) -> bytes:
    text = data.decode("latin-1")
    codes = ("utf-16", "utf-32", "utf-8-sig", "utf-7", "cp037")
    return rng.choice((text.encode(rng.choice(codes)), gzip.compress(data)))


def swapped(lines: list[bytes], rng: Random) -> None:
    """Exchange two lines, or the ends of two."""
    one, other = (rng.randrange(len(lines)) for _ in range(2))
    at = rng.choice((0, rng.randrange(len(lines[one]))))
    a, b = lines[one], lines[other]
    lines[one], lines[other] = a[:at] + b[at:], b[:at] + a[at:]


def doubled(lines: list[bytes], rng: Random) -> None:
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))


def joined(lines: list[bytes], rng: Random) -> None:
    at = rng.randrange(len(lines))
    lines[at] = lines[at].removesuffix(b"\n")


def strange(lines: list[bytes], rng: Random) -> None:
    some = (b"\n", b"[]\n", b"null\n", b'{"v": 2}\n', b"[" * 100_000 + b"\n", b"\xff\xfe\n", b"{")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(some))


def of_cells(
    value: Callable[[Any, Random], Any], *, anew: bool, columns: tuple[str, ...]
) -> Damage:
    """Return a damage that edits cells of rows, with digests worked out `anew` or as they were."""

    def change(lines: list[bytes], rng: Random) -> None:
        for at in rng.sample(range(len(lines)), rng.choice((1, 1, 3))):
            row = json.loads(lines[at])
            name = rng.choice(columns)
            if row.get(name) is None and name == "objective":
                continue
            row[name] = value(row.get(name), rng)
            bare = "row_digest" not in row
            lines[at] = json.dumps(row).encode() + b"\n"
            if anew and not bare:
                lines[at] = json.dumps(row | {"row_digest": None}).encode() + b"\n"
                whole = dict.fromkeys(COLUMNS) | row
                with suppress(ValueError):  # NaN has no place in a line of ours.
                    lines[at] = to_line(whole)

    return of_lines(change)


def times(value: Any, rng: Random) -> Any:
    return value * rng.choice((3, 5))


def nasty(_: Any, rng: Random) -> Any:
    return rng.choice(NASTY)


def deep(_: Any, rng: Random) -> Any:
    found: Any = []
    for _ in range(rng.choice((10, 400))):
        found = [found]
    return found


def of_json(folder: Path, rng: Random) -> None:
    """Edit a value somewhere in a schedule, an instance, or another file of JSON."""
    place = folder / rng.choice(("schedules", "schedules", "instances"))
    path = rng.choice([path for path in files(place) if ".json" in path.suffixes])
    packed = path.suffix == ".gz"
    text = path.read_bytes()
    found = json.loads(gzip.decompress(text) if packed else text)
    where: Any = found
    while True:
        key: Any = rng.choice(sorted(where)) if isinstance(where, dict) else None
        key = rng.randrange(len(where)) if isinstance(where, list) else key
        inner = where[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.2:
            break
        where = inner
    number = isinstance(inner, int | float) and rng.random() < 0.5
    where[key] = inner * 3 if number else rng.choice(NASTY)
    text = json.dumps(found).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def of_status(folder: Path, rng: Random) -> None:
    """Leave what drivers left that were killed, or something else."""
    now = time.time()
    some: tuple[Any, ...] = (
        {"pid": 2**22 + 1, "host": "elsewhere", "at": now, "running": {"k": ["what", now]}},
        {"pid": -1, "at": now - 1e6, "running": {}},
        {"at": now, "running": [["k", 1]]},
        {"at": "now", "running": {"k": ["what"]}},
        {"at": float("nan"), "running": {"k": ["what", None]}},
        {"at": 10**400, "running": 7},
        *NASTY,
    )
    for i in range(rng.randint(1, 5)):
        path = folder / "status" / f"{i}-left.json"
        match rng.randrange(8):
            case 0:
                path.mkdir()
            case 1:
                os.mkfifo(path)
            case 2:
                path.write_text("[" * 100_000, encoding="utf-8")
            case 3:
                (folder / "status" / f".{i}-left.json.abc.draft").write_bytes(b"{")
            case _:
                path.write_text(json.dumps(rng.choice(some)), encoding="utf-8")


def of_folders(folder: Path, rng: Random) -> None:
    """Take a whole folder away, or put something into its place."""
    path = folder / rng.choice(("instances", "schedules", "status", "journal"))
    shutil.rmtree(path)
    if rng.random() < 0.5:
        rng.choice((path.touch, lambda: os.mkfifo(path), lambda: path.symlink_to(path.name)))()


NUMBERS = tuple(name for name, (kind, _) in COLUMNS.items() if kind in ("number", "integer"))

DAMAGES: dict[str, Damage] = {
    "bits flipped": of_bytes(flipped),
    "bytes overwritten": of_bytes(overwritten),
    "cut short": of_bytes(lambda data, rng: data[: rng.randrange(len(data))]),
    "middle cut out": of_bytes(without_middle),
    "written twice": of_bytes(lambda data, _: data + data),
    "empty": of_bytes(lambda *_: b""),
    "zeros": of_bytes(lambda data, _: bytes(len(data))),
    "other encoding": of_bytes(recoded),
    "other line ends": of_bytes(lambda data, _: data.replace(b"\n", b"\r\n")),
    "line gone": of_lines(lambda lines, rng: lines.pop(rng.randrange(len(lines))) and None),
    "lines swapped": of_lines(swapped),
    "line doubled": of_lines(doubled),
    "lines joined": of_lines(joined),
    "strange line": of_lines(strange),
    "objective edited": of_cells(times, anew=False, columns=("objective",)),
    "objective edited, sealed": of_cells(times, anew=True, columns=("objective",)),
    "number edited": of_cells(nasty, anew=False, columns=NUMBERS),
    "cell edited": of_cells(nasty, anew=False, columns=tuple(COLUMNS)),
    "cell edited, sealed": of_cells(nasty, anew=True, columns=tuple(COLUMNS)),
    "deep nesting": of_cells(deep, anew=True, columns=tuple(COLUMNS)),
    "value in a file edited": of_json,
    "missing": of_places(lambda *_: None),
    "folder in its place": of_places(lambda path, *_: path.mkdir()),
    "pipe in its place": of_places(lambda path, *_: os.mkfifo(path)),
    "link to nothing": of_places(lambda path, *_: path.symlink_to("nowhere")),
    "link to itself": of_places(lambda path, *_: path.symlink_to(path.name)),
    "link to another": of_places(linked),
    "device in its place": of_places(lambda path, *_: path.symlink_to("/dev/zero")),
    "left by drivers": of_status,
    "whole folder": of_folders,
}
"""All kinds of damage by name."""

ANEW = {"objective edited, sealed", "cell edited, sealed", "deep nesting"}
"""Those after which digests are right again, so that a change of rows cannot be seen."""
