"""Tiresias-L as its public simulator has it, so that every job ends when it does there.

After ``run_sim.py`` of https://github.com/SymbioticLab/Tiresias, schedules `dlas`, `dlas-gpu` and
`dlas-gpu-gittins`.
The rules differ from those of the paper, and from `tiresias-l`, in this:

- In a queue those that run go first, in the order in which they stood there, then those that
  wait; a job that comes to a queue comes to its end. So a job is only stopped for others of its own
  queue when it comes there.
- Queues are looked at when a job comes or ends, and when one is expected to leave its queue. Where
  service is GPUs times time, that moment is the service that is missing, less the seconds of work
  so far, over its GPUs: too early, and then it is expected anew. A job leaves for the next queue,
  even if it has had enough for the one after.
- With `order=gittins` all jobs of a queue go by an index of their GPU-time, which looks 3250
  GPU-seconds ahead, and then by arrival, at every look; running or not is no matter.
- `promote` counts the time that a job waits after it has worked; it does not count while it stands
  in the first queue without having worked there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount, Positive
from ...simulation.trace import (
    DISTRIBUTION,
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    TraceDecider,
    TraceSetting,
)
from ...simulation.trace.views import FOREVER
from ..request import Request
from .indices import ReleasedTable
from .room import room_of
from .serve import ServiceOptions, serve

AHEAD_S = 3250
"""GPU-seconds that the index looks ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """The queues, and what is counted."""

    interval_s: Annotated[Positive, "how often events are checked; a second, as there"] = Decimal(1)
    thresholds: Annotated[
        tuple[Positive, ...], "service in seconds at which a job leaves each queue but the last"
    ] = (Decimal(3250), Decimal(7200))
    order: Annotated[
        Literal["running", "gittins"], "who goes first in a queue; `gittins` as `dlas-gpu-gittins`"
    ] = "running"
    service: Annotated[Literal["gpu-time", "time"], "`dlas-gpu` or `dlas` there"] = "gpu-time"
    promote: Annotated[Amount, "waiting over working that leads back; 0: none does"] = Decimal(0)


@dataclass(slots=True)
class QueuePlace:
    """Where a job stands, and what it has done since it came to the first queue."""

    queue: int = 0
    runs: bool = False
    before: int = 0
    """What it had worked by then."""
    waited: int = 0
    looked: int = 0
    """When it was looked at last."""


class ReleasedQueues(TraceDecider):
    """Keeps the queues, and looks at them when something happens."""

    def __init__(self, options: Options) -> None:
        """Choose the queues."""
        self._options, self._promote = options, float(options.promote)
        self._indexed = options.order == "gittins"
        self.information = DISTRIBUTION if self._indexed else NONE
        self._queues: list[list[JobView]] = [[] for _ in range(len(options.thresholds) + 1)]
        self._places: dict[int, QueuePlace] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Count the thresholds in ticks."""
        self._setting, self._room = setting, room_of(setting)
        if self._indexed:
            self._index = ReleasedTable(setting.law, AHEAD_S / setting.tick_s)
        self._thresholds = [float(t) / setting.tick_s for t in sorted(self._options.thresholds)]

    def decide(self, jobs: Sequence[JobView], _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        if self._setting.now >= self.again or {job.number for job in jobs} != self._places.keys():
            self._look(sorted(jobs, key=lambda job: (job.arrival, job.number)))
        return {job.number: GrantedGpus(job.gpus) for job in jobs if self._places[job.number].runs}

    def _look(self, jobs: Sequence[JobView]) -> None:
        """Let jobs go, come and change their queues; then run those that fit, queue by queue."""
        old, here = self._places, {job.number for job in jobs}
        self._places = {job.number: old.get(job.number) or QueuePlace() for job in jobs}
        self._queues = [[job for job in queue if job.number in here] for queue in self._queues]
        self._queues[0] += [job for job in jobs if job.number not in old]
        for job in jobs:
            self._count(job, self._places[job.number])
        room = self._room.copy()
        for queue in self._queues:
            if self._indexed:
                queue.sort(key=self._turn)
            for job in queue:
                runs = self._places[job.number].runs = job.gpus <= room.of(job.reach)
                room.take(job.reach, job.gpus * runs)
            queue.sort(key=lambda job: not self._places[job.number].runs)
        jump = min((self._expected(job, self._places[job.number]) for job in jobs), default=FOREVER)
        self.again = max(ceil(jump), self._setting.now + 1) if jump < FOREVER else FOREVER

    def _count(self, job: JobView, place: QueuePlace) -> None:
        """Add what a job did since it was looked at, and change its queue."""
        worked = job.executed - place.before
        if place.runs:
            if self._leaves(place) and worked * self._unit(job) >= self._thresholds[place.queue]:
                self._move(job, place, place.queue + 1)
        elif worked > 0:
            place.waited += self._setting.now - place.looked
            enough = place.waited >= int(worked * self._promote)
            if self._promote and place.queue > 0 and enough:
                place.before, place.waited = job.executed, 0
                self._move(job, place, 0)
        place.looked = self._setting.now

    def _expected(self, job: JobView, place: QueuePlace) -> float:
        """Return when a job is expected to change its queue."""
        worked = job.executed - place.before
        if place.runs:
            if not self._leaves(place):
                return FOREVER
            return self._setting.now + (self._thresholds[place.queue] - worked) // self._unit(job)
        left = int(worked * self._promote - place.waited) if place.queue > 0 else 0
        return self._setting.now + left if left > 0 else FOREVER

    def _turn(self, job: JobView) -> tuple[float, int]:
        """Return the place in a queue by the index of what a job has had."""
        had = (job.executed - self._places[job.number].before) * self._unit(job)
        return -self._index.at(had), job.arrival

    def _leaves(self, place: QueuePlace) -> bool:
        return place.queue < len(self._thresholds)

    def _unit(self, job: JobView) -> int:
        return job.gpus if self._options.service == "gpu-time" else 1

    def _move(self, job: JobView, place: QueuePlace, queue: int) -> None:
        self._queues[place.queue].remove(job)
        self._queues[queue].append(job)
        place.queue = queue


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(
        instance,
        request.limits,
        "tiresias-released",
        ReleasedQueues(request.options),
        request.options,
    )
