"""First in, first out: no job is stopped, and none starts past a job that has to wait."""

from ...instances import Outcome, TraceInstance
from ...simulation.trace import JobView, Rank, Ranker
from ..request import Request
from .serve import ServiceOptions as Options
from .serve import serve


class Fifo(Ranker):
    """Ranks jobs by their arrival."""

    preempts = False
    blocks = True

    def rank(self, job: JobView) -> Rank:
        """Return the arrival."""
        return Rank(key=job.arrival)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "fifo", Fifo(), request.options)
