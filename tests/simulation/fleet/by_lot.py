"""Random fleets with everything the family has, plans for them, and a decider that draws lots."""

from decimal import Decimal
from random import Random

import numpy as np

from ringyard.instances import (
    Amdahl,
    Choice,
    Epoch,
    FleetInstance,
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
from ringyard.instances.fleet.mix import draw, fleet_of
from ringyard.simulation.fleet import FleetDecision, FleetSetting, FleetView


def speedup(rng: Random) -> Speedup:
    """Return a speed-up; tables may fall, and rise faster than their GPUs."""
    model = rng.randrange(3)
    if model == 0:
        return PowerLaw(exponent=Decimal(rng.choice(["0.33", "0.5", "0.7", "1"])))
    if model == 1:
        return Amdahl(parallel=Decimal(rng.choice(["0", "0.8", "0.95", "1"])))
    points, speed = [SpeedPoint(gpus=Decimal(1), speed=Decimal(1))], 1.0
    for gpus in sorted(rng.sample(range(2, 20), 3)):
        speed = max(0.1, speed + rng.uniform(-0.3, 2))
        points.append(SpeedPoint(gpus=Decimal(gpus), speed=Decimal(f"{speed:.3f}")))
    return SpeedTable(points=tuple(points))


def fleet(seed: int) -> FleetInstance:
    rng = Random(seed)
    types = tuple(
        JobType(
            name=f"t{i}",
            rate_per_h=Decimal(rng.choice([1, 20, 300])),
            weight=Decimal(rng.choice(["1", "2.5"])),
            epochs=tuple(
                Epoch(work_h=Decimal(rng.choice(["0.001", "0.01"])), speedup=speedup(rng))
                for _ in range(rng.randrange(1, 4))
            ),
        )
        for i in range(rng.randrange(1, 4))
    )
    tick = rng.choice([Decimal(1), Decimal("0.5")])
    rental = RentalInstance(
        name="by-lot",
        types=types,
        budget_gpus=Decimal(10**6),
        widths=rng.choice(["whole", "any"]),
        rescale_s=tick * rng.choice([0, 0, 3]),
    )
    jobs = draw(
        types,
        rng.randrange(1, 25),
        seed,
        tick_s=tick,
        arrivals=rng.choice(["poisson", "bursty", "even"]),
        sizes=rng.choice(["exponential", "pareto"]),
    )
    return fleet_of(
        rental,
        jobs,
        provision_s=tick * rng.choice([0, 0, 5, 30]),
        node_gpus=rng.choice([None, None, 1, 4]),
        billing_s=rng.choice([None, tick * 10, tick * 60]),
        tick_s=tick,
    )


def plan(instance: FleetInstance, seed: int) -> RentalPlan:
    """Return widths by lot, some of which change within an epoch."""
    rng = Random(seed)

    def width() -> Decimal:
        if instance.widths == "whole":
            return Decimal(rng.randrange(1, 8))
        return Decimal(rng.randrange(1000, 9000)) / 1000

    def choice(epochs: int, share: Decimal) -> Choice:
        stretches: list[Stretch] = []
        for e in range(epochs):
            kept = stretches[-1].gpus if stretches and rng.random() < 0.4 else width()
            if rng.random() < 0.3:
                stretches.append(Stretch(epoch=e, gpus=kept, part=Decimal("0.3")))
                stretches.append(Stretch(epoch=e, gpus=width(), part=Decimal("0.7")))
            else:
                stretches.append(Stretch(epoch=e, gpus=kept))
        return Choice(share=share, stretches=tuple(stretches))

    made = []
    for one in instance.types:
        count = rng.randrange(1, 3)
        choices = tuple(choice(len(one.epochs), Decimal(1) / count) for _ in range(count))
        made.append(TypePlan(type=one.name, choices=choices))
    return RentalPlan(instance=instance.name, types=tuple(made))


class Lots:
    """Rents and gives out GPUs by lot; some jobs keep theirs."""

    until = 0

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self.interval = self._rng.choice([0, 7])

    def begin(self, setting: FleetSetting) -> None:
        self._whole = setting.whole

    def decide(self, view: FleetView) -> FleetDecision:
        rng, rent = self._rng, self._rent(view)
        held, free = np.zeros(len(view.jobs), np.int64), view.usable(rent)
        for place in rng.sample(range(len(held)), len(held)):
            keeps = view.milli[place] and rng.random() < 0.6
            wanted = view.milli[place] if keeps else self._drawn(1, 6)
            if wanted <= free:
                held[place] = wanted
                free -= wanted
        if not held.any() and free >= 1000 and len(held):
            held[0] = 1000
        return FleetDecision(milli=held, rent=rent)

    def _rent(self, view: FleetView) -> int:
        rent = view.rented if self._rng.random() < 0.7 else self._drawn(1, 20)
        return rent if view.usable(rent) >= 1000 else max(rent, 4000)

    def _drawn(self, least: int, most: int) -> int:
        parts = 0 if self._whole else self._rng.randrange(1000)
        return 1000 * self._rng.randrange(least, most) + parts
