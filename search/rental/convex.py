"""The convex program of BOA as a method: one width for each epoch of each type, by CVXPY."""

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated

from ...formulations.rental.classes import classes_of
from ...formulations.rental.convex import Form, solve_convex
from ...instances import Outcome, RentalInstance, SolutionStatus, SpeedTable, TerminationReason
from ...instances.speedup import MOST_GPUS
from ...policies.rental.boa import stalls
from ...policies.rental.plan import RentalSolution, answer, steady, worth_more
from ...policies.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the program is said."""

    form: Annotated[
        Form, "perspective: by cones of hours and GPU-hours; closed: hours by a formula"
    ] = "perspective"


def refuses(instance: RentalInstance, _: Options) -> str | None:
    """Say why one real width is not enough, or None if it is."""
    if instance.widths == "whole":
        return "its widths are whole: take boa, shares or pure-widths"
    if stalls(instance):
        return "jobs stand still when their GPUs change: take boa-resize"
    for one in instance.types:
        for epoch in one.epochs:
            if isinstance(epoch.speedup, SpeedTable) and not _concave(epoch.speedup):
                return f"a speed-up of type {one.name!r} is not concave: take boa"
    return None


def _concave(table: SpeedTable) -> bool:
    """Say whether a table rises ever more slowly, and never falls."""
    slopes = [
        (other.speed - one.speed) / (other.gpus - one.gpus) for one, other in pairwise(table.points)
    ]
    return all(one >= other for one, other in pairwise([*slopes, Decimal(0)]))


def run(instance: RentalInstance, request: Request[Options]) -> Outcome:
    """Return the solver's plan, as good as its tolerance; nothing is random."""
    classes = classes_of(instance)

    def solve(budget: float) -> RentalSolution | None:
        found = solve_convex(classes, budget, request.options.form, request.limits)
        if found is None:
            return None
        widths = iter((found.z / found.h).clip(1, MOST_GPUS))
        lots = [[steady(1.0, [next(widths) for _ in one.epochs])] for one in instance.types]
        note = worth_more(found.price)
        return RentalSolution(
            lots, note if found.exact else f"{note}; the solver is not sure of it"
        )

    try:
        return answer(instance, "convex", solve)
    except TimeoutError as late:
        return Outcome(
            schedule=None,
            termination=TerminationReason.TIME_LIMIT,
            status=SolutionStatus.NOTHING,
            note=str(late),
        )
