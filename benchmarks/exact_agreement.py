"""Hold all exact methods against each other on many tiny random instances, over all options.

    python benchmarks/exact_agreement.py [COUNT] [SEED] [--methods A,B] [--shard I/N]
        [--workers N] [--time-limit S] [--log FILE]

Instances 0 .. COUNT - 1 of a seed are given to every method that takes them, the smallest ones
(every fifth) to the non-convex program with SCIP, too. All schedules must be valid and all
optima equal. Where they are not, the instance is shrunk to out/disagreement-SEED-INDEX.json,
and the exit code is 1.

With --log each instance becomes a line of FILE; a second run skips those that are there.
"""

# ruff: noqa: T201

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from exact import EXACT, NONCONVEX, OPTIONS, claims, known, methods_for, tiny_instance

from ringyard.cli.claims import Claim, Contradiction, contradiction, repeated
from ringyard.instances import Limits, MakespanInstance, save
from ringyard.search.shrink import shrink

OUT = Path(__file__).parent.parent / "out"
"""Where instances with disagreements go."""

SHRINK_S, RUN_S = 300.0, 5.0
"""Seconds that shrinking one disagreement may take, and each run of a method in it."""

Again = Callable[[MakespanInstance], Contradiction | None]
"""Says whether there is such a contradiction on a smaller instance."""

Task = tuple[int, int, list[str], float]
"""Seed, index, methods and the time limit of each."""

Look = Callable[[Task], dict[str, Any]]
"""Returns what came out for one instance as a row."""


def examine(task: Task) -> dict[str, Any]:
    """Give one instance to its methods; return what came out as a row."""
    seed, index, methods, time_limit = task
    instance = tiny_instance(seed, index)
    made, refused = claims(instance, methods_for(index, methods), time_limit)
    found = contradiction(made)
    if found is not None:
        names = [one.method for one in made]
        keep(instance, found, lambda smaller: repeated(smaller, found, names, RUN_S))
    return row_of(seed, index, made, refused, found)


def row_of(
    seed: int, index: int, made: list[Claim], refused: dict[str, str], found: Contradiction | None
) -> dict[str, Any]:
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


def rows(look: Look, tasks: list[Task], workers: int) -> Iterator[dict[str, Any]]:
    """Yield the row of every task, in processes of their own if there are several workers."""
    if workers == 1:
        yield from map(look, tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(look, tasks)


def campaign(options: argparse.Namespace, look: Look = examine) -> list[dict[str, Any]]:
    """Return the rows of all instances, those of the log included."""
    part, parts = (int(number) for number in options.shard.split("/"))
    log = Path(options.log) if options.log else None
    lines = log.read_text().splitlines() if log and log.exists() else []
    found = [json.loads(line) for line in lines]
    found = [row for row in found if row["seed"] == options.seed and row["index"] < options.count]
    done = {row["index"] for row in found}
    methods = known(options.methods.split(","))
    wanted = [k for k in range(options.count) if k % parts == part - 1 and k not in done]
    tasks = [(options.seed, k, methods, options.time_limit) for k in wanted]
    last = time.monotonic()
    for row in rows(look, tasks, options.workers):
        found.append(row)
        if log:
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
        if row["disagreement"]:
            print(f"instance {row['index']}: {row['disagreement']}")
        if time.monotonic() - last > 10:
            last = time.monotonic()
            print(f"  {len(found)} instances", file=sys.stderr)
    return found


def report(found: list[dict[str, Any]], options: bool = True) -> None:
    """Print counts and seconds per method, and instances per combination of options."""
    print("| method | proved | unproved | refused | seconds: all | median | longest |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in dict.fromkeys(name for row in found for name in (*row["optima"], *row["refused"])):
        values = [row["optima"][name] for row in found if name in row["optima"]]
        refused = sum(name in row["refused"] for row in found)
        times = sorted(row["seconds"][name] for row in found if name in row["seconds"]) or [0.0]
        proved = sum(value is not None for value in values)
        spent = f"{sum(times):.1f} | {times[len(times) // 2]:.3f} | {times[-1]:.2f}"
        print(f"| `{name}` | {proved} | {len(values) - proved} | {refused} | {spent} |")
    reasons(found)
    if options:
        combinations(found)
    bad = sum(bool(row["disagreement"]) for row in found)
    print(f"\n{len(found)} instances, {bad} disagreements")


def reasons(found: list[dict[str, Any]]) -> None:
    """Print why methods refused instances, without what differs between instances."""
    count: Counter[str] = Counter()
    for row in found:
        for name, reason in row["refused"].items():
            count[f"{name}: {reason.partition(': ')[2].partition(':')[0]}"] += 1
    print()
    for text, times in sorted(count.items()):
        print(f"refused {times} x {text}")


def combinations(found: list[dict[str, Any]]) -> None:
    """Print how many instances two methods or more have proved, by combination."""
    count: dict[tuple[str, ...], int] = defaultdict(int)
    for row in found:
        proofs = [value for value in row["optima"].values() if value is not None]
        count[OPTIONS[row["index"] % len(OPTIONS)]] += len(proofs) > 1
    print("\n| progress | contention | overhead | jobs come | proved by two or more |")
    print("|---|---|---|---|--:|")
    for options in OPTIONS:
        print(f"| {' | '.join(options)} | {count[options]} |")


def arguments(words: Iterable[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--methods", default=",".join((*EXACT, NONCONVEX)))
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--log")
    return parser.parse_args(list(words))


if __name__ == "__main__":
    found = campaign(arguments(sys.argv[1:]))
    report(found)
    sys.exit(any(row["disagreement"] for row in found))
