"""Best effort: as YARN-CS, but whoever fits starts past those who have to wait."""

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from .fifo import Fifo
from .serve import serve
from .yarn_cs import Options


class BestEffort(Fifo):
    """Ranks jobs by their arrival, and lets those behind start before those in front."""

    blocks = False


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    return serve(instance, limits, "best-effort", BestEffort(), options or Options())
