"""Try the whole of Ringyard very often, on cases that no one would write by hand.

    python benchmarks/torture.py [PART ...] [--count N] [--first N] [--shard I/N] [--log FILE]
        [--longest S] [--dask ADDRESS]

Indices 0 .. N - 1 of each part named, or of all, are tried; of each part as many as `PARTS` says if
--count does not. The same index is the same trial everywhere. With --log each becomes a line of
FILE, and a second run skips those that are there. With --dask the threads of a cluster's workers
take chunks of indices; they need the checkout, and Python, at the same path. Prints one table of
what was tried, what failed and how, and what was refused and why; the exit code is 1 if something
failed. `--first K --count 1` repeats a trial.
"""

# ruff: noqa: T201

import argparse
import json
import re
import resource
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from by_number import Row, kept, logged

HERE = Path(__file__).resolve()

# Rows have `part`, `index`, `what`, `fault` (or None), and `reason` if refused.

PARTS = {
    "instances": ("torture_instances:one", 10**6),
    "mutants": ("torture_mutants:one", 10**6),
    "certified": ("torture_certified:one", 10**5),
    "kills": ("kills:one", 1_000),
    "interrupts": ("interrupts:trial", 1_000),
    "writes": ("writes:one", 200),
    "folders": ("damage:one", 10_000),
    "logs": ("foreign_logs:one", 100_000),
}
"""Where the trials of a part are, and how many of them make it whole."""

LONGEST_S, MOST_BYTES = 60, 12 << 30
"""A trial that takes more processor time, or more memory, has failed."""

CHUNK = 200
"""Indices that a thread of a cluster takes at a time."""


class StuckError(BaseException):
    """A trial takes too long; nothing but this file is to catch it."""


def trial(part: str, index: int, longest_s: float = LONGEST_S) -> Row:
    """Do one trial; whatever it raises is a fault."""
    module, _, name = PARTS[part][0].partition(":")
    signal.signal(signal.SIGPROF, _stuck)
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    try:
        found: Row = getattr(import_module(module), name)(index)
    except (Exception, SystemExit, StuckError) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        text = f"{type(error).__name__}: {str(error)[:300]} ({where})"
        found = {"what": "raised", "fault": text}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    told = found.pop("faults", [])
    return {"fault": "; ".join(told) or None, "what": "", **found, "part": part, "index": index}


def _stuck(*_: Any) -> None:
    raise StuckError("no end within the processor time that a trial may take")


def chunk(file: str, python: str, part: str, indices: list[int]) -> list[Row]:
    """Do trials in a process of their own; if that dies, a trial has failed and another goes on."""
    found: list[Row] = []
    while len(found) < len(indices):
        words = [python, file, part, "--rows", *map(str, indices[len(found) :])]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        found += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if len(found) < len(indices):
            index = indices[len(found)]
            text = f"the process died: exit code {done.returncode}, {done.stderr[-200:]}"
            found.append({"part": part, "index": index, "what": "died", "fault": text})
    return found


def on_cluster(address: str, todo: dict[str, list[int]]) -> Iterator[Row]:
    """Yield rows as the workers of a Dask cluster hand them in."""
    from distributed import Client, as_completed

    with Client(address) as client:
        asked = [
            client.submit(chunk, str(HERE), sys.executable, part, own[at : at + CHUNK], pure=False)
            for part, own in todo.items()
            for at in range(0, len(own), CHUNK)
        ]
        for future in as_completed(asked):
            yield from future.result()


def campaign(options: argparse.Namespace) -> list[Row]:
    """Return the rows of all trials asked for, those of the log included."""
    part, parts = (int(number) for number in options.shard.split("/"))
    first = options.first
    wanted = {
        name: range(first + part - 1, first + (options.count or PARTS[name][1]), parts)
        for name in options.part
    }
    found = [row for row in logged(options.log) if row["index"] in wanted.get(row["part"], ())]
    done = {(row["part"], row["index"]) for row in found}
    todo = {name: [k for k in own if (name, k) not in done] for name, own in wanted.items()}
    here = (trial(name, k, options.longest) for name, own in todo.items() for k in own)
    new = on_cluster(options.dask, todo) if options.dask else here
    return found + list(kept(new, options.log, lambda row: f"{row['part']} {row['index']}"))


def table(found: Iterable[Row]) -> str:
    """Return what was tried, what failed and how, and what was refused and why."""
    rows = list(found)
    lines = ["| part | what | times | first |", "|---|---|--:|--:|"]
    for name in dict.fromkeys(row["part"] for row in rows):
        own = sorted((row for row in rows if row["part"] == name), key=lambda row: row["index"])
        failed = [row for row in own if row["fault"]]
        for what, those in (("tried", own), ("failed", failed)):
            lines.append(f"| {name} | {what} | {len(those):,} | |")
        told = [(row, f"failed: {_alike(row['fault'])}") for row in failed]
        told += [(row, f"refused: {row['reason']}") for row in own if row.get("reason")]
        counts = Counter(text for _, text in told)
        first = {text: row["index"] for row, text in reversed(told)}
        for text, times in sorted(counts.items(), key=lambda one: -one[1]):
            lines.append(f"| {name} | {text.replace('|', '/')} | {times:,} | {first[text]} |")
    return "\n".join(lines)


def _alike(fault: str) -> str:
    """Return a fault without the numbers of one trial."""
    return re.sub(r"\d[\d.e+,/-]*", "N", fault)[:160]


def arguments(words: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("part", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--longest", type=float, default=LONGEST_S)
    parser.add_argument("--dask")
    parser.add_argument("--rows", type=int, nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    for name in options.part:
        if name not in PARTS:
            parser.error(f"part {name!r} is unknown; there are {', '.join(PARTS)}")
    options.part = options.part or list(PARTS)
    return options


def main(words: list[str]) -> int:
    """Do what the command line says."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    options = arguments(words)
    if options.rows:
        for index in options.rows:
            print(json.dumps(trial(options.part[0], index)), flush=True)
        return 0
    found = campaign(options)
    print(table(found))
    return int(any(row["fault"] for row in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
