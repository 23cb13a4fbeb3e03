"""The work that jobs have done, from their ticks and their speeds."""

from collections.abc import Sequence

from ...simulation.trace import JobView


class WorkCounter:
    """Adds up the work of jobs, and remembers those that have ended.

    Work is counted in ticks at the speed inside one server; what servers cost is not known.
    """

    def __init__(self) -> None:
        """Begin with no job."""
        self._done: dict[int, float] = {}
        self._counted: dict[int, int] = {}
        self._ended: list[float] = []

    def look(self, jobs: Sequence[JobView]) -> None:
        """Count what has been done since the last time; jobs that are missing have ended."""
        here = {job.number for job in jobs}
        for number in sorted(self._done.keys() - here):
            self._ended.append(self._done.pop(number))
            del self._counted[number]
        for job in jobs:
            before = self._counted.get(job.number, 0)
            more = (job.executed - before) * job.speeds[job.width]
            self._done[job.number] = self._done.get(job.number, 0.0) + more
            self._counted[job.number] = job.executed

    def of(self, job: JobView) -> float:
        """Return what a job has done."""
        return self._done[job.number]

    @property
    def usual(self) -> float:
        """The mean work of jobs that have ended; 1 before one has."""
        return sum(self._ended) / len(self._ended) if any(self._ended) else 1.0
