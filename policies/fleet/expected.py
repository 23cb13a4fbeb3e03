"""The `rental` problem behind a fleet, as expected or as it turned out, and its plans on a path."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

from ...instances import (
    Choice,
    FleetInstance,
    JobType,
    Outcome,
    RentalInstance,
    RentalPlan,
    Stretch,
    TypePlan,
)
from ...instances.speedup import MOST_GPUS
from ..request import Request
from .within import serve

Loads = Literal["path", "expected"]

RARE = Decimal("1e-9")
"""Arrivals in an hour of a type of which no job came."""

_DIGITS = Context(prec=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """What is known of the loads."""

    loads: Annotated[
        Loads, "path: those of the jobs that will come; expected: rate times mean work of types"
    ] = "path"


def rental_of(instance: FleetInstance, loads: Loads, target: Fraction) -> RentalInstance:
    """Return the problem of widths for a target in GPUs; the loads are rounded to 15 digits."""
    types = instance.types
    if loads == "path":
        rows = zip(types, instance.rates, instance.loads, strict=True)
        types = tuple(_as_it_came(one, rate, own) for one, rate, own in rows)
    return RentalInstance(
        name=instance.name,
        types=types,
        budget_gpus=_decimal(target),
        widths="whole" if instance.widths == "whole" else "any",
        rescale_s=instance.rescale_s,
    )


def _as_it_came(one: JobType, rate: Fraction, loads: tuple[Fraction, ...]) -> JobType:
    if not rate:
        return replace(one, rate_per_h=RARE)
    epochs = zip(one.epochs, loads, strict=True)
    return replace(
        one,
        rate_per_h=_decimal(rate),
        epochs=tuple(replace(epoch, work_h=_decimal(load / rate)) for epoch, load in epochs),
    )


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def all_alike(types: Sequence[JobType], gpus: Sequence[int]) -> RentalPlan:
    """Return the plan that gives all jobs of a type a fixed number of GPUs."""
    plans = []
    for one, own in zip(types, gpus, strict=True):
        stretches = [Stretch(epoch=e, gpus=Decimal(own)) for e in range(len(one.epochs))]
        plans.append(TypePlan(type=one.name, choices=(Choice(stretches=tuple(stretches)),)))
    return RentalPlan(instance="as it comes", types=tuple(plans))


def simple_plans(types: Sequence[JobType]) -> Iterator[tuple[str, Callable[[], RentalPlan]]]:
    """Yield the plans in which all jobs have as many GPUs as each other, the widest first.

    The program knows nothing of ticks, nodes and bills, so whatever it is asked for may cost too
    much where one of these does not.
    """
    for power in range(MOST_GPUS.bit_length() - 1, -1, -1):
        alike = partial(all_alike, types, [2**power] * len(types))
        yield f"GPUs of every job: {2**power:,}", alike


def simulate_planned(
    instance: FleetInstance, request: Request[LoadOptions], name: str, method: Any, options: Any
) -> Outcome:
    """Return what a method of the family `rental` does, in hindsight of what it spends."""
    # Plans on the way are no logs, so nobody is told of them.
    asked = Request(limits=replace(request.limits, watch=None), rng=request.rng, options=options)

    def make(target: Fraction) -> RentalPlan | None:
        rental = rental_of(instance, request.options.loads, target)
        plan: RentalPlan | None = method.run(rental, asked).schedule
        return plan

    return serve(instance, request, name, make, simple_plans(instance.types))
