"""The schemes on one instance: planned, carried out on real bytes, and checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from numpy.random import default_rng

from ...instances import ShuffleInstance
from ...policies.request import Request
from ...policies.shuffle import greedy_cover, row_by_row, subsets
from ..check import check
from ..tables import Column, Table
from .execute import Executed, execute

SCHEMES = {"row-by-row": row_by_row.run, "subsets": subsets.run, "greedy-cover": greedy_cover.run}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A scheme, what it costs, and what came of it."""

    scheme: str
    load: Fraction
    valid: bool
    """Whether the judge accepts the plan."""
    executed: Executed

    @property
    def right(self) -> bool:
        """Whether every worker has what it wants, bit by bit, and the judge agrees."""
        return self.valid and not self.executed.wrong

    def plain(self) -> dict[str, Any]:
        """Return the numbers by name."""
        done = self.executed
        return {
            "scheme": self.scheme,
            "load": float(self.load),
            "valid": self.valid,
            "messages": done.messages,
            "sent_bytes": done.sent_bytes,
            "decoded_rows": done.decoded_rows,
            "wrong": list(done.wrong),
        }


def tried(instance: ShuffleInstance, row_bytes: int, seed: int) -> list[Tried]:
    """Let every scheme plan, and carry its plan out; the rows' bytes are random."""
    found = []
    for name, run in SCHEMES.items():
        plan = run(instance, Request(rng=default_rng(seed))).schedule
        verdict = check(instance, plan)
        found.append(
            Tried(
                scheme=name,
                load=Fraction(verdict.objective or 0),
                valid=verdict.valid,
                executed=execute(instance, plan, row_bytes, default_rng(seed)),
            )
        )
    return found


def schemes_table(found: Sequence[Tried], caption: str) -> Table:
    """Return a line for each scheme."""
    first = found[0].load
    return Table(
        caption=caption,
        columns=(
            Column(head="scheme", digits=None),
            Column(head="load", digits=1),
            Column(head="saves", digits=2),
            Column(head="messages"),
            Column(head="bytes sent"),
            Column(head="rows decoded"),
            Column(head="bit by bit", digits=None),
        ),
        rows=tuple(
            (
                one.scheme,
                float(one.load),
                float(first / one.load) if one.load else None,
                float(one.executed.messages),
                float(one.executed.sent_bytes),
                float(one.executed.decoded_rows),
                "right" if one.right else "WRONG",
            )
            for one in found
        ),
    )
