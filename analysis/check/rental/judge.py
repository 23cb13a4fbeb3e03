"""From `rental` instance and plan to the verdict: its hours and GPU-hours, on average."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....instances.rental.instance import (
    Choice,
    JobType,
    RentalInstance,
    RentalPlan,
    Stretch,
    TypePlan,
)
from ..judge import AnyVerdict, violations_of
from .rules import ALL, RentalCase
from .speed import speed_of

NONE = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Hours of a job, and GPU-hours that it pays for."""

    hours: Fraction
    gpu_hours: Fraction


def costs_of(instance: RentalInstance, plan: RentalPlan) -> dict[str, Cost]:
    """Return what jobs take by the first entry of every known type, in the plan's order."""
    types = {one.name: one for one in instance.types}
    stall, found = Fraction(instance.rescale_s) / 3600, dict[str, Cost]()
    for entry in plan.types:
        if entry.type in types and entry.type not in found:
            found[entry.type] = _of_type(types[entry.type], entry, stall)
    return found


def _of_type(one: JobType, entry: TypePlan, stall: Fraction) -> Cost:
    each = [(Fraction(choice.share), _of_choice(one, choice, stall)) for choice in entry.choices]
    return Cost(
        hours=sum((share * cost.hours for share, cost in each), NONE),
        gpu_hours=sum((share * cost.gpu_hours for share, cost in each), NONE),
    )


def _of_choice(one: JobType, choice: Choice, stall: Fraction) -> Cost:
    hours = gpu_hours = NONE
    before: Stretch | None = None
    for stretch in choice.stretches:
        if stretch.epoch not in range(len(one.epochs)):
            continue
        epoch = one.epochs[stretch.epoch]
        took = Fraction(stretch.part) * Fraction(epoch.work_h)
        took /= speed_of(epoch.speedup, stretch.gpus)
        if before is not None and before.gpus != stretch.gpus:
            took += stall
        hours += took
        gpu_hours += Fraction(stretch.gpus) * took
        before = stretch
    return Cost(hours=hours, gpu_hours=gpu_hours)


def mean_hours(instance: RentalInstance, costs: Mapping[str, Cost]) -> Fraction | None:
    """Return the mean completion time, weighted; None if a type has no entry."""
    if len(costs) < len(instance.types):
        return None
    weights = [Fraction(one.rate_per_h) * Fraction(one.weight) for one in instance.types]
    hours = [costs[one.name].hours for one in instance.types]
    return _sum([w * h for w, h in zip(weights, hours, strict=True)]) / sum(weights)


def mean_gpus(instance: RentalInstance, costs: Mapping[str, Cost]) -> Fraction:
    """Return the GPUs that are paid for, on average over time."""
    known = [one for one in instance.types if one.name in costs]
    return _sum([Fraction(one.rate_per_h) * costs[one.name].gpu_hours for one in known])


def _sum(terms: Sequence[Fraction]) -> Fraction:
    # By halves: a thousand irrational speeds make a denominator of 50,000 digits.
    if len(terms) < 2:
        return terms[0] if terms else NONE
    half = len(terms) // 2
    return _sum(terms[:half]) + _sum(terms[half:])


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
