"""SRTF: the least time left runs first, for schedulers that know how long jobs take.

What is left is the time at full speed. It is known exactly while a job runs at full speed; a job
that may be slower is looked at again whenever half of what was left would be done at full speed.
"""

from math import ceil

from ...instances import Outcome, TraceInstance
from ...simulation.trace import FULL, KnownJobView, Rank, Ranker
from ...simulation.trace.views import FOREVER
from ..request import Request
from .serve import ServiceOptions as Options
from .serve import serve


class Srtf(Ranker):
    """Ranks jobs by the time that is left of them."""

    information = FULL

    def weight(self, job: KnownJobView) -> int:
        """Return what a tick of a job counts."""
        return 1

    def rank(self, job: KnownJobView) -> Rank:
        """Return what is left; it shrinks as the job works."""
        weight, left = self.weight(job), job.remaining
        slowed = job.communication > 0 and job.gpus > 1
        until = job.attained + job.width * ceil(left / 2) if slowed else FOREVER
        return Rank(key=weight * (left + job.executed), slope=-weight, until=until)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "srtf", Srtf(), request.options)
