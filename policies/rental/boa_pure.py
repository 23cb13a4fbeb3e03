"""BOA with one whole width for all jobs of a type, epoch by epoch: good, not always the best."""

from dataclasses import replace
from functools import partial

from ...instances import Outcome, RentalInstance, Stop
from ..request import NO_OPTIONS, NoOptions, Request
from .boa import stalls
from .plan import RentalSolution, answer, steady, thrifty
from .pure import solve_pure
from .streams import streams_of


def refuses(instance: RentalInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Say why widths cannot be chosen epoch by epoch, or None if they can."""
    return "jobs stand still when their GPUs change: take boa-resize" if stalls(instance) else None


def run(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan, less improved if the time is up before; nothing is random."""
    streams = streams_of(instance, whole=True)

    def solve(budget: float) -> RentalSolution | None:
        widths = solve_pure(streams, budget, request.limits)
        if widths is None:
            return None
        return RentalSolution([[steady(1.0, widths[own])] for own in streams.by_type()])

    outcome = answer(instance, "boa-pure", solve, partial(thrifty, instance, whole=True))
    return replace(outcome, stop=Stop.TIME_LIMIT) if request.limits.over() else outcome
