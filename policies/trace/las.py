"""LAS: whoever has worked for the least time runs first, however many GPUs it holds.

Least attained service in the one dimension of time, which Tiresias compares 2D-LAS with. Ranks
change with every tick of work, so the queue is served every `interval_s`.
"""

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from ...simulation.trace import JobView, Rank
from .rule import Rule
from .serve import serve
from .two_d_las import Options


class Las(Rule):
    """Ranks jobs by the time that they have worked."""

    def rank(self, job: JobView) -> Rank:
        """Return the time so far; it grows as the job works."""
        return Rank(slope=1)


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    return serve(instance, limits, "las", Las(), options or Options())
