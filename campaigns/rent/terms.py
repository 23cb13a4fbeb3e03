"""A plan for less than the budget, so that it and the terms of leases together cost the budget."""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...instances import NO_LIMITS, FleetInstance, Limits, RefusedError, RentalInstance
from ...policies.fleet.within import try_targets
from ...policies.rental.plan import least_use
from ...run import solve
from .asked import UP, as_asked, written
from .path import Drawing, Path, drawn_path, path_of
from .runs import planned


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsBudget:
    """What to plan for, and what that cost an hour on the jobs that it was tried on."""

    gpus: Decimal
    """GPUs that jobs hold, on average: the budget of the plan."""
    spend_per_h: float
    allowed_per_h: float
    jobs: str
    """Which jobs these were."""

    @property
    def fits(self) -> bool:
        """Whether that is within the budget; if not, no plan that was tried costs less."""
        return self.spend_per_h <= self.allowed_per_h

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        return {
            "budget_gpus": float(self.gpus),
            "spend_per_h": self.spend_per_h,
            "allowed_per_h": self.allowed_per_h,
            "fits": self.fits,
        }


def budget_for_terms(
    given: RentalInstance | FleetInstance,
    instance: RentalInstance,
    drawing: Drawing,
    limits: Limits = NO_LIMITS,
) -> TermsBudget:
    """Return the largest budget whose plan costs no more than the instance's on these terms.

    Plans are tried on other jobs than those that are simulated later, of the seed that follows; of
    a fleet on its own. Where none fits, that of the cheapest is returned.

    Raises:
        RefusedError: If the time is up before a plan is tried.
    """
    path, jobs = _practice(given, instance, drawing)
    price, allowed = float(instance.price_per_gpu_h), Fraction(instance.budget_gpus)
    least = least_use(instance)
    tried: list[TermsBudget] = []

    def fits(target: Fraction) -> bool | None:
        if target < least:
            return None
        gpus = written(target, UP)
        plan = solve(replace(instance, budget_gpus=gpus), time_limit=limits.left_s()).schedule
        if plan is None:
            return None
        ran, _ = planned(instance, path, plan, drawing.seed, None)
        paid = float(ran.metrics.mean_gpus_paid) * price
        spend = paid if ran.spend_per_h is None else ran.spend_per_h.mean
        found = TermsBudget(
            gpus=gpus, spend_per_h=spend, allowed_per_h=float(allowed) * price, jobs=jobs
        )
        tried.append(found)
        return found.fits

    try_targets(allowed, fits, limits.over)
    if not tried:
        raise RefusedError(f"{instance.name}: no plan was tried on these terms within the time")
    fitting = [one for one in tried if one.fits]
    return fitting[-1] if fitting else min(tried, key=lambda one: one.spend_per_h)


def _practice(
    given: RentalInstance | FleetInstance, instance: RentalInstance, drawing: Drawing
) -> tuple[Path, str]:
    """Return the jobs that plans are tried on, and what to call them."""
    if isinstance(given, FleetInstance):
        return path_of(as_asked(given, instance)), "these jobs"
    other = replace(drawing, seed=drawing.seed + 1)
    return drawn_path(instance, other, as_fleet=False), f"jobs of seed {other.seed}"
