"""Best effort: as YARN-CS, but jobs that fit start past those that have to wait."""

from ...instances import Outcome, TraceInstance
from ..request import Request
from .fifo import Fifo
from .serve import serve
from .yarn_cs import Options


class BestEffort(Fifo):
    """Ranks jobs by their arrival, and lets those behind start before those in front."""

    blocks = False


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "best-effort", BestEffort(), request.options)
