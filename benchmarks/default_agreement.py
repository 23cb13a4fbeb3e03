"""Check the default method against all quick ones on very many small instances with nasty numbers.

    python benchmarks/default_agreement.py [COUNT] [SEED] [--methods A,B] [--shard I/N]
        [--workers N] [--time-limit S] [--log FILE] [--page]

Instances 0 .. COUNT - 1 of a seed (`tests/nasty.py`) are given to the default with little work,
counted and not timed, and to the methods named. Wherever one of these has a valid schedule, the
default must have one that is no worse, with the usual work if little is not enough; all schedules
must be valid, all bounds below them, and what a complete search proves must be equal. Where that
does not hold, the instance is shrunk to out/disagreement-SEED-INDEX.json, and the exit code is 1.
--page writes the last table into docs/studies/exact.md.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from by_number import Row, wrong
from exact_agreement import arguments, keep, report, row_of, run, table
from on_page import show

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from exact import claims
from little import little_work

from ringyard.cli.shrink import Claim, Contradiction, contradiction
from ringyard.instances import MakespanInstance
from ringyard.testing.makespan import nasty_instance

DEFAULT = "portfolio"

QUICK = ("gang-lpt", "list-scheduling", "first-fit", "sjf-bco", "sjf-bco-proved", "random")
"""Methods that take next to no time."""

SHRINK_S = 20.0
"""Seconds that shrinking one disagreement may take."""

EXACT_S = 0.1
"""Seconds for each method that is not the default; enumeration proves what it can in these."""

Found = tuple[list[Claim], dict[str, str], Contradiction | None]


def compared(instance: MakespanInstance, methods: list[str], time_limit: float) -> Found:
    """Return what the default and others claim, and why that cannot all be right."""
    others, refused = claims(instance, [one for one in methods if one != DEFAULT], time_limit)
    with little_work():
        made, mine = claims(instance, [DEFAULT])
    found = contradiction([*made, *others]) or _behind(made, others, mine)
    if found is not None and found.kind == BEHIND:
        made, mine = claims(instance, [DEFAULT])
        found = contradiction([*made, *others]) or _behind(made, others, mine)
    return [*made, *others], {**mine, **refused}, found


BEHIND = "default behind"


def _behind(
    made: list[Claim], others: list[Claim], refused: dict[str, str]
) -> Contradiction | None:
    """Describe whose schedule the default should have had, if there is one.

    Values are those that answers show: in continuous time two ends can be less than a float apart.
    """
    known = [(one.value, one.method) for one in others if one.value is not None]
    if not known:
        return None
    least, finder = min(known)
    value = made[0].value if made else None
    if value is not None and float(value) <= float(least):
        return None
    has = f"has {float(value)}" if value is not None else refused.get(DEFAULT, "has nothing")
    return Contradiction(BEHIND, f"{DEFAULT} {has}, {finder} has {float(least)}")


def examine(seed: int, index: int, *, methods: list[str], time_limit: float) -> Row:
    """Give one instance to its methods; return what came out as a row."""
    instance = nasty_instance(seed, index)
    made, refused, found = compared(instance, methods, time_limit)
    if found is not None:

        def again(smaller: MakespanInstance) -> Contradiction | None:
            other = compared(smaller, methods, time_limit)[2]
            return other if other is not None and other.kind == found.kind else None

        keep(instance, found, again, SHRINK_S)
    return row_of(seed, index, made, refused, found)


def summary(found: list[Row]) -> Iterator[str]:
    """Yield the lines of a table of what the default has, and what enumeration also proved."""
    proved = [row for row in found if row["optima"].get(DEFAULT) is not None]
    both = sum(row["optima"].get("enumeration") is not None for row in proved)
    has = sum(DEFAULT in row["optima"] for row in found)
    bad = sum(map(bool, map(wrong, found)))
    yield (
        "| instances | default has a schedule | calls it optimal | also proved by enumeration "
        "| contradictions |"
    )
    yield "|--:|--:|--:|--:|--:|"
    yield f"| {len(found):,} | {has:,} | {len(proved):,} | {both:,} | {bad:,} |"


if __name__ == "__main__":
    usual = ["--methods", ",".join((DEFAULT, *QUICK, "enumeration")), "--time-limit", str(EXACT_S)]
    given = arguments(__doc__, [*usual, *sys.argv[1:]])
    found = run(given, examine)
    sys.stdout.write("\n".join([*table(found), ""]))
    report(found)
    show(summary(found), "exact", "default", page=given.page)
    sys.exit(any(map(wrong, found)))
