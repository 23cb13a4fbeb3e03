"""The timeline of a `trace` schedule: runs of jobs on servers in ticks, as judged.

Servers are measured in half GPUs because jobs may share them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...instances.errors import plural
from ...instances.trace import TraceInstance, TraceJob
from ..check.trace import TraceVerdict
from ..check.trace_runs import TraceHolding
from ..drawing.shapes import number
from ..rows import by_key
from . import Holding, Holdings, JobHolder, Life, Lives, RateSpan, run_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStay(Holding):
    """A run's part on one server, productive from `works` on. `cut` is true if it is stopped."""

    works: int
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceBars(JobHolder):
    """A job: when it ends (None: it does not), its runs in order of time."""

    job: TraceJob
    end: int | None
    holds: tuple[ServerStay, ...]
    runs: tuple[TraceHolding, ...]

    @property
    def stops(self) -> int:
        """Number of stops before its end."""
        return sum(run.stop != self.end for run in self.runs)


class TraceTimeline(Holdings):
    """The servers that every job holds."""

    instance: TraceInstance
    verdict: TraceVerdict
    unit = 2
    clock = "s"

    @cached_property
    def tick(self) -> Fraction:
        """The length of a tick in seconds."""
        return Fraction(self.instance.tick_s)

    @cached_property
    def machines(self) -> tuple[tuple[str, int], ...]:
        """The servers, with the halves of their GPUs."""
        return tuple((server.name, 2 * server.gpus) for server in self.instance.servers)

    def kind(self, machine: int) -> str | None:
        """Return the kind of a server's GPUs."""
        return self.instance.servers[machine].gpu

    @cached_property
    def horizon(self) -> int:
        """The last tick to draw."""
        stops = (run.stop for job in self.jobs for run in job.runs)
        return max(1, int(self.until), *(job.arrival for job in self.jobs), *stops)

    @cached_property
    def jobs(self) -> tuple[TraceBars, ...]:
        """All jobs of the instance."""
        runs = by_key(self.verdict.held, lambda held: held.run.job.name)
        return tuple(
            self._job(i, job, runs.get(job.name, ())) for i, job in enumerate(self.instance.jobs)
        )

    def _job(self, number: int, job: TraceJob, runs: Sequence[TraceHolding]) -> TraceBars:
        end = self.verdict.ends.get(job.name)
        last = None if end is None else int(end / self.tick)
        return TraceBars(
            number=number,
            job=job,
            arrival=int(Fraction(job.arrival_s) / self.tick),
            end=last,
            runs=tuple(runs),
            holds=tuple(stay for held in runs for stay in _stays(held, last, self.places)),
        )

    def lives(self) -> Lives:
        """Return the running jobs, with their restart times."""
        return Lives(
            machines=self.machines,
            jobs=tuple(self._life(job) for job in self.jobs if job.runs),
            unit="s",
            rate="GPUs",
            tick=self.tick,
        )

    def _life(self, bars: TraceBars) -> Life:
        job, took = bars.job, "never ends"
        if bars.end is not None:
            took = f"took {self.value_text(bars.end * self.tick - Fraction(job.arrival_s))}"
        about = f"{plural(job.gpus, 'GPU')}, arrives at {number(job.arrival_s)}, "
        return Life(
            name=bars.name,
            about=about + f"{plural(len(bars.runs), 'run')}, {took}",
            start=bars.runs[0].start,
            end=bars.end,
            bars=bars.holds,
            spans=tuple(span for held in bars.runs for span in _spans(held)),
        )


def _spans(held: TraceHolding) -> Iterator[RateSpan]:
    servers = len(held.run.pieces)
    where = "inside one server" if servers == 1 else f"over {plural(servers, 'server')}"
    return run_spans(held.start, held.works, held.stop, held.run.width, where)


def _stays(held: TraceHolding, end: int | None, places: dict[str, int]) -> Iterator[ServerStay]:
    run = held.run
    for name, count in run.pieces.items():
        yield ServerStay(
            machine=places[name],
            start=held.start,
            end=held.stop,
            units=count if run.half else 2 * count,
            what=("half of " if run.half else "") + plural(count, "GPU"),
            spread=len(run.pieces) > 1,
            works=held.works,
            cut=held.stop != end,
        )
