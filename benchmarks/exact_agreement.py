"""Compare all exact methods with each other on many tiny random instances, over all options.

    python benchmarks/exact_agreement.py [COUNT] [SEED] [--methods A,B] [--shard I/N]
        [--workers N] [--time-limit S] [--log FILE] [--page]

Instances 0 .. COUNT - 1 of a seed are given to every method that takes them, the smallest ones
(every fifth) to the non-convex program with SCIP, too. All schedules must be valid and all
optima equal. Where they are not, the instance is shrunk to out/disagreement-SEED-INDEX.json,
and the exit code is 1. --page writes the first table into docs/studies/exact.md.
"""

# ruff: noqa: T201

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from by_number import OUT, Row, campaign, reader, wrong
from on_page import show

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from exact import EXACT, NONCONVEX, OPTIONS, claims, known, methods_for, tiny_instance

from ringyard.cli.shrink import Claim, Contradiction, contradiction, repeated
from ringyard.instances import Limits, MakespanInstance, save
from ringyard.search.makespan.shrink import shrink

SHRINK_S, RUN_S = 300.0, 5.0
"""Seconds that shrinking one disagreement may take, and each run of a method in it."""

Again = Callable[[MakespanInstance], Contradiction | None]
"""Says whether there is such a contradiction on a smaller instance."""


def examine(seed: int, index: int, *, methods: list[str], time_limit: float) -> Row:
    """Give one instance to its methods; return what came out as a row."""
    instance = tiny_instance(seed, index)
    made, refused = claims(instance, methods_for(index, methods), time_limit)
    found = contradiction(made)
    if found is not None:
        names = [one.method for one in made]
        keep(instance, found, lambda smaller: repeated(smaller, found, names, RUN_S))
    return row_of(seed, index, made, refused, found)


def row_of(
    seed: int, index: int, made: list[Claim], refused: dict[str, str], found: Contradiction | None
) -> Row:
    """Return what came out for one instance."""
    return {
        "seed": seed,
        "index": index,
        "optima": {m.method: None if m.optimum is None else float(m.optimum) for m in made},
        "seconds": {m.method: round(m.seconds, 4) for m in made},
        "refused": refused,
        "disagreement": found.text if found else None,
    }


def keep(
    instance: MakespanInstance, first: Contradiction, again: Again, seconds: float = SHRINK_S
) -> None:
    """Shrink an instance on which methods disagree, and write it to a file."""
    smallest = shrink(instance, lambda smaller: again(smaller) is not None, Limits(time_s=seconds))
    OUT.mkdir(exist_ok=True)
    file = OUT / f"disagreement-{instance.name.partition('-')[2]}.json"
    save(replace(smallest, notes=(again(smallest) or first).text), file)


def table(found: list[Row]) -> Iterator[str]:
    """Yield the lines of a table of counts and seconds per method."""
    yield "| method | proved | unproved | refused | seconds: all | median | longest |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name in dict.fromkeys(name for row in found for name in (*row["optima"], *row["refused"])):
        values = [row["optima"][name] for row in found if name in row["optima"]]
        refused = sum(name in row["refused"] for row in found)
        times = sorted(row["seconds"][name] for row in found if name in row["seconds"]) or [0.0]
        proved = sum(value is not None for value in values)
        spent = f"{sum(times):.1f} | {times[len(times) // 2]:.3f} | {times[-1]:.2f}"
        yield f"| `{name}` | {proved} | {len(values) - proved} | {refused} | {spent} |"


def report(found: list[Row]) -> None:
    """Print why instances were refused, and the number of disagreements."""
    reasons(found)
    bad = sum(bool(wrong(row)) for row in found)
    print(f"\n{len(found)} instances, {bad} disagreements")


def reasons(found: list[Row]) -> None:
    """Print why methods refused instances, without what differs between instances."""
    count: Counter[str] = Counter()
    for row in found:
        for name, reason in row["refused"].items():
            count[f"{name}: {reason.partition(': ')[2].partition(':')[0]}"] += 1
    print()
    for text, times in sorted(count.items()):
        print(f"refused {times} x {text}")


def combinations(found: list[Row]) -> None:
    """Print how many instances two methods or more have proved, by combination."""
    count: dict[tuple[str, ...], int] = defaultdict(int)
    for row in found:
        proofs = [value for value in row["optima"].values() if value is not None]
        count[OPTIONS[row["index"] % len(OPTIONS)]] += len(proofs) > 1
    print("\n| progress | contention | overhead | jobs come | proved by two or more |")
    print("|---|---|---|---|--:|")
    for options in OPTIONS:
        print(f"| {' | '.join(options)} | {count[options]} |")


def arguments(about: str | None, words: Iterable[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = reader(about, 2000)
    parser.add_argument("--methods", default=",".join((*EXACT, NONCONVEX)))
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args(list(words))
    options.methods = known(options.methods.split(","))
    return options


def run(options: argparse.Namespace, look: Callable[..., Row]) -> list[Row]:
    """Return the rows of all instances."""
    told = {"methods": options.methods, "time_limit": options.time_limit}
    return campaign(options, {"": partial(look, **told)})


if __name__ == "__main__":
    given = arguments(__doc__, sys.argv[1:])
    found = run(given, examine)
    show(table(found), "exact", "exact-methods", page=given.page)
    report(found)
    combinations(found)
    sys.exit(any(map(wrong, found)))
