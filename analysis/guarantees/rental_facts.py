"""The loss of BOA's widths by rounding, with the imports that compute the program's value."""

from fractions import Fraction
from math import ceil
from typing import Any

from ...instances import FleetInstance, RentalInstance
from ...policies.fleet.within import FINEST
from ...policies.rental.dual import PricedPlan, Streams, solve_budget, streams_of
from ...policies.rental.plan import CUTS, least_use

SPEED = 5e-7
"""Relative rounding error of a fleet's speed, which is at least 1."""

WIDTH = 1e-3
"""Relative rounding error of a width, at least 1, rounded down to thousandths of a GPU."""

FLOATS = 1e-9
"""More than floating point adds to any number here, in proportion."""


def rounding_factor(instance: RentalInstance | FleetInstance) -> Fraction:
    """Return the largest loss factor of a plan or a path by rounding."""
    if isinstance(instance, RentalInstance):
        return _plan_factor(instance)
    return _path_factor(instance)


def _plan_factor(instance: RentalInstance) -> Fraction:
    """Return the program's value for the smallest budget of a plan, over the best value.

    If a plan overspends after rounding its widths, it is recomputed for a smaller budget.
    """
    streams, budget = streams_of(instance), float(instance.budget_gpus)
    cut = max(budget * (1 - max(CUTS)), float(least_use(instance)))
    return _up(_at(streams, cut).mean_jct / _at(streams, budget).mean_jct)


def _path_factor(instance: FleetInstance) -> Fraction:
    """Return the largest cost of ticks, speeds, widths and the target search on a path."""
    streams, budget = streams_of(instance), float(instance.budget_gpus)
    _, planned = least_and_planned(instance)
    longest = max(len(one.epochs) for one in instance.types)
    late = longest * float(instance.tick_s) / 3600
    slower = _at(streams, planned * (1 - max(CUTS))).mean_jct / (1 - WIDTH - SPEED)
    least = _at(streams, budget * (1 + SPEED)).mean_jct / (1 + SPEED)
    return _up((slower + late) / least)


def least_and_planned(instance: FleetInstance) -> tuple[float, float]:
    """Return the minimum use of GPUs, and the smallest final target of `boa`, on a path.

    A job holds its GPUs less than a tick too long in each epoch. The target search ends within a
    relative error of the budget.
    """
    streams, budget = streams_of(instance), float(instance.budget_gpus)
    priced = solve_budget(streams, budget)
    if priced is None:
        return float(least_use(instance)), 0.0
    tick_h = float(instance.tick_s) / 3600
    idle = tick_h * float(streams.rates[streams.type] @ priced.widths)
    planned = (budget - idle) * (1 - SPEED) - budget * float(FINEST)
    return float(least_use(instance)), planned


def tight_budget(instance: RentalInstance | FleetInstance, _: Any) -> str | None:
    """Return a reason if ticks leave at most the minimum budget of a plan."""
    if isinstance(instance, RentalInstance):
        return None
    least, planned = least_and_planned(instance)
    if planned > least:
        return None
    return f"after ticks {max(planned, 0):.4g} GPUs are left, but any plan needs {least:.4g}"


def _at(streams: Streams, budget: float) -> PricedPlan:
    priced = solve_budget(streams, budget)
    assert priced is not None, "hypotheses ensure that a plan exists"
    return priced


def _up(factor: float) -> Fraction:
    """Round up to millionths, by more than floating point may be wrong."""
    return Fraction(ceil(factor * (1 + FLOATS) * 10**6), 10**6)
