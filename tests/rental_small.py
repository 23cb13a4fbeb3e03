"""Small `rental` instances, by hand and by lot, and what cannot be right about their answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np

from ringyard.analysis.check.rental import check_rental
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
)
from ringyard.testing.family import DEFAULT, Asked

NASTY = ("1", "1", "0.333333333333", "3", "0.000001", "100")
"""Rates, weights and hours of work."""

WIDTHS = (1, 2, 3, 5, 10, 40)
"""Of static plans that are tried one by one."""

NOISE = 1 + Fraction(1, 10**9)
"""More than what a plan leaves unspent, lest rounding overspends, can cost."""


def exact(value: float, digits: int = 3) -> Decimal:
    """Return a number as a file would have it."""
    return Decimal(str(round(float(value), digits)))


def power(exponent: float) -> PowerLaw:
    return PowerLaw(exponent=exact(exponent))


def amdahl(parallel: float) -> Amdahl:
    return Amdahl(parallel=exact(parallel))


def table(*speeds: float, gpus: Sequence[float] | None = None) -> SpeedTable:
    """Return speeds on 1, 2, .. GPUs, or on those given."""
    widths = range(1, len(speeds) + 1) if gpus is None else gpus
    pairs = zip(widths, speeds, strict=True)
    return SpeedTable(points=tuple(SpeedPoint(gpus=exact(k), speed=exact(s, 6)) for k, s in pairs))


def stream(
    name: str, rate: float, *epochs: tuple[float, Speedup], weight: float = 1, asks: int = 1
) -> JobType:
    """Return a type of jobs with work and speed-up of each epoch."""
    return JobType(
        name=name,
        rate_per_h=exact(rate),
        weight=exact(weight),
        asks=asks,
        epochs=tuple(Epoch(work_h=exact(work), speedup=curve) for work, curve in epochs),
    )


def rented(
    types: Sequence[JobType], budget: float, *, whole: bool = False, rescale_s: float = 0
) -> RentalInstance:
    return RentalInstance(
        name="small",
        types=tuple(types),
        budget_gpus=exact(budget, 6),
        widths="whole" if whole else "any",
        rescale_s=exact(rescale_s),
    )


def two_types(budget: float, *, whole: bool = False) -> RentalInstance:
    """Return the example of Figure 1 of the BOA paper (arXiv 2406.15560)."""
    types = [stream("amdahl", 0.4, (1, amdahl(0.8))), stream("root", 0.4, (1, power(0.5)))]
    return rented(types, budget, whole=whole)


def rising(rng: np.random.Generator, points: int) -> SpeedTable:
    """Return a table that rises, somewhere faster and somewhere slower."""
    steps = rng.uniform(0.05, 1, points - 1)
    return table(1, *(1 + np.cumsum(steps)))


def by_lot(
    seed: int, types: int, *, epochs: int = 1, whole: bool = False, tables_only: bool = False
) -> RentalInstance:
    """Return types with speed-ups of every model, and a budget of some times their loads."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(types):
        parts = []
        for e in range(epochs):
            curves = [power(rng.uniform(0.3, 0.8)), amdahl(rng.uniform(0.5, 0.95))]
            tables = [rising(rng, 6)]
            usable = tables if tables_only else curves + tables
            parts.append((float(rng.uniform(0.5, 4)), usable[(i + e) % len(usable)]))
        made.append(stream(f"t{i}", rng.uniform(0.2, 1.5), *parts, weight=rng.uniform(0.5, 2)))
    load = sum(float(one.rate_per_h * part.work_h) for one in made for part in one.epochs)
    return rented(made, load * rng.uniform(1.1, 2.5), whole=whole)


def stalling(rng: Random) -> RentalInstance:
    """Return up to three types, one with several epochs, whose jobs stall where widths change.

    The budget is often just what a static plan costs.
    """
    counts = [rng.randint(2, 3), *(rng.randint(1, 3) for _ in range(rng.randint(0, 2)))]
    made = RentalInstance(
        name="stalling",
        types=tuple(_nasty_type(rng, f"t{i}", count) for i, count in enumerate(counts)),
        budget_gpus=Decimal(1),
        widths=rng.choice(("any", "whole")),
        rescale_s=Decimal(rng.choice(("0.001", "60", "300", "3600", "100000"))),
    )
    static = static_plan(made, [rng.choice(WIDTHS)] * len(counts))
    paid = check_rental(made, static).mean_gpus
    assert paid is not None
    factor = Decimal(rng.choice(("1", "1", "1.000001", "1.05", "1.5", "10")))
    return replace(made, budget_gpus=factor * exact(float(paid) * (1 + 1e-12), 9))


def _nasty_type(rng: Random, name: str, epochs: int) -> JobType:
    def number() -> Decimal:
        return Decimal(rng.choice(NASTY))

    parts = tuple(Epoch(work_h=number(), speedup=_nasty_speedup(rng)) for _ in range(epochs))
    asks = rng.choice(WIDTHS)
    return JobType(name=name, rate_per_h=number(), weight=number(), asks=asks, epochs=parts)


def _nasty_speedup(rng: Random) -> Speedup:
    model = rng.randrange(3)
    if model == 0:
        return power(rng.choice((1, 0.999, 0.5, 0.3, 0.001)))
    if model == 1:
        return amdahl(rng.choice((1, 0.99, 0.5, 0)))
    gpus = sorted(rng.sample(range(2, 25), rng.randint(0, 4)))
    speeds, last = [1.0], 1.0
    for k in gpus:
        last = rng.choice((last, last + 0.4, max(last, float(k)), max(last, k / 2)))
        speeds.append(last)
    return table(*speeds, gpus=[1, *gpus])


def static_plan(instance: RentalInstance, widths: Sequence[int]) -> RentalPlan:
    """Return the plan in which jobs of each type have one width from first to last."""
    types = (
        TypePlan(
            type=one.name,
            choices=(
                Choice(
                    stretches=tuple(
                        Stretch(epoch=e, gpus=Decimal(k)) for e in range(len(one.epochs))
                    )
                ),
            ),
        )
        for one, k in zip(instance.types, widths, strict=True)
    )
    return RentalPlan(instance=instance.name, types=tuple(types))


def beaten(instance: RentalInstance, found: Asked) -> list[str]:
    """Return the static plans, as the judge values them, that are better than the default's."""
    return list(_better(instance, found))


def _better(instance: RentalInstance, found: Asked) -> Iterator[str]:
    mine = found.answers[DEFAULT].objective if DEFAULT in found.answers else None
    for widths in product(WIDTHS, repeat=len(instance.types)):
        verdict = check_rental(instance, static_plan(instance, widths))
        if not verdict.valid or verdict.mean_jct is None:
            continue
        if mine is None or mine > verdict.mean_jct * NOISE:
            told = None if mine is None else float(mine)
            yield f"{DEFAULT} has {told}, widths {widths} have {float(verdict.mean_jct)}"
