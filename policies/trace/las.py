"""LAS: the job that has worked for the least time runs first, however many GPUs it holds.

Least attained service in the one dimension of time, which Tiresias compares 2D-LAS with. Ranks
change with every tick of work, so the queue is served every `interval_s`.
"""

from ...instances import Outcome, TraceInstance
from ...simulation.trace import JobView, Rank, Ranker
from ..request import Request
from .serve import serve
from .two_d_las import Options


class Las(Ranker):
    """Ranks jobs by the time that they have worked."""

    def rank(self, job: JobView) -> Rank:
        """Return the time so far; it grows as the job works."""
        return Rank(slope=1)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "las", Las(), request.options)
