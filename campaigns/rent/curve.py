"""The least mean completion time of an instance for any budget, and budgets along that curve."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import starmap
from math import inf

import numpy as np
from numpy.typing import NDArray

from ...analysis.rental.tables import MOST_WIDTHS, CurvePoint
from ...instances import NO_LIMITS, Limits, RentalInstance
from ...instances.errors import Problem, Words, raise_any
from ...policies.rental.boa import stalls
from ...policies.rental.dual import curve, solve_budget
from ...policies.rental.plan import least_use
from ...policies.rental.resize import Resizer
from ...policies.rental.streams import Floats, streams_of

LOT = 50_000
"""Budgets, times epochs of types, that are solved for together, without a look at the clock."""


class OpenBudget:
    """A rental instance whose budget is left open."""

    def __init__(self, instance: RentalInstance) -> None:
        """Take the streams of the instance."""
        self.least = least_use(instance)
        self._streams = streams_of(instance)
        self._price = float(instance.price_per_gpu_h)
        self._resizer: Resizer | None = None
        if stalls(instance):
            self._resizer = Resizer(self._streams, float(instance.rescale_s) / 3600)
            self.least = max(self.least, Fraction(self._resizer.least_gpus()))

    def at(self, budget: float, limits: Limits = NO_LIMITS) -> CurvePoint:
        """Return the least mean completion time for a budget; infinite if no plan is so cheap.

        Once the time is up it is that of some plan.
        """
        streams = self._streams
        if self._resizer is not None:
            resized = self._resizer.best(budget, limits)
            found = (resized.mean_jct, resized.gain_h) if resized else (inf, 0.0)
            return self._point(budget, *found)
        priced = solve_budget(streams, budget)
        if priced is None:
            return self._point(budget, inf, 0.0)
        widths = tuple(priced.widths.tolist()) if len(streams.load) <= MOST_WIDTHS else ()
        return self._point(budget, priced.mean_jct, priced.gain_h, widths)

    def along(self, budgets: Floats, limits: Limits = NO_LIMITS) -> list[CurvePoint]:
        """Return the least mean completion times for budgets; those too small are left out.

        So are those for which the time is too short.
        """
        if self._resizer is not None or len(self._streams.load) <= MOST_WIDTHS:
            points = []
            for budget in budgets.tolist():
                point = self.at(budget, limits)
                if limits.over():
                    break
                points.append(point)
        else:
            points = [point for lot in self._lots(budgets, limits) for point in self._curve(lot)]
        return [one for one in points if np.isfinite(one.mean_jct_h)]

    def _lots(self, budgets: Floats, limits: Limits) -> Iterator[Floats]:
        """Yield all budgets or, with a limit, a few at a time while there is time."""
        few = max(1, LOT // len(self._streams.load))
        if limits.time_s is None:
            few = len(budgets)
        for start in range(0, len(budgets), few):
            if limits.over():
                break
            yield budgets[start : start + few]

    def _curve(self, budgets: Floats) -> Iterator[CurvePoint]:
        found = curve(self._streams, budgets)
        saves = found.nu / self._streams.worth
        rows = zip(budgets.tolist(), found.mean_jct.tolist(), saves.tolist(), strict=True)
        return starmap(self._point, rows)

    def _point(
        self, budget: float, jct: float, saves: float, widths: tuple[float, ...] = ()
    ) -> CurvePoint:
        return CurvePoint(
            budget_gpus=budget,
            spend_per_h=budget * self._price,
            mean_jct_h=jct,
            saves_h=saves,
            widths=widths,
        )


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
        raise_any(instance.name, problems)
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
