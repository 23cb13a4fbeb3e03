"""The service after which a rank is computed anew, so that all are at the same ticks."""

from decimal import Decimal

from ...simulation.trace import Seen, World


class Quantum:
    """Multiples of an interval, in service of a job."""

    def __init__(self, world: World, interval_s: Decimal) -> None:
        """Count the interval in ticks."""
        self._world, self._ticks = world, round(float(interval_s) / world.tick_s)

    def end(self, job: Seen) -> float:
        """Return the service of a job at the next multiple, if it works until then."""
        return job.attained + job.gpus * (self._ticks - self._world.now % self._ticks)
