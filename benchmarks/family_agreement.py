"""Hold all methods of a family against brute force on many tiny instances with nasty numbers.

    python benchmarks/family_agreement.py [COUNT] [SEED] [--family A,B] [--shard I/N] [--log FILE]

Instances 0 .. COUNT - 1 of a seed are given to every method of the family. All schedules must be
valid, no certified bound may be beaten, what is called optimal must be what brute force finds, and
the default must have a schedule if any method has one, and one that is no worse. An instance for
which that is not so goes to out/FAMILY-SEED-INDEX.json, with the faults as its notes, and the exit
code is 1.

With --log each instance becomes a line of FILE; a second run skips those that are there.
"""

# ruff: noqa: T201

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from family_draws import DRAWN, drawn
from family_faults import DEFAULT, asked, faults

from ringyard.instances import save

OUT = Path(__file__).parent.parent / "out"
"""Where instances with faults go."""


def examine(kind: str, seed: int, index: int) -> dict[str, Any]:
    """Give one instance to all methods; return what came out as a row."""
    instance, optimum = drawn(kind, seed, index), DRAWN[kind].optimum
    best = None if optimum is None else optimum(instance)
    found = asked(instance)
    wrong = faults(instance, found, best)
    if wrong:
        OUT.mkdir(exist_ok=True)
        save(replace(instance, notes="; ".join(wrong)), OUT / f"{kind}-{seed}-{index}.json")
    return {
        "family": kind,
        "seed": seed,
        "index": index,
        "said": {name: answer.status for name, answer in found.answers.items()},
        "best": [n for n, a in found.answers.items() if best is not None and a.objective == best],
        "refused": sorted(found.refused),
        "faults": wrong,
    }


def campaign(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the rows of all instances, those of the log included."""
    part, parts = (int(number) for number in options.shard.split("/"))
    log = Path(options.log) if options.log else None
    lines = log.read_text().splitlines() if log and log.exists() else []
    kinds = options.family.split(",")
    found = [
        row
        for row in map(json.loads, lines)
        if row["seed"] == options.seed and row["index"] < options.count and row["family"] in kinds
    ]
    done = {(row["family"], row["index"]) for row in found}
    last = time.monotonic()
    for index in range(part - 1, options.count, parts):
        for kind in kinds:
            if (kind, index) in done:
                continue
            row = examine(kind, options.seed, index)
            found.append(row)
            if log:
                with log.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            for text in row["faults"]:
                print(f"{kind} {index}: {text}")
            if time.monotonic() - last > 10:
                last = time.monotonic()
                print(f"  {len(found)} instances", file=sys.stderr)
    return found


def report(found: list[dict[str, Any]]) -> None:
    """Print counts by family, and by method what it said and how often it was the best."""
    print("| family | instances | default answers | is best | proves it | faults |")
    print("|---|--:|--:|--:|--:|--:|")
    for kind in dict.fromkeys(row["family"] for row in found):
        rows = [row for row in found if row["family"] == kind]
        best = sum(DEFAULT in row["best"] for row in rows)
        proved = sum(row["said"].get(DEFAULT) == "optimal" for row in rows)
        wrong = sum(bool(row["faults"]) for row in rows)
        answered = sum(DEFAULT in row["said"] for row in rows)
        print(f"| `{kind}` | {len(rows)} | {answered} | {best} | {proved} | {wrong} |")
    print("\n| family | method | answered | best | refused |")
    print("|---|---|--:|--:|--:|")
    counts: dict[str, Counter[tuple[str, str]]] = {
        "said": Counter(),
        "best": Counter(),
        "refused": Counter(),
    }
    for row in found:
        for what, count in counts.items():
            count.update((row["family"], name) for name in row[what])
    for kind, name in sorted(set().union(*counts.values())):
        numbers = " | ".join(str(count[kind, name]) for count in counts.values())
        print(f"| `{kind}` | `{name}` | {numbers} |")


def arguments(words: Iterable[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--family", default=",".join(DRAWN))
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--log")
    return parser.parse_args(list(words))


if __name__ == "__main__":
    found = campaign(arguments(sys.argv[1:]))
    report(found)
    sys.exit(any(row["faults"] for row in found))
