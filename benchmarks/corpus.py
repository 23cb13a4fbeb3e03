"""Measure the programs of the corpus, and write its index.

    python benchmarks/corpus.py measure [--limit S] [--only PATTERN] [--again] [--rows FILE]
    python benchmarks/corpus.py write [--rows FILE]
    python benchmarks/corpus.py verify [--only PATTERN]

`measure` gives each program of `corpus_names.py` whose name fits PATTERN (as h*.linearised.*) to
its solvers, S seconds each, one after the other, and adds a line to FILE. Programs that have a line
are skipped, so that a run that was ended goes on; with --again they are measured anew, and the last
line of a name counts. `write` makes formulations/corpus/index.json and points.json.gz of the lines;
programs of the index that have no line stay as they are.
`verify` makes every program of the index anew and compares digests; exit code 1 if one differs.
"""

# ruff: noqa: T201

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from corpus_measure import measure
from corpus_names import recipes

from ringyard.formulations.corpus.build import build_any, digest_of
from ringyard.formulations.corpus.index import (
    INDEX,
    POINTS,
    ProgramRecipe,
    corpus,
    entry_of,
    row_of,
)
from ringyard.instances import RingyardError

ROWS = Path("out/corpus.jsonl")

MOST_VALUES = 1_000
"""Points with more values that are not 0 are not stored."""

Row = dict[str, Any]


def known(rows: Path) -> dict[str, Row]:
    """Return the last line of each program."""
    lines = rows.read_text(encoding="utf-8").splitlines() if rows.exists() else []
    return {row["name"]: row for row in map(json.loads, lines)}


def on_record() -> dict[str, Row]:
    """Return the programs of the index, as lines."""
    points = json.loads(gzip.decompress(POINTS.read_bytes()))
    return {name: {**row_of(one), "point": points.get(name)} for name, one in corpus().items()}


def turns() -> list[ProgramRecipe]:
    """Return all programs, one of each kind in turn, so that a part of a run has some of each."""
    seen: Counter[tuple[str, bool]] = Counter()
    turn = {}
    for one in recipes():
        seen[one.program, one.relaxed] += 1
        turn[one.name] = seen[one.program, one.relaxed]
    return sorted(recipes(), key=lambda one: turn[one.name])


def measure_all(rows: Path, limit_s: float, only: str, again: bool) -> None:
    """Measure what has no line yet."""
    rows.parent.mkdir(parents=True, exist_ok=True)
    done = {} if again else known(rows)
    wanted = [one for one in turns() if fnmatchcase(one.name, only) and one.name not in done]
    for count, recipe in enumerate(wanted, start=1):
        began = time.perf_counter()
        try:
            entry, point = measure(recipe, limit_s)
        except RingyardError as error:
            print(f"{recipe.name}: left out: {error}", flush=True)
            continue
        row = {**row_of(entry), "point": None}
        if point is not None:
            places = np.flatnonzero(point)
            row["point"] = [places.tolist(), point[places].tolist()]
        with rows.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        said = f"{entry.kind} {entry.value} {entry.bound} {entry.optimum} {entry.difficulty}"
        took = time.perf_counter() - began
        print(f"{count}/{len(wanted)} {recipe.name}: {said} {took:.1f} s", flush=True)


def write(rows: Path) -> None:
    """Write the index and the points, in the order of the names' list."""
    found = on_record() | known(rows)
    order = [one.name for one in recipes() if one.name in found]
    kept = [found[name] for name in order]
    lines = []
    for row in kept:
        plain = {key: value for key, value in row.items() if key != "point"}
        lines.append(json.dumps(row_of(entry_of(plain)), separators=(",", ":")))
    text = '{"programs": [\n' + ",\n".join(lines) + "\n]}\n"
    INDEX.write_text(text, encoding="utf-8")
    points = {
        row["name"]: row["point"]
        for row in kept
        if row["point"] is not None and len(row["point"][0]) <= MOST_VALUES
    }
    data = json.dumps(points, separators=(",", ":")).encode()
    POINTS.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(kept)} programs, {INDEX.stat().st_size:,} and {POINTS.stat().st_size:,} bytes")


def verify(only: str) -> int:
    """Compare digests of programs made anew with those on record; return how many differ."""
    differ = 0
    for name, entry in corpus().items():
        if fnmatchcase(name, only) and digest_of(build_any(entry.recipe)) != entry.digest:
            print(f"{name}: differs", flush=True)
            differ += 1
    print(f"{differ} programs differ")
    return differ


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["measure", "write", "verify"])
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--only", default="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--rows", type=Path, default=ROWS)
    given = parser.parse_args()
    if given.what == "measure":
        measure_all(given.rows, given.limit, given.only, given.again)
    elif given.what == "write":
        write(given.rows)
    else:
        return 1 if verify(given.only) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
