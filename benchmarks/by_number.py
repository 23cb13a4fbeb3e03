"""Campaigns over cases by number: what their command lines, loops and logs have in common.

Case k of a seed is the same everywhere. `--shard I/N` takes every N-th of them; with `--log`
each becomes a line of JSON in a file, and a second run skips those that are there.
"""

# ruff: noqa: T201

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent.parent / "out"
"""Where cases go with which something is wrong."""

Row = dict[str, Any]
"""What came out for a case, by `seed`, `index` and, where there are several, `family`."""

Look = Callable[[int, int], Row]
"""Looks at case `index` of a seed."""

Told = Callable[[Row], str]
"""Names the case of a row in front of what is wrong with it."""


def reader(about: str | None, count: int) -> argparse.ArgumentParser:
    """Return what reads a command line, by default of `count` instances."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=count)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--log", type=Path)
    return parser


def campaign(
    options: argparse.Namespace, looks: Mapping[str, Look], told: Told | None = None
) -> list[Row]:
    """Return the rows of all cases of some families, those of the log included."""
    part, parts = (int(number) for number in options.shard.split("/"))
    found = [
        row
        for row in logged(options.log)
        if row["seed"] == options.seed and row["index"] < options.count and _kind(row) in looks
    ]
    done = {(_kind(row), row["index"]) for row in found}
    tasks = [
        (look, options.seed, index)
        for index in range(part - 1, options.count, parts)
        for kind, look in looks.items()
        if (kind, index) not in done
    ]
    return found + list(kept(_rows(tasks, options.workers), options.log, told or _named))


def logged(log: Path | None) -> list[Row]:
    """Return the rows that a log has."""
    lines = log.read_text(encoding="utf-8").splitlines() if log and log.exists() else []
    return [json.loads(line) for line in lines]


def kept(rows: Iterable[Row], log: Path | None, told: Told) -> Iterator[Row]:
    """Yield rows, each once it stands in the log; say what is wrong, and how many there are."""
    last = time.monotonic()
    for count, row in enumerate(rows, start=1):
        if log:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        for text in wrong(row):
            print(f"{told(row)}: {text}", flush=True)
        if time.monotonic() - last > 10:
            last = time.monotonic()
            print(f"  {count} more cases", file=sys.stderr, flush=True)
        yield row


def wrong(row: Row) -> list[str]:
    """Return what cannot be right, in words."""
    told = row.get("faults", [row.get("disagreement"), row.get("fault")])
    return [text for text in told if text]


def _kind(row: Row) -> str:
    return str(row.get("family", ""))


def _named(row: Row) -> str:
    return f"{row.get('family', 'instance')} {row['index']}"


def _rows(tasks: list[tuple[Look, int, int]], workers: int) -> Iterator[Row]:
    """Yield the row of every task, in processes of their own if there are several workers."""
    if workers == 1:
        yield from map(_look, tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_look, tasks)


def _look(task: tuple[Look, int, int]) -> Row:
    look, seed, index = task
    return look(seed, index)
