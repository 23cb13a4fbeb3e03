"""YARN-CS: in order of arrival, no job stopped or overtaken, as few servers as possible.

The production scheduler that Tiresias compares itself with: a job waits until it can be
consolidated, and every job behind it waits too.
"""

from dataclasses import dataclass

from ...instances import Outcome, TraceInstance
from ..request import Request
from .fifo import Fifo
from .serve import Placement, ServiceOptions, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Where jobs are put, and when they are served."""

    placement: Placement = "consolidate"


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "yarn-cs", Fifo(), request.options)
