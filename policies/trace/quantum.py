"""The service after which a rank is computed anew, so that all are at the same ticks."""

from ...simulation.trace import JobView, TraceSetting


class Quantum:
    """Multiples of the interval at which the queue is served, in service of a job."""

    def __init__(self, setting: TraceSetting) -> None:
        """Remember the clock."""
        self._setting = setting

    def end(self, job: JobView) -> float:
        """Return the service of a job at the next multiple, if it works until then."""
        interval = self._setting.interval
        return job.attained + job.gpus * (interval - self._setting.now % interval)
