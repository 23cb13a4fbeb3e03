"""GPUs go where they bring the end of a job closest, for schedulers that know how long jobs take.

Source: ours; SRTF (Schrage 1968) for jobs that may run on several numbers of GPUs. A job with
remaining time `x` on some GPUs is worth one over a power of `x` there. GPUs are allocated step by
step, each where it adds most per GPU. A job that would change its GPUs, and pause for it, takes
longer by the pause. With power 1 short jobs go far ahead, with 0 the cluster works at the highest
rate.
"""

from bisect import insort
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from heapq import heapify, heappop, heappush
from typing import Annotated, NamedTuple

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount
from ...simulation.trace import (
    FULL,
    ClusterView,
    GrantedGpus,
    KnownJobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)
from ..request import Request
from .serve import ServiceOptions, refuses_groups_and_kinds, room_of, serve

PAUSES = 2
"""Weight of a pause: the job that is stopped for another pauses as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Preference for short jobs."""

    power: Annotated[Amount, "exponent p: a job with remaining time x has weight 1 / x^p"] = (
        Decimal("0.5")
    )


class Step(NamedTuple):
    """A step of a job to more GPUs: the least comes first."""

    loss: float
    """Minus the worth that each added GPU brings."""
    widest: int
    """The GPUs after it, times -1."""
    servers: int
    """The servers that the job may use."""
    number: int
    since: int
    """The GPUs before it."""


class ElasticSrtf(TraceDecider):
    """Gives GPUs where they shorten most, by weights of jobs if there are any."""

    information = FULL

    def __init__(self, power: float, weights: Sequence[float] = ()) -> None:
        """Record the weights of short times and single jobs."""
        self._power, self._weights = power, weights
        self._worths: dict[int, dict[int, float]] = {}
        """The worth of each job by its GPUs."""
        self._waiting: list[Step] = []
        """The steps of waiting jobs, the best first. They do not change while these wait."""
        self._listed = set[int]()
        """The jobs in this list."""
        self._watched: dict[int, KnownJobView] = {}
        """The jobs that ran at the last decision, or were to start."""

    def begin(self, setting: TraceSetting) -> None:
        """Learn the number of GPUs and the cost of a change."""
        self._setting, self._room = setting, room_of(setting)
        self._largest = [max(setting.servers[s].gpus for s in own) for own in setting.sets]

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Reallocate all GPUs, in ties to the widest step."""
        room, widths = self._room.copy(), dict[int, int]()
        heap = self._update(jobs)
        heapify(heap)
        views = {job.number: job for job in jobs}
        at, waiting = 0, self._waiting
        while room.left[0] and (heap or at < len(waiting)):
            if not heap or (at < len(waiting) and waiting[at] < heap[0]):
                step, at = waiting[at], at + 1
            else:
                step = heappop(heap)
            job, width = views[step.number], -step.widest
            # Less and less is free: a step that does not fit never will.
            if widths.get(step.number, 0) != step.since:
                continue
            if width - step.since <= room.of(job.reach):
                room.take(job.reach, width - step.since)
                widths[step.number] = width
                for more in self._steps(job, width):
                    heappush(heap, more)
        self._watched |= {number: views[number] for number in widths}
        return {number: GrantedGpus(width) for number, width in widths.items()}

    def _update(self, jobs: LiveJobs) -> "list[Step]":
        """List the jobs that wait now, and return the steps of the running jobs."""
        ended = set(jobs.ended)
        changed = [job for number, job in self._watched.items() if number not in ended]
        changed += jobs.arrived
        self._watched = {}
        self._unlist(ended.union(job.number for job in changed))
        for number in ended:
            del self._worths[number]
        steps = list[Step]()
        for job in changed:
            self._worths[job.number] = {0: 0.0, **self._worth(job)}
            own = self._steps(job, 0)
            if job.running:
                self._watched[job.number] = job
                steps += own
            else:
                self._listed.add(job.number)
                for step in own:
                    insort(self._waiting, step)
        return steps

    def _unlist(self, numbers: Set[int]) -> None:
        """Remove jobs from the list of waiting jobs."""
        if not self._listed.isdisjoint(numbers):
            self._listed -= numbers
            self._waiting = [step for step in self._waiting if step.number not in numbers]

    def _steps(self, job: KnownJobView, here: int) -> "list[Step]":
        """Return the steps of a job from its GPUs that are worth something."""
        own, servers = self._worths[job.number], len(self._setting.sets[job.reach])
        return [
            Step((own[here] - worth) / (width - here), -width, servers, job.number, here)
            for width, worth in own.items()
            if width > here and worth > own[here]
        ]

    def _worth(self, job: KnownJobView) -> dict[int, float]:
        """Return the worth of a job on each number of GPUs."""
        weight = self._weights[job.number] if self._weights else 1.0
        return {
            width: weight * (self._left(job, width) + self._pause(job, width)) ** -self._power
            if self._power
            else weight * self._speed(job, width)
            for width in job.speeds
        }

    def _left(self, job: KnownJobView, width: int) -> float:
        return max(1.0, job.remaining) / self._speed(job, width)

    def _speed(self, job: KnownJobView, width: int) -> float:
        """Return the speed in the best place."""
        inside = width <= self._largest[job.reach]
        return job.speeds[width] / (1.0 if inside else 1.0 + job.communication)

    def _pause(self, job: KnownJobView, width: int) -> float:
        stays = job.first is None or (job.running and job.width == width)
        return 0.0 if stays else PAUSES * self._setting.restart


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = ElasticSrtf(float(request.options.power))
    return serve(instance, request.limits, "elastic-srtf", policy, request.options)
