"""What is left of a job, estimated from its losses as Optimus does."""

from collections.abc import Sequence

from ...simulation.trace import JobView
from .loss_fit import fit_losses
from .work import WorkCounter

NEWS = 1.1
"""A curve is fitted again when there are this many times as many epochs."""


class Progress:
    """Fits the losses of jobs and predicts when they converge."""

    def __init__(self, fall: float) -> None:
        """Jobs have converged when an epoch brings less than `fall` of the first loss."""
        self._fall, self._work = fall, WorkCounter()
        self._ends: dict[int, tuple[int, float]] = {}
        """Epochs fitted and the predicted last one, by job; negative: none is known."""

    def look(self, jobs: Sequence[JobView]) -> None:
        """Count the work done since the last time."""
        self._work.look(jobs)

    def left(self, job: JobView) -> float:
        """Return the ticks at full speed that are left: one epoch at least.

        Before the losses tell enough it is what jobs took that have ended, on average.
        """
        losses = job.losses
        epochs, work = len(losses), self._work.of(job)
        if epochs > NEWS * self._ends.get(job.number, (-1, 0.0))[0]:
            fit = fit_losses(losses)
            self._ends[job.number] = epochs, fit.end(self._fall * fit.at(0.0)) if fit else -1.0
        end = self._ends[job.number][1]
        if end < 0.0:
            return self._work.usual
        return max(1.0, end - epochs) * work / epochs
