"""Plans of the family `rental`, simulated on a path."""

from collections.abc import Callable
from fractions import Fraction

from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome, RentalInstance, RentalPlan
from .expected import Loads, rental_of, simple_plans
from .within import serve


def simulate_planned(
    instance: FleetInstance,
    limits: Limits,
    rng: Generator,
    name: str,
    loads: Loads,
    solve: Callable[[RentalInstance], Outcome],
) -> Outcome:
    """Return what a method of the family `rental` does, in hindsight of what it spends."""

    def make(target: Fraction) -> RentalPlan | None:
        plan: RentalPlan | None = solve(rental_of(instance, loads, target)).schedule
        return plan

    return serve(instance, limits, rng, name, make, simple_plans(instance.types))
