"""The queues of Tiresias' public simulator, of all jobs or of those of one width.

- In a queue those that run go first, in the order in which they stood there, then those that
  wait; a job that comes to a queue comes to its end. So a job is only stopped for others of its own
  queue when it comes there.
- Queues are looked at when a job comes or ends, and when one is expected to leave its queue. Where
  service is GPUs times time, that moment is the service that is missing, less the seconds of work
  so far, over its GPUs: too early, and then it is expected anew. A job leaves for the next queue,
  even if it has had enough for the one after.
- With an index all jobs of a queue go by it, and then by arrival, at every look; running or not is
  no matter.
- `promote` counts the time that a job waits after it has worked; it does not count while it stands
  in the first queue without having worked there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from ...simulation.trace import JobView
from ...simulation.trace.views import FOREVER
from .indices import ReleasedTable
from .room import ClusterRoom


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """When jobs change their queues, in ticks."""

    thresholds: Sequence[float]
    by_gpus: bool
    promote: float = 0.0
    index: ReleasedTable | None = None


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


class ReleasedQueues:
    """Queues, and who of them runs."""

    def __init__(self, rules: QueueRules) -> None:
        """Begin with nobody."""
        self._rules = rules
        self._queues: list[list[JobView]] = [[] for _ in range(len(rules.thresholds) + 1)]
        self.places: dict[int, QueuePlace] = {}

    def look(
        self, jobs: Sequence[JobView], now: int, room: ClusterRoom, most: float = inf
    ) -> float:
        """Let jobs go, come and change their queues; then run those that fit, queue by queue.

        `room` is what is left, and `most` the GPUs that they may have together. The tick at which
        one is expected to change its queue is returned.
        """
        old, here = self.places, {job.number for job in jobs}
        self.places = {job.number: old.get(job.number) or QueuePlace() for job in jobs}
        self._queues = [[job for job in queue if job.number in here] for queue in self._queues]
        self._queues[0] += [job for job in jobs if job.number not in old]
        for job in jobs:
            self._count(job, self.places[job.number], now)
        for queue in self._queues:
            if self._rules.index is not None:
                queue.sort(key=self._turn)
            for job in queue:
                runs = self.places[job.number].runs = job.gpus <= min(most, room.of(job.reach))
                room.take(job.reach, job.gpus * runs)
                most -= job.gpus * runs
            queue.sort(key=lambda job: not self.places[job.number].runs)
        expected = (self._expected(job, self.places[job.number], now) for job in jobs)
        return min(expected, default=FOREVER)

    def _count(self, job: JobView, place: QueuePlace, now: int) -> None:
        """Add what a job did since it was looked at, and change its queue."""
        worked = job.executed - place.before
        if place.runs:
            enough = self._rules.thresholds[place.queue : place.queue + 1]
            if enough and worked * self._unit(job) >= enough[0]:
                self._move(job, place, place.queue + 1)
        elif worked > 0:
            place.waited += now - place.looked
            waited = place.waited >= int(worked * self._rules.promote)
            if self._rules.promote and place.queue > 0 and waited:
                place.before, place.waited = job.executed, 0
                self._move(job, place, 0)
        place.looked = now

    def _expected(self, job: JobView, place: QueuePlace, now: int) -> float:
        """Return when a job is expected to change its queue."""
        worked = job.executed - place.before
        if place.runs:
            if place.queue == len(self._rules.thresholds):
                return FOREVER
            return now + (self._rules.thresholds[place.queue] - worked) // self._unit(job)
        left = int(worked * self._rules.promote - place.waited) if place.queue > 0 else 0
        return now + left if left > 0 else FOREVER

    def _turn(self, job: JobView) -> tuple[float, int]:
        """Return the place in a queue by the index of what a job has had."""
        assert self._rules.index is not None
        had = (job.executed - self.places[job.number].before) * self._unit(job)
        return -self._rules.index.at(had), job.arrival

    def _unit(self, job: JobView) -> int:
        return job.gpus if self._rules.by_gpus else 1

    def _move(self, job: JobView, place: QueuePlace, queue: int) -> None:
        self._queues[place.queue].remove(job)
        self._queues[queue].append(job)
        place.queue = queue
