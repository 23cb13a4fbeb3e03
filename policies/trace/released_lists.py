"""`lpjf` and `shortest-expected` of Tiresias' public simulator, which are not what they are called.

- `lpjf`, the longest pending first: how long jobs wait is never updated, so that they stay in the
  order of arrival. None is stopped, and none passes one that does not fit; but when a job starts,
  the next one is passed over until something happens again.
- `shortest-expected`: a job comes with the mean of the law. At every event what is expected of the
  last job that runs, in the order of the list, is written to the job that arrived last. So most
  jobs are served by arrival, and those that came while others ran behind or before them.
"""

from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence

from ...simulation.trace import (
    DISTRIBUTION,
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    TraceDecider,
    TraceSetting,
)
from .room import room_of


class PendingList(TraceDecider):
    """Starts jobs in the order of arrival, and passes every second one over."""

    information = NONE

    def __init__(self) -> None:
        """Begin with nobody."""
        self._waiting: list[JobView] = []
        self._known = set[int]()

    def begin(self, setting: TraceSetting) -> None:
        """Count GPUs."""
        self._room = room_of(setting)

    def decide(self, jobs: Sequence[JobView], _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        if {job.number for job in jobs} != self._known:
            self._waiting += come(jobs, self._known)
            self._known = {job.number for job in jobs}
            self._start(jobs)
        waiting = {job.number for job in self._waiting}
        return {job.number: GrantedGpus(job.gpus) for job in jobs if job.number not in waiting}

    def _start(self, jobs: Sequence[JobView]) -> None:
        room, waiting = self._room.copy(), {job.number for job in self._waiting}
        for job in jobs:
            if job.number not in waiting:
                room.take(job.reach, job.gpus)
        at = 0
        while at < len(self._waiting):
            job = self._waiting[at]
            if job.gpus > room.of(job.reach):
                break
            room.take(job.reach, job.gpus)
            del self._waiting[at]
            at += 1


class ExpectedList(TraceDecider):
    """Serves jobs by what was written down as expected of them."""

    information = DISTRIBUTION

    def __init__(self) -> None:
        """Begin with nobody."""
        self._list: list[JobView] = []
        self._runs = set[int]()
        self._expected: dict[int, float] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Take the law in seconds."""
        self._setting, self._room = setting, room_of(setting)
        self._law: list[float] = [amount * setting.tick_s for amount in setting.law.tolist()]

    def decide(self, jobs: Sequence[JobView], _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        if {job.number for job in jobs} != {job.number for job in self._list}:
            self._look(jobs)
        return {job.number: GrantedGpus(job.gpus) for job in jobs if job.number in self._runs}

    def _look(self, jobs: Sequence[JobView]) -> None:
        here = {job.number for job in jobs}
        new = come(jobs, self._expected.keys())
        self._list = [job for job in self._list if job.number in here] + new
        self._expected |= {job.number: self._mean(0) for job in new}
        ran = [job for job in self._list if job.number in self._runs]
        if ran:
            had = self._mean(ran[-1].executed * self._setting.tick_s)
            self._expected[next(reversed(self._expected))] = had
        self._list.sort(key=lambda job: self._expected[job.number])
        room = self._room.copy()
        self._runs.clear()
        for job in self._list:
            if job.gpus <= room.of(job.reach):
                room.take(job.reach, job.gpus)
                self._runs.add(job.number)

    def _mean(self, had: float) -> float:
        """Return the mean of the amounts above `had` without the largest of all, to cents."""
        above = self._law[bisect_right(self._law, had) :]
        return round(sum(above[:-1]) / (len(above) - 1), 2) if len(above) > 1 else sum(above)


def come(jobs: Sequence[JobView], known: Container[int]) -> list[JobView]:
    """Return those that are new, in the order of arrival."""
    return sorted((j for j in jobs if j.number not in known), key=lambda j: (j.arrival, j.number))
