"""What one width for each type loses where speed-ups are not concave."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...analysis.tables import Cell, Table, columns_of, numbers
from ...instances import RentalInstance, SpeedTable
from ...instances.catalogue import load_as
from ...policies.rental.dual import use_of
from ...policies.rental.streams import streams_of
from ...run import solve

NAME = "rental-stepped"

BUDGETS = 200
"""Budgets at which each type is looked at."""

Point = tuple[float, float]
"""GPU-hours and hours for an hour of work."""


def bent() -> Table:
    """Return the worst loss of each type of the instance alone, and that of all together."""
    instance = replace(load_as(RentalInstance, NAME), widths="any")
    rows: list[tuple[Cell, ...]] = [
        (one.name, *_worst(replace(instance, types=(one,)))) for one in instance.types
    ]
    whole = replace(instance, widths="whole")
    pure, mixed = (float(solve(whole, name).objective or 0) for name in ("boa-pure", "boa"))
    load = float(sum(map(sum, instance.loads)))
    rows.append(("all, whole", float(instance.budget_gpus) / load, pure / mixed, None))
    return Table(
        caption=f"One width where speed-ups are not concave: {NAME}",
        columns=(
            *columns_of({"type": None, "budget / load": 2}),
            *numbers(
                "best single width",
                "printed program",
                digits=3,
                over="mean JCT over that of two mixed",
            ),
        ),
        rows=tuple(rows),
        notes=(
            f"Each type alone, at the budget of {BUDGETS} where its best single real width loses "
            "most; the printed program takes the best width at a price, and raises the price until "
            "the budget is kept. All: one whole width for each type, for the instance's budget.",
        ),
    )


def _worst(alone: RentalInstance) -> tuple[float, float, float]:
    """Return the budget over the load, and the two losses there."""
    streams = streams_of(alone)
    h, z = use_of(streams, streams.corners.T)
    uses, times = z[:, 0].tolist(), h[:, 0].tolist()
    speedup = alone.types[0].epochs[0].speedup
    assert isinstance(speedup, SpeedTable)
    points = [(float(point.gpus / point.speed), float(1 / point.speed)) for point in speedup.points]
    found = []
    for budget in np.linspace(uses[0], uses[-1], BUDGETS).tolist():
        least = float(np.interp(budget, uses, times))
        printed = min(time for use, time in zip(uses, times, strict=True) if use <= budget)
        found.append((budget, single(points, budget) / least, printed / least))
    return max(found, key=lambda one: one[1])


def single(points: Sequence[Point], budget: float) -> float:
    """Return the least hours that one width takes for the given GPU-hours, both per hour of work.

    Between two points of a table, hours are linear in GPU-hours.
    """
    found = [time for use, time in points if use <= budget]
    for one, other in pairwise(points):
        (low, at_low), (high, at_high) = sorted((one, other))
        if low <= budget < high:
            found.append(at_low + (at_high - at_low) * (budget - low) / (high - low))
    return min(found)
