"""Measure how near the default method comes to a certified bound, and how far schedulers are.

    python benchmarks/closing.py [NAME ..] [--time-limit S] [--threads N] [--seed N]

Runs the default method on the generated instances of the catalogue with 160 jobs or more: ten
seconds each, 120 where there are more than 1000 jobs, or S; and the schedulers of the SJF-BCO
paper once each. Without names, the tables go into docs/portfolio.md as well. Values are the
judge's. More threads, or a faster machine, find more within the same seconds.
"""

import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean

from ringyard.analysis.tables import Cell, Column, Table, to_markdown
from ringyard.campaigns.study import POLICIES
from ringyard.instances.catalogue import entries, load
from ringyard.run import solve

PAGE = Path(__file__).parent.parent / "docs" / "portfolio.md"
FAMILIES = ("mobihoc", "tight", "knot", "large")
SHORT, LONG = 10.0, 120.0


@dataclass(frozen=True)
class Row:
    """An instance: its bound, the best makespan and when it was found, and the schedulers'."""

    name: str
    bound: float
    why: str
    best: float
    found_s: float
    others: tuple[float, ...]

    @property
    def group(self) -> str:
        return self.name.rsplit("-", 1)[0]

    @property
    def slots(self) -> int:
        return int(self.best - self.bound)

    @property
    def gap(self) -> float:
        return 100 * (self.best / self.bound - 1)


def note(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def measure(name: str, time_limit: float, threads: int, seed: int) -> Row:
    instance, told = load(name), list[float]()
    answer = solve(
        instance,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        watch=lambda glimpse: told.append(time.monotonic()),
    )
    since = time.monotonic() - told[-1]
    others = [solve(instance, method, seed=seed) for method in POLICIES.values()]
    if not all(one.valid and one.objective for one in (answer, *others)):
        raise SystemExit(f"{name}: the judge rejects a schedule")
    return Row(
        name=name,
        bound=float(answer.bound.value),
        why=answer.bound.name,
        best=float(answer.objective or 0),
        found_s=max(0.0, answer.seconds - since),
        others=tuple(float(one.objective or 0) for one in others),
    )


def groups(rows: Iterable[Row]) -> Table:
    """One line for all seeds of a setting; distances in percent of the bound."""
    lines: list[tuple[Cell, ...]] = []
    for group, members in groupby(rows, key=lambda row: row.group):
        few = list(members)
        far = (
            fmean(100 * (row.others[i] / row.bound - 1) for row in few)
            for i in range(len(POLICIES))
        )
        counts = (sum(row.slots <= most for row in few) for most in (0, 1))
        shares = (f"{count} of {len(few)}" for count in counts)
        gaps = [row.gap for row in few]
        lines.append((group, *shares, max(row.slots for row in few), fmean(gaps), max(gaps), *far))
    heads = {"instances": None, "proved": None, "within a slot": None, "worst, slots": 0}
    heads |= {"mean, %": 2, "worst, %": 2} | {f"{name}, %": 0 for name in POLICIES}
    return _table("Distance to the certified bound", heads, lines)


def instances(rows: Iterable[Row]) -> Table:
    """One line for each instance."""
    lines: list[tuple[Cell, ...]] = [
        (row.name, row.bound, row.best, row.why, row.gap, row.found_s, *row.others) for row in rows
    ]
    heads = {"instance": None, "bound": 0, "makespan": 0, "bound by": None, "gap, %": 2}
    heads |= {"found after, s": 1} | dict.fromkeys(POLICIES, 0)
    return _table("Makespans", heads, lines)


def _table(caption: str, heads: dict[str, int | None], rows: list[tuple[Cell, ...]]) -> Table:
    columns = tuple(Column(head=head, digits=digits) for head, digits in heads.items())
    return Table(caption=caption, columns=columns, rows=tuple(rows))


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    known = [entry for entry in entries().values() if entry.family in FAMILIES]
    known.sort(key=lambda entry: (FAMILIES.index(entry.family), entry.jobs, entry.name))
    rows = []
    for entry in known:
        if options.names and entry.name not in options.names:
            continue
        limit = options.time_limit or (LONG if entry.jobs > 1000 else SHORT)
        rows.append(measure(entry.name, limit, options.threads, options.seed))
        row = rows[-1]
        note(f"{row.name}: {row.best:g}, bound {row.bound:g}, {row.gap:.2f} %")
    text = f"\n{to_markdown(groups(rows))}\n{to_markdown(instances(rows))}\n"
    note(text)
    if not options.names:
        page = PAGE.read_text(encoding="utf-8")
        before, mark, rest = page.partition("<!-- closing -->\n")
        after = rest.partition("<!-- end -->")[2]
        PAGE.write_text(f"{before}{mark}{text}<!-- end -->{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
