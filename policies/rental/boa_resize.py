"""BOA where a change of width makes a job stand still: few changes, chosen with the widths."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ...instances import (
    Incumbent,
    Outcome,
    RentalInstance,
    RentalPlan,
    SolutionStatus,
    TerminationReason,
)
from ..request import NoOptions, Request
from . import as_asked, equal_width
from .exact import worth_of
from .plan import RentalSolution, answer, thrifty, worth_more
from .resize import Resizer
from .streams import streams_of


def run(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan, or one near it if the time is up before; nothing is random."""
    return resized(instance, request, "boa-resize")


def resized(instance: RentalInstance, request: Request[NoOptions], method: str) -> Outcome:
    """Return the plan under the name of a method; it is no worse than any static one.

    The best static plan is reported first, and is the answer where no other is better.
    """
    limits, static = request.limits, _best_static(instance, request)
    if static is not None:
        limits.report(
            Incumbent(schedule=replace(static.plan, method=method), value=float(static.jct))
        )
    resizer = Resizer(streams_of(instance), float(instance.rescale_s) / 3600)

    def solve(budget: float) -> RentalSolution | None:
        found = resizer.best(budget, limits)
        return found and RentalSolution(found.lots, worth_more(found.gain_h))

    outcome = answer(instance, method, solve, partial(thrifty, instance))
    own = outcome.schedule
    if static is not None and (own is None or worth_of(instance, own).mean_jct > static.jct):
        plan, note = static.plan, f"nothing better was found than the plan of {static.plan.method}"
        plan = replace(plan, method=method)
        outcome = replace(outcome, schedule=plan, status=SolutionStatus.FEASIBLE, note=note)
    return replace(outcome, termination=TerminationReason.TIME_LIMIT) if limits.over() else outcome


class _Static(NamedTuple):
    """A plan in which no width changes, with its mean completion time."""

    jct: Fraction
    plan: RentalPlan


def _best_static(instance: RentalInstance, request: Request[NoOptions]) -> _Static | None:
    """Return the best plan of the methods that change no width, if changes cost anything."""
    if not instance.rescale_s:
        return None
    widest = Request(limits=request.limits, options=equal_width.Options())
    found = equal_width.run(instance, widest), as_asked.run(instance, request)
    plans = (one.schedule for one in found if one.schedule is not None)
    worths = (_Static(worth_of(instance, plan).mean_jct, plan) for plan in plans)
    return min(worths, key=lambda one: one.jct, default=None)
