"""Check all methods of six families against brute force on many tiny instances with nasty numbers.

    python benchmarks/family_agreement.py [COUNT] [SEED] [--family A,B] [--shard I/N]
        [--workers N] [--log FILE] [--page]

Instances 0 .. COUNT - 1 of a seed are given to every method of the family. All schedules must be
valid, no proved bound may be beaten, what is called optimal must be what brute force finds, and
the default must have a schedule if any method has one, and one that is no worse. An instance for
which that is not so goes to out/FAMILY-SEED-INDEX.json, with the faults as its notes, and the exit
code is 1. --page writes the first table into docs/studies/exact.md.
"""

# ruff: noqa: T201

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from by_number import OUT, Row, campaign, reader, wrong
from on_page import show

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from family_draws import DRAWN, drawn

from ringyard.families import FAMILIES
from ringyard.instances import save
from ringyard.testing.family import DEFAULT, asked
from ringyard.testing.family import problems as family_problems


def examine(kind: str, seed: int, index: int) -> Row:
    """Give one instance to all methods; return what came out as a row."""
    instance, optimum = drawn(kind, seed, index), DRAWN[kind].optimum
    best = None if optimum is None else optimum(instance)
    found = asked(instance)
    values = [answer.objective for answer in found.answers.values() if answer.valid]
    told = [*family_problems(instance, found, best), *DRAWN[kind].beyond(instance, found)]
    if told:
        OUT.mkdir(exist_ok=True)
        save(replace(instance, notes="; ".join(told)), OUT / f"{kind}-{seed}-{index}.json")
    if best is None and values:
        best = max(values) if FAMILIES[kind].maximize else min(values)
    return {
        "family": kind,
        "seed": seed,
        "index": index,
        "said": {name: answer.status for name, answer in found.answers.items()},
        "best": [n for n, a in found.answers.items() if best is not None and a.objective == best],
        "refused": sorted(found.refused),
        "faults": told,
    }


def table(found: list[Row]) -> Iterator[str]:
    """Yield the lines of a table of counts by family."""
    yield "| family | instances | default answers | is best | proves it | contradictions |"
    yield "|---|--:|--:|--:|--:|--:|"
    for kind in dict.fromkeys(row["family"] for row in found):
        rows = [row for row in found if row["family"] == kind]
        best = sum(DEFAULT in row["best"] for row in rows)
        proved = sum(row["said"].get(DEFAULT) == "optimal" for row in rows)
        bad = sum(bool(wrong(row)) for row in rows)
        answered = sum(row["said"].get(DEFAULT, "unknown") != "unknown" for row in rows)
        yield f"| `{kind}` | {len(rows)} | {answered} | {best} | {proved} | {bad} |"


def report(found: list[Row]) -> None:
    """Print what each method said and how often it was the best."""
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


if __name__ == "__main__":
    parser = reader(__doc__, 200)
    parser.add_argument("--family", default=",".join(DRAWN))
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    found = campaign(options, {kind: partial(examine, kind) for kind in options.family.split(",")})
    show(table(found), "exact", "families", page=options.page)
    report(found)
    sys.exit(any(map(wrong, found)))
