"""SRSF: the least GPU-time left runs first, for schedulers that know it (Tiresias).

The remaining service is the number of GPUs times the time left at full speed.
"""

from ...instances import Outcome, TraceInstance
from ...simulation.trace import KnownJobView
from ..request import Request
from .serve import ServiceOptions as Options
from .serve import serve
from .srtf import Srtf


class Srsf(Srtf):
    """Ranks jobs by the GPU-time that is left of them."""

    def weight(self, job: KnownJobView) -> int:
        """Return the GPUs of a job."""
        return job.gpus


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "srsf", Srsf(), request.options)
