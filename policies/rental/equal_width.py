"""All jobs on as many GPUs as each other, the most that the budget allows."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from ...instances import Limits, Outcome, RentalInstance, TerminationReason
from ...instances.speedup import MOST_GPUS, MostGpus
from ..request import Request
from .dual import SLACK, use_of
from .plan import RentalSolution, answer, steady
from .streams import Streams, streams_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The width."""

    gpus: Annotated[MostGpus | None, "GPUs of every job; null: the most that is affordable"] = None


def refuses(instance: RentalInstance, options: Options) -> str | None:
    """Say why jobs cannot have that many GPUs, or None if they can."""
    gpus = options.gpus
    if gpus is not None and instance.widths == "whole" and gpus % 1:
        return f"gpus={gpus} is not whole, and this instance wants whole widths"
    return None


def run(instance: RentalInstance, request: Request[Options]) -> Outcome:
    """Return the plan; nothing is random. Once the time is up the width grows no closer."""
    streams = streams_of(instance)
    given = None if request.options.gpus is None else float(request.options.gpus)

    def solve(budget: float) -> RentalSolution | None:
        width = _widest(streams, budget, request.limits) if given is None else given
        return None if width is None else alike(width)

    def alike(width: float) -> RentalSolution:
        return RentalSolution([[steady(1.0, [width] * len(own))] for own in streams.by_type()])

    one_each = partial(alike, 1.0) if given is None else None
    outcome = answer(instance, "equal-width", solve, one_each)
    return (
        replace(outcome, termination=TerminationReason.TIME_LIMIT)
        if request.limits.over()
        else outcome
    )


def _widest(streams: Streams, budget: float, limits: Limits) -> float | None:
    """Return the width of jobs that spend the budget; None if one GPU for each is too much.

    Once the time is up it is a smaller one.
    """
    if _spend(streams, 1.0) > budget * (1 + SLACK):
        return None
    low, high = 1.0, float(MOST_GPUS)
    within = budget * (1 + SLACK) if streams.whole else budget
    if _spend(streams, high) <= within:
        return high
    while (middle := _between(low, high, streams.whole)) not in (low, high):
        if limits.over():
            break
        low, high = (middle, high) if _spend(streams, middle) <= within else (low, middle)
    return low


def _between(low: float, high: float, whole: bool) -> float:
    return (low + high) // 2 if whole else (low + high) / 2


def _spend(streams: Streams, width: float) -> float:
    return float(streams.load @ use_of(streams, np.full(len(streams.load), width))[1])
