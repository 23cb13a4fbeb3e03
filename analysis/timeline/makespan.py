"""The timeline of a `makespan` schedule: who has which GPUs when, and who slows whom down."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil
from operator import mul

from ...instances.cluster import Server
from ...instances.errors import plural
from ...instances.makespan import MakespanInstance, RingJob, Schedule
from ..check.contention import RingRun, Span, Verdict, pace_of, runs_of
from ..drawing.colours import lost_part
from ..drawing.shapes import number
from ..rows import by_key
from . import Bar, Life, Lives, RateSpan, Timeline

Hosted = dict[int, tuple[list[Fraction], list[int]]]
"""For each server, moments with the number of its rings from each of them on."""


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
        """True if it uses several servers, so that its ring crosses the network."""
        return len(self.pieces) > 1

    @property
    def gpus(self) -> int:
        """Number of its GPUs."""
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
    """Return the number of rings on the ring's busiest server, and their slowdown."""
    if not stint.is_ring:
        return "no contention: the ring stays inside its server"
    most = max(_most(*rings[server], span) for server, _ in stint.pieces)
    words = f"{plural(most, 'ring')} on its busiest server, slowdown {number(span.slowdown)}"
    return f"contention: {words}"


def _most(moments: list[Fraction], counts: list[int], span: Span) -> int:
    """Return the maximum number of rings during a span."""
    return max(counts[bisect_right(moments, span.start) - 1 : bisect_left(moments, span.end)])


class MakespanTimeline(Timeline):
    """GPUs held by jobs over time."""

    instance: MakespanInstance
    schedule: Schedule
    verdict: Verdict
    objective = "makespan"
    ending = "complete"

    @cached_property
    def stints(self) -> tuple[Stint, ...]:
        """The entries used by the judge, by start."""
        servers = {server.name: i for i, server in enumerate(self.servers)}
        jobs = {job.name: i for i, job in enumerate(self.instance.jobs)}
        spans = by_key(self.verdict.spans, lambda span: span.job)
        stints = (
            Stint(
                number=jobs[run.job.name],
                run=run,
                end=self.verdict.ends.get(run.job.name),
                pieces=tuple(sorted((servers[name], count) for name, count in run.gpus.items())),
                spans=tuple(spans.get(run.job.name, ())),
            )
            for run in runs_of(self.instance, self.schedule)
        )
        return tuple(sorted(stints, key=lambda stint: (stint.start, stint.number)))

    @property
    def servers(self) -> tuple[Server, ...]:
        """The servers of the cluster."""
        return self.instance.cluster.servers

    @property
    def left_out(self) -> int:
        """Number of entries of the schedule that cannot be drawn."""
        return len(self.schedule.assignments) - len(self.stints)

    def lives(self) -> Lives:
        """Return every stint, with the rate and the contention of its spans."""
        rings = hosted(self.stints)

        def life(stint: Stint) -> Life:
            where = plural(len(stint.pieces), "server") if stint.is_ring else "inside one server"
            pace = pace_of(self.instance, stint.run)
            return Life(
                name=stint.job.name,
                about=f"{plural(stint.gpus, 'GPU')}, {where}, {_whole(stint.job)} iterations",
                start=stint.start,
                end=stint.end,
                bars=tuple(_bars(stint)),
                spans=tuple(
                    RateSpan(
                        start=span.start,
                        end=span.end,
                        rate=float(pace.iterations_per_slot(span.slowdown)),
                        contention=contention(stint, span, rings),
                        lost=lost_part(float(span.slowdown)),
                    )
                    for span in stint.spans
                ),
            )

        return Lives(
            machines=tuple((server.name, server.gpus) for server in self.servers),
            jobs=tuple(map(life, self.stints)),
            unit=self.time,
            rate="iterations per slot",
            line=self.value,
            bound=self.bound,
        )


def _whole(job: RingJob) -> str:
    return f"{job.iterations:,}" if isinstance(job.iterations, int) else f"{ceil(job.iterations):,}"


def _bars(stint: Stint) -> Iterator[Bar]:
    for server, count in stint.pieces:
        what = plural(count, "GPU")
        yield Bar(machine=server, start=stint.start, end=stint.end, units=count, what=what)
