"""First in, first out: nobody is stopped, and nobody starts past a job that has to wait."""

from dataclasses import dataclass

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from ...simulation.trace import JobView, Rank
from .options import ServiceOptions
from .rule import Rule
from .serve import serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Where jobs are put, and when they are served."""


class Fifo(Rule):
    """Ranks jobs by their arrival."""

    preempts = False
    blocks = True

    def rank(self, job: JobView) -> Rank:
        """Return the arrival."""
        return Rank(key=job.arrival)


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    return serve(instance, limits, "fifo", Fifo(), options or Options())
