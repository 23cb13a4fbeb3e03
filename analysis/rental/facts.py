"""What a plan of widths comes to, type by type."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from ...instances import RentalInstance, RentalPlan, TypePlan
from .words import plan_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFacts:
    """What the jobs of a type get, on average."""

    name: str
    rate_per_h: float
    load: float
    """GPUs they keep busy if each has one."""
    gpus: str
    """What its jobs hold, in words."""
    widths: tuple[tuple[tuple[float, float], ...], ...]
    """By epoch: GPUs, and the part of the epoch's work that is done on them."""
    jct_h: float
    gpu_h: float
    share: float
    """Part of all GPU-hours paid for."""


def widths_of(plan: TypePlan) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return by epoch the numbers of GPUs in a type's plan, with the part of work on each."""
    parts: dict[int, dict[float, float]] = {}
    for choice in plan.choices:
        for stretch in choice.stretches:
            own = parts.setdefault(stretch.epoch, {})
            gpus, part = float(stretch.gpus), float(choice.share * stretch.part)
            own[gpus] = own.get(gpus, 0.0) + part
    return tuple(tuple(sorted(own.items())) for _, own in sorted(parts.items()))


def plan_facts(
    instance: RentalInstance,
    plan: RentalPlan,
    hours: Sequence[float],
    gpu_hours: Sequence[float],
) -> list[TypeFacts]:
    """Return the facts of a plan, of whose jobs hours and GPU-hours are known by type."""
    plans = {one.type: one for one in plan.types}
    rates, loads = [float(rate) for rate in instance.rates], instance.loads
    spent = [rate * each for rate, each in zip(rates, gpu_hours, strict=True)]
    whole = fsum(spent)
    return [
        TypeFacts(
            name=one.name,
            rate_per_h=rates[i],
            load=float(sum(loads[i])),
            gpus=plan_text(plans[one.name]),
            widths=widths_of(plans[one.name]),
            jct_h=hours[i],
            gpu_h=gpu_hours[i],
            share=spent[i] / whole,
        )
        for i, one in enumerate(instance.types)
    ]
