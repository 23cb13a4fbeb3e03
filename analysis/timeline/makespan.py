"""The timeline of a `makespan` schedule: who has which GPUs when, and who slows whom down."""

from collections.abc import Iterator
from functools import cached_property

from ...instances.cluster import Server
from ...instances.makespan.instance import MakespanInstance
from ...instances.makespan.schedule import Schedule
from ..check import Span, Verdict
from ..check.makespan.runs import pace_of, runs_of
from ..drawing.colours import lost_part
from ..drawing.words import plural
from . import lives
from .lives import Bar, Life, Lives
from .stint import Stint, contention, hosted
from .timeline import Timeline


class MakespanTimeline(Timeline):
    """Who has which GPUs."""

    instance: MakespanInstance
    schedule: Schedule
    verdict: Verdict
    objective = "makespan"
    ending = "complete"

    @cached_property
    def stints(self) -> tuple[Stint, ...]:
        """What the judge takes of the schedule, by start."""
        servers = {server.name: i for i, server in enumerate(self.servers)}
        jobs = {job.name: i for i, job in enumerate(self.instance.jobs)}
        spans: dict[str, list[Span]] = {}
        for span in self.verdict.spans:
            spans.setdefault(span.job, []).append(span)
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
        """Count the entries of the schedule that cannot be drawn."""
        return len(self.schedule.assignments) - len(self.stints)

    def lives(self) -> Lives:
        """Return every stint, with the rate and the contention of its spans."""
        rings = hosted(self.stints)

        def life(stint: Stint) -> Life:
            where = plural(len(stint.pieces), "server") if stint.is_ring else "inside one server"
            pace = pace_of(self.instance, stint.run)
            return Life(
                name=stint.job.name,
                about=f"{plural(stint.gpus, 'GPU')}, {where}, {stint.job.iterations:,} iterations",
                start=stint.start,
                end=stint.end,
                bars=tuple(_bars(stint)),
                spans=tuple(
                    lives.RateSpan(
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


def _bars(stint: Stint) -> Iterator[Bar]:
    for server, count in stint.pieces:
        what = plural(count, "GPU")
        yield Bar(machine=server, start=stint.start, end=stint.end, units=count, what=what)
