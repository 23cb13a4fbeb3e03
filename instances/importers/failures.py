"""How often nodes fail, by the ends of attempts in a log."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ..errors import plural
from ..lengths import length_text

Moment = int | Fraction


class AttemptSpan(NamedTuple):
    """An attempt on GPUs: its time, its nodes if the log names them, and if a node failed."""

    start: Moment
    end: Moment
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
    count, struck = 0, set[tuple[Moment, str]]()
    for one in failed:
        places = {(one.end, name) for name in one.nodes}
        count += struck.isdisjoint(places)
        struck |= places
    return NodeFailures(failures=count, nodes=len(nodes), span_s=float(span))
