"""Nodes of Slurm: the names in its lists, and how often they fail by the states of attempts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

from ..errors import plural
from ..lengths import length_text
from .reading import Cells, Exact

NUMBER = re.compile(r"\d{1,9}", re.ASCII)
MOST_NODES = 100_000
NODES = "names of nodes such as n[01-04],n7"


def node_names(cells: Cells, column: str) -> Iterator[str]:
    """Yield the names in a list of nodes, such as a[01-03,7],b2."""
    text = cells.text(column)
    if text.count("[") != text.count("]"):
        cells.reject(column, NODES, "widen the column")
        return
    for word in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text):
        parts = [_range(part) for part in re.split(r"\[([^\]]*)\]", word)[1::2]]
        if not all(parts) or prod(map(len, parts)) > MOST_NODES:
            cells.reject(column, NODES, "correct it, or widen the column")
            return
        pieces = re.split(r"\[[^\]]*\]", word)
        for chosen in product(*parts):
            yield "".join(a + b for a, b in zip(pieces, (*chosen, ""), strict=True))


def _range(text: str) -> list[str]:
    """Return the numbers in a text such as 01-03,7 as 01, 02, 03, 7. Other texts give none."""
    found: list[str] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        if not (NUMBER.fullmatch(low) and NUMBER.fullmatch(high or low)):
            return []
        last = int(high if dash else low)
        if not 0 <= last - int(low) < MOST_NODES:
            return []
        found += [f"{number:0{len(low)}}" for number in range(int(low), last + 1)]
    return found


class AttemptSpan(NamedTuple):
    """An attempt on GPUs: its time, its nodes if the log names them, and if a node failed."""

    start: Exact
    end: Exact
    nodes: frozenset[str]
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFailures:
    """How often nodes fail according to a log.

    Attempts that end at the same moment on a common node are one failure. Nodes fail unseen while
    they are idle, so the rate is at least this.
    """

    failures: int
    nodes: int
    """Nodes that the log names, 0 if it names none."""
    span_s: float

    @property
    def mtbf_s(self) -> float | None:
        """The mean time of a node between failures, if the log names nodes."""
        return self.nodes * self.span_s / self.failures if self.nodes else None

    @property
    def outages(self) -> str | None:
        """The option of `ringyard whatif` for such failures."""
        return None if self.mtbf_s is None else f"mtbf={length_text(self.mtbf_s)},repair=4h"

    @property
    def text(self) -> str:
        """The rate, or what is missing for it."""
        during = f"in {length_text(self.span_s)}"
        if not self.nodes:
            count = plural(self.failures, "attempt")
            return (
                f"NODE_FAIL: {count} {during}. For the rate of a node, add the column NodeList to "
                "the --format of sacct"
            )
        return (
            f"NODE_FAIL: {plural(self.failures, 'failure')} of {plural(self.nodes, 'node')} "
            f"{during}. To replay such failures: ringyard whatif --outages {self.outages}. The "
            "log does not have the time of a repair, so correct it"
        )


def failures_of(attempts: Sequence[AttemptSpan]) -> NodeFailures | None:
    """Return how often nodes failed, or None if no attempt ended for it."""
    failed = [one for one in attempts if one.failed]
    if not failed:
        return None
    span = max(one.end for one in attempts) - min(one.start for one in attempts)
    nodes = frozenset[str]().union(*(one.nodes for one in attempts))
    count, struck = 0, set[tuple[Exact, str]]()
    for one in failed:
        places = {(one.end, name) for name in one.nodes}
        count += struck.isdisjoint(places)
        struck |= places
    return NodeFailures(failures=count, nodes=len(nodes), span_s=float(span))
