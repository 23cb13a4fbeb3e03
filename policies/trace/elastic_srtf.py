"""GPUs go where they bring the end of a job closest, for schedulers that know how long jobs take.

Source: ours; SRTF (Schrage 1968) for jobs that may run on several numbers of GPUs. A job with
remaining time `x` on some GPUs is worth one over a power of `x` there. GPUs are allocated step by
step, each where it adds most per GPU. A job that would change its GPUs, and pause for it, takes
longer by the pause. With power 1 short jobs go far ahead, with 0 the cluster works at the highest
rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount
from ...simulation.trace import (
    FULL,
    ClusterView,
    GrantedGpus,
    KnownJobView,
    TraceDecider,
    TraceSetting,
)
from ..request import Request
from .serve import ServiceOptions, room_of, serve

PAUSES = 2
"""Weight of a pause: the job that is stopped for another pauses as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Preference for short jobs."""

    power: Annotated[Amount, "exponent p: a job with remaining time x has weight 1 / x^p"] = (
        Decimal("0.5")
    )


class ElasticSrtf(TraceDecider):
    """Gives GPUs where they shorten most, by weights of jobs if there are any."""

    information = FULL

    def __init__(self, power: float, weights: Sequence[float] = ()) -> None:
        """Record the weights of short times and single jobs."""
        self._power, self._weights = power, weights

    def begin(self, setting: TraceSetting) -> None:
        """Learn the number of GPUs and the cost of a change."""
        self._setting, self._room = setting, room_of(setting)
        self._largest = [max(setting.servers[s].gpus for s in own) for own in setting.sets]

    def decide(self, jobs: Sequence[KnownJobView], _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Reallocate all GPUs, in ties to the widest step."""
        room, chosen = self._room.copy(), [0] * len(jobs)
        worths = [{0: 0.0, **self._worth(job)} for job in jobs]
        while room.left[0]:
            rooms = [room.of(one) for one in range(len(room.left))]
            gain, best, width = max(
                (
                    ((worth - own[here]) / (width - here), j, width)
                    for j, (job, own, here) in enumerate(zip(jobs, worths, chosen, strict=True))
                    for width, worth in own.items()
                    if here < width <= here + rooms[job.reach]
                ),
                key=lambda step: (step[0], step[2], -step[1]),
                default=(0.0, 0, 0),
            )
            if gain <= 0:
                break
            room.take(jobs[best].reach, width - chosen[best])
            chosen[best] = width
        granted = zip(jobs, chosen, strict=True)
        return {job.number: GrantedGpus(width) for job, width in granted if width}

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


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = ElasticSrtf(float(request.options.power))
    return serve(instance, request.limits, "elastic-srtf", policy, request.options)
