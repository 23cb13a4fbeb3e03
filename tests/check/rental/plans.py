"""Short ways to write small rental instances and plans."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from ringyard.analysis.check import check
from ringyard.instances import (
    Amdahl,
    Choice,
    Epoch,
    JobType,
    PowerLaw,
    RentalInstance,
    RentalPlan,
    SpeedPoint,
    SpeedTable,
    Speedup,
    Stretch,
    TypePlan,
    validate,
)


def number(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def power(exponent: float) -> PowerLaw:
    return PowerLaw(exponent=number(exponent))


def amdahl(parallel: float) -> Amdahl:
    return Amdahl(parallel=number(parallel))


def table(*points: tuple[Any, Any]) -> SpeedTable:
    """Points after the first, which is 1 GPU with speed-up 1."""
    every = ((1, 1), *points)
    return SpeedTable(points=tuple(SpeedPoint(gpus=number(k), speed=number(s)) for k, s in every))


def stream(name: str, rate: Any, *epochs: tuple[Any, Speedup], **more: Any) -> JobType:
    """Epochs are hours on one GPU, and the speed-up."""
    done = tuple(Epoch(work_h=number(work), speedup=speedup) for work, speedup in epochs)
    rest = {key: number(value) for key, value in more.items()}
    return JobType(name=name, rate_per_h=number(rate), epochs=done, **rest)


def market(budget: Any, *types: JobType, rescale_s: Any = 0, widths: Any = "any") -> RentalInstance:
    made = RentalInstance(
        name="small",
        types=types,
        budget_gpus=number(budget),
        rescale_s=number(rescale_s),
        widths=widths,
    )
    validate(made)
    return made


def two_types(budget: Any, **more: Any) -> RentalInstance:
    """Figure 1 of BOA: an Amdahl type and a square root, each of load 0.4."""
    types = stream("amdahl", 0.4, (1, amdahl(0.8))), stream("root", 0.4, (1, power(0.5)))
    return market(budget, *types, **more)


def on(gpus: Any, part: Any = 1, epoch: int = 0) -> Stretch:
    return Stretch(gpus=number(gpus), part=number(part), epoch=epoch)


def some(share: Any, *stretches: Stretch) -> Choice:
    return Choice(share=number(share), stretches=stretches)


def all_on(name: str, *stretches: Stretch) -> TypePlan:
    return TypePlan(type=name, choices=(some(1, *stretches),))


def plan(*types: TypePlan, **more: Any) -> RentalPlan:
    return RentalPlan(instance="small", types=types, **more)


def broken(instance: RentalInstance, made: RentalPlan) -> list[tuple[str, str, Fraction]]:
    return [(v.rule, v.where, v.amount) for v in check(instance, made).violations]
