"""What a plan comes to: the hours and the GPU-hours of a job of each type, on average."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....instances.rental.instance import JobType, RentalInstance
from ....instances.rental.schedule import Choice, RentalPlan, Stretch, TypePlan
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
