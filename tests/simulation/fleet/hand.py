"""Plans for small fleets, and what came of them in a form that is easy to compare."""

from decimal import Decimal
from typing import Any

from check.rental.plans import number

from ringyard.instances import Choice, FleetInstance, RentalPlan, Stretch, TypePlan
from ringyard.simulation.fleet import FleetResult, simulate, stream_of


def stages(*gpus: Any) -> tuple[Stretch, ...]:
    """Return one stretch for each epoch."""
    return tuple(Stretch(epoch=e, gpus=number(k)) for e, k in enumerate(gpus))


def widths(**types: tuple[Stretch, ...] | int) -> RentalPlan:
    """Return a plan of one choice for each type; a number stands for one epoch."""
    plans = []
    for name, given in types.items():
        own = stages(given) if isinstance(given, int) else given
        plans.append(TypePlan(type=name, choices=(Choice(share=Decimal(1), stretches=own),)))
    return RentalPlan(instance="small", types=tuple(plans))


def played(instance: FleetInstance, plan: Any, **more: Any) -> FleetResult:
    return simulate(stream_of(instance)[0], plan, keep=True, **more)


def rows(array: Any) -> list[tuple[int, ...]]:
    return sorted(map(tuple, array.tolist()))
