"""Budgets along the trade-off curve of an instance."""

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from ...analysis.rental.tables import CurvePoint
from ...instances import NO_LIMITS, Limits, RentalInstance
from ...instances.errors import InputError, Problem, Words
from ...policies.rental.boa import stalls
from .program import OpenBudget

TIMES, STEPS = 2.0, 20
"""By default the curve goes to this multiple of the budget, and begins at the first of this many
steps to it from the least there can be, with which jobs may take very long."""

SMOOTH = 200
"""A figure has at least this many points, if they take little time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRange:
    """Budgets at equal distances; ends that are None are near the least, and beyond the budget."""

    points: int = 20
    low: Decimal | None = None
    high: Decimal | None = None

    def budgets(self, instance: RentalInstance, least: float) -> NDArray[np.float64]:
        """Return the budgets.

        Raises:
            InputError: If there are none.
        """
        high = TIMES * float(instance.budget_gpus) if self.high is None else float(self.high)
        above = (float(instance.budget_gpus) - least) / STEPS
        low = least + above if self.low is None else float(self.low)
        problems = []
        if self.points < 2:
            problems.append(
                Problem("--points", self.points, "an integer at least 2", "give for example 20")
            )
        if low < least * (1 - 1e-12):
            expected = f"at least {least:.6g} GPUs, the least that any plan takes"
            problems.append(Problem("--from", self.low, expected, "begin higher"))
        if high <= low:
            found = Words(f"{high:.6g}")
            problems.append(Problem("--to", found, f"above {low:.6g} GPUs", "go further"))
        if problems:
            raise InputError(instance.name, problems)
        return np.linspace(max(low, least), high, self.points)


def classes_of(instance: RentalInstance) -> list[str]:
    """Return the names of the epochs of all types."""
    return [
        one.name if len(one.epochs) == 1 else f"{one.name}, epoch {e}"
        for one in instance.types
        for e in range(len(one.epochs))
    ]


def curve_points(
    instance: RentalInstance, wanted: BudgetRange, limits: Limits = NO_LIMITS
) -> list[CurvePoint]:
    """Return the least mean completion time for each budget, as far as time allows."""
    program = OpenBudget(instance)
    return program.along(wanted.budgets(instance, float(program.least)), limits)


def fine(instance: RentalInstance, wanted: BudgetRange) -> BudgetRange:
    """Return a range for a figure: with more points, if they take little time."""
    if stalls(instance):
        return wanted
    return replace(wanted, points=max(SMOOTH, wanted.points))
