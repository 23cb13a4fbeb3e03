"""The time that a job of a `makespan` schedule spends on its GPUs, and who slows it down."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import mul

from ...instances.makespan.instance import RingJob
from ..check import Span
from ..check.makespan.runs import RingRun
from ..drawing.words import number, plural

Hosted = dict[int, tuple[list[Fraction], list[int]]]
"""For each server moments, and how many rings it hosts from each of them on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stint:
    """A job's time on its GPUs.

    `number` is the job's place in the instance. `pieces` are the GPUs it has, by the place of
    their server in the cluster. `end` is None if it never ends.
    """

    number: int
    run: RingRun
    end: Fraction | None
    pieces: tuple[tuple[int, int], ...]
    spans: tuple[Span, ...]

    @property
    def job(self) -> RingJob:
        """The job."""
        return self.run.job

    @property
    def start(self) -> Fraction:
        """When it starts."""
        return self.run.start

    @property
    def is_ring(self) -> bool:
        """Say whether it uses several servers, so that its ring crosses the network."""
        return len(self.pieces) > 1

    @property
    def gpus(self) -> int:
        """Count the GPUs it has."""
        return sum(count for _, count in self.pieces)

    @property
    def mean_slowdown(self) -> float:
        """Return the mean of its slowdown over time."""
        slots = [float(span.end - span.start) for span in self.spans]
        slowdowns = [float(span.slowdown) for span in self.spans]
        return sum(map(mul, slots, slowdowns)) / sum(slots) if slots else 1.0

    @property
    def worst_slowdown(self) -> float:
        """Return the greatest slowdown it ever has."""
        return float(max((span.slowdown for span in self.spans), default=1))


def hosted(stints: Iterable[Stint]) -> Hosted:
    """Return the number of rings on every server over time."""
    changes: dict[int, Counter[Fraction]] = {}
    for stint in stints:
        for server, _ in stint.pieces if stint.is_ring else ():
            there = changes.setdefault(server, Counter())
            there[stint.start] += 1
            if stint.end is not None:
                there[stint.end] -= 1
    moments = {server: sorted(there) for server, there in changes.items()}
    return {
        server: (some, list(accumulate(changes[server][moment] for moment in some)))
        for server, some in moments.items()
    }


def contention(stint: Stint, span: Span, rings: Hosted) -> str:
    """Say how many rings share the busiest of a ring's servers, and what that costs."""
    if not stint.is_ring:
        return "contention: none, the ring stays inside its server"
    most = max(_most(*rings[server], span) for server, _ in stint.pieces)
    words = f"{plural(most, 'ring')} on its busiest server, slowdown {number(span.slowdown)}"
    return f"contention: {words}"


def _most(moments: list[Fraction], counts: list[int], span: Span) -> int:
    """Return the most rings during a span."""
    return max(counts[bisect_right(moments, span.start) - 1 : bisect_left(moments, span.end)])
