"""BOA where a change of width makes a job stand still: few changes, chosen with the widths."""

from dataclasses import replace
from functools import partial

from ...instances import Limits, Outcome, RentalInstance, Stop
from ..request import NoOptions, Request
from .plan import RentalSolution, answer, thrifty, worth_more
from .resize import Resizer
from .streams import streams_of


def run(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan, or one near it if the time is up before; nothing is random."""
    return resized(instance, request.limits, "boa-resize")


def resized(instance: RentalInstance, limits: Limits, method: str) -> Outcome:
    """Return the plan under the name of a method."""
    resizer = Resizer(streams_of(instance), float(instance.rescale_s) / 3600)

    def solve(budget: float) -> RentalSolution | None:
        found = resizer.best(budget, limits)
        return found and RentalSolution(found.lots, worth_more(found.gain_h))

    outcome = answer(instance, method, solve, partial(thrifty, instance))
    return replace(outcome, stop=Stop.TIME_LIMIT) if limits.over() else outcome
