"""What a chart of a `trace` schedule tells: what each job holds where and when, in ticks.

Servers are measured in half GPUs, since jobs may share them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ....instances.trace.instance import TraceInstance
from ....instances.trace.schedule import TraceSchedule
from ...check import TraceVerdict
from ...check.trace.timeline import TraceHolding
from ..slots.facts import BarFacts, BarJob, Hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay(Hold):
    """A run's part on one server: it works from `works` on; `cut` says that it is stopped."""

    works: int
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceBars(BarJob):
    """A job: the GPUs it asks for, when it ends (None: it does not), its runs in order of time."""

    gpus: int
    end: int | None
    holds: tuple[Stay, ...]
    runs: tuple[TraceHolding, ...]

    @property
    def stops(self) -> int:
        """Count how often it is stopped before it ends."""
        return sum(run.stop != self.end for run in self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFacts(BarFacts):
    """All that is drawn; `tick` is the length of a tick in seconds."""

    jobs: tuple[TraceBars, ...]
    tick: Fraction
    mean_jct: Fraction | None

    @property
    def gap(self) -> float | None:
        """Return how far the mean is above the bound, as a part of the mean."""
        if self.faults or self.bound is None or not self.mean_jct:
            return None
        return float((self.mean_jct - self.bound) / self.mean_jct)


def gather_trace(
    instance: TraceInstance, schedule: TraceSchedule, verdict: TraceVerdict, bound: Fraction | None
) -> TraceFacts:
    """Collect what the chart of a `trace` schedule tells."""
    jobs = tuple(_jobs(instance, verdict))
    moments = [job.arrival for job in jobs] + [run.stop for job in jobs for run in job.runs]
    return TraceFacts(
        instance=instance.name,
        method=schedule.method,
        machines=tuple((server.name, 2 * server.gpus) for server in instance.servers),
        unit=2,
        jobs=jobs,
        horizon=max(1, *moments),
        bound=bound,
        faults=tuple(Counter(fault.rule for fault in verdict.violations).most_common()),
        tick=Fraction(instance.tick_s),
        mean_jct=verdict.mean_jct,
    )


def _jobs(instance: TraceInstance, verdict: TraceVerdict) -> Iterator[TraceBars]:
    places = {server.name: i for i, server in enumerate(instance.servers)}
    tick = Fraction(instance.tick_s)
    runs: dict[str, list[TraceHolding]] = {}
    for held in verdict.held:
        runs.setdefault(held.run.job.name, []).append(held)
    for number, job in enumerate(instance.jobs):
        end = verdict.ends.get(job.name)
        last = None if end is None else int(end / tick)
        own = tuple(runs.get(job.name, ()))
        yield TraceBars(
            number=number,
            name=job.name,
            arrival=int(Fraction(job.arrival_s) / tick),
            gpus=job.gpus,
            end=last,
            runs=own,
            holds=tuple(stay for held in own for stay in _stays(held, last, places)),
        )


def _stays(held: TraceHolding, end: int | None, places: dict[str, int]) -> Iterator[Stay]:
    for name, count in held.run.pieces.items():
        yield Stay(
            machine=places[name],
            start=held.start,
            end=held.stop,
            units=count if held.run.half else 2 * count,
            spread=len(held.run.pieces) > 1,
            works=held.works,
            cut=held.stop != end,
        )
