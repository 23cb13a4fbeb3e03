"""Measure schedules from rounded relaxations against bounds and list schedulers.

    python benchmarks/rounded.py [PREFIX ..] [--seed N]

Runs each method once on the catalogue's instances whose names begin so (hand, small, mobihoc,
tight and knot unless others are given), one thread, no time limit. Prints a line for each
instance, and for each group how far makespans are from the best certified bound on record, and
the seconds taken. Values are the judge's.
"""

import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from importlib import import_module
from statistics import fmean
from typing import Any

from numpy.random import default_rng

from ringyard.analysis.check import check
from ringyard.analysis.tables import Cell, Column, Table, to_markdown
from ringyard.instances import Limits, MakespanInstance
from ringyard.instances.catalogue import entries, load

METHODS = {
    "gang-lpt": "policies.gang_lpt",
    "list-scheduling": "policies.list_scheduling",
    "lenstra-shmoys-tardos": "search.lenstra_shmoys_tardos",
    "raghavan-thompson": "search.raghavan_thompson",
    "midpoints": "search.midpoints",
    "alpha-points": "search.alpha_points",
}
PREFIXES = ("hand", "small", "mobihoc", "tight", "knot")


def note(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def measure(module: Any, instance: MakespanInstance, seed: int) -> tuple[float | None, float]:
    """Return the makespan, None if every schedule tried comes to a standstill, and the seconds."""
    start = time.perf_counter()
    outcome = module.run(instance, Limits(), default_rng(seed))
    seconds = time.perf_counter() - start
    if outcome.schedule is None:
        return None, seconds
    verdict = check(instance, outcome.schedule)
    if not verdict.valid or verdict.makespan is None:
        raise SystemExit(f"{instance.name}: the judge rejects a schedule")
    return float(verdict.makespan), seconds


def group_of(name: str) -> str:
    family = name.partition("-")[0]
    return family if family in ("hand", "small") else name.rpartition("-")[0]


def table(caption: str, numbers: dict[tuple[str, str], list[float]], digits: int) -> Table:
    """Return a line for each group, and a column for each method."""
    groups = dict.fromkeys(group for group, _ in numbers)
    columns = (Column(head="instances", digits=None), Column(head="count"))
    columns += tuple(Column(head=method, digits=digits) for method in METHODS)
    rows: list[tuple[Cell, ...]] = [
        (group, len(numbers[group, "alpha-points"]), *(fmean(numbers[group, m]) for m in METHODS))
        for group in groups
    ]
    return Table(caption=caption, columns=columns, rows=tuple(rows))


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("prefixes", nargs="*", default=PREFIXES)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    modules = {name: import_module(f"ringyard.{path}") for name, path in METHODS.items()}
    for module in modules.values():
        measure(module, load("small-03x2"), options.seed)  # compiles it
    far, took = (defaultdict[tuple[str, str], list[float]](list) for _ in range(2))
    for name, entry in entries().items():
        if entry.kind != "makespan" or not name.startswith(tuple(options.prefixes)):
            continue
        instance, group, values = load(name), group_of(name), []
        best = float(min(known.value for known in entry.upper))
        bound = float(max(known.value for known in entry.lower))
        for method, module in modules.items():
            value, seconds = measure(module, instance, options.seed)
            values.append(f"{method} {'none' if value is None else format(value, 'g')}")
            took[group, method].append(seconds)
            if value is not None:
                far[group, method].append(100 * (value / bound - 1))
        note(f"{name}: bound {bound:g}, best {best:g}; {', '.join(values)}")
    note("\n" + to_markdown(table("Mean distance to the best certified bound, %", far, 1)))
    note(to_markdown(table("Mean seconds", took, 2)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
