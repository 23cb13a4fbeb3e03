"""YARN-CS: in order of arrival, nobody stopped or overtaken, as few servers as possible.

The production scheduler that Tiresias compares itself with: a job waits until it can be
consolidated, and everybody behind it waits, too.
"""

from dataclasses import dataclass

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from .fifo import Fifo
from .options import Placement, ServiceOptions
from .serve import serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Where jobs are put, and when they are served."""

    placement: Placement = "consolidate"


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    return serve(instance, limits, "yarn-cs", Fifo(), options or Options())
