"""SRSF: whoever has the least GPU-time left runs first, for schedulers that know it (Tiresias).

The remaining service is the number of GPUs times the time left at full speed.
"""

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from ...simulation.trace import KnownJobView
from .serve import serve
from .srtf import Options, Srtf


class Srsf(Srtf):
    """Ranks jobs by the GPU-time that is left of them."""

    def weight(self, job: KnownJobView) -> int:
        """Return the GPUs of a job."""
        return job.gpus


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    return serve(instance, limits, "srsf", Srsf(), options or Options())
