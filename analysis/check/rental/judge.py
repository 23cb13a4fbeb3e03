"""From `rental` instance and plan to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.rental.instance import RentalInstance
from ....instances.rental.schedule import RentalPlan
from ..verdict import AnyVerdict, violations_of
from .cost import costs_of, mean_gpus, mean_hours
from .rules import ALL, RentalCase


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalVerdict(AnyVerdict):
    """Every violation, and what the plan comes to in the long run.

    `mean_jct`, in hours, weighs an hour of a job by its type; it is None if a type has no entry.
    `mean_gpus` are paid for on average over time. `times` has the hours of a job, `gpu_hours` what
    it pays for, by type.
    """

    mean_jct: Fraction | None
    mean_gpus: Fraction
    times: Mapping[str, Fraction]
    gpu_hours: Mapping[str, Fraction]

    @property
    def objective(self) -> Fraction | None:
        """The mean completion time."""
        return self.mean_jct


def check_rental(instance: RentalInstance, plan: RentalPlan) -> RentalVerdict:
    """Check a plan against its instance, recomputing everything from the raw data.

    The judge goes on after a violation. What counts is the first entry of every known type and,
    of it, the stretches of known epochs, with shares and parts as they stand; on less than one
    GPU a job is as fast as on one. The instance must be one that the reader accepts.
    """
    costs = costs_of(instance, plan)
    case = RentalCase(
        instance=instance,
        schedule=plan,
        types={one.name: one for one in instance.types},
        mean_jct=mean_hours(instance, costs),
        mean_gpus=mean_gpus(instance, costs),
    )
    return RentalVerdict(
        violations=violations_of(case, ALL),
        mean_jct=case.mean_jct,
        mean_gpus=case.mean_gpus,
        times={name: cost.hours for name, cost in costs.items()},
        gpu_hours={name: cost.gpu_hours for name, cost in costs.items()},
    )
