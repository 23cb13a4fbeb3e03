"""Small `rental` instances, by hand and by lot."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from ringyard.instances import (
    Amdahl,
    Epoch,
    JobType,
    PowerLaw,
    RentalInstance,
    SpeedPoint,
    SpeedTable,
    Speedup,
)


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
