"""What `ringyard show` says of a `shuffle` instance."""

from ...families.contracts import Said
from ...instances import ShuffleInstance
from ...instances.reading.encode import decimal_text
from ..shared.output import say, show_rows

SHOWN = 8
"""The most rows of a worker that are named."""


SAID = Said(
    parts=lambda verdict: {"unknown": {name: list(rows) for name, rows in verdict.unknown.items()}}
)


def show_shuffle(problem: ShuffleInstance, most: int) -> None:
    """Print what is lacked, and the first workers."""
    missing = problem.missing
    lacked = frozenset[int]().union(*missing)
    say(f"rows: {problem.rows}, {len(lacked)} of them lacked somewhere")
    say(f"a message to several workers costs {decimal_text(problem.multicast)}, to one 1")
    say(f"workers: {len(problem.workers)}")
    rows = [
        [f"  {one.name}", len(one.has), len(one.wants), len(own), _named(own)]
        for one, own in list(zip(problem.workers, missing, strict=True))[:most]
    ]
    show_rows(["  worker", "has", "wants", "lacks", "namely"], rows, len(problem.workers))


def _named(rows: frozenset[int]) -> str:
    first = ", ".join(map(str, sorted(rows)[:SHOWN]))
    return f"{first}, .." if len(rows) > SHOWN else first or "-"
