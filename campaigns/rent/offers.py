"""Several offers of GPUs, such as faster kinds and spot: which to rent for whom.

On k GPUs of an offer an hour of a job's work takes (1 + i k r) / (v s(k)) hours: v is the offer's
speed, i how often in an hour each GPU is taken away, r how long the job then stands still, lost
work included, while its GPUs are paid for. So an offer and a number of GPUs are a way to work, with
hours and money for an hour of work, and the best plan mixes corners of the lower convex hull of all
ways, at one price of money for all jobs. That is the program of `rental` again, with a unit of
money an hour where it says GPU: the instance made here is solved, judged and bounded like others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np

from ...instances import Choice, Epoch, RentalInstance, RentalPlan, SpeedPoint, SpeedTable, Speedup
from ...instances.draw import exact
from ...instances.reading.vocabulary import Amount, Label, Positive
from ...instances.speedup import speed_at
from ...policies.rental.streams import corners_of

MOST = 256
"""GPUs of a job, at most; it has whole ones."""

DIGITS = 12
"""Decimals of the speeds of the instance in money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuOffer:
    """GPUs of one kind on one sort of terms."""

    name: Annotated[Label, "unique name"] = "spot"
    price_per_gpu_h: Annotated[Positive, "what one GPU costs in an hour"] = Decimal(1)
    speed: Annotated[Positive, "how much faster than the instance's GPUs"] = Decimal(1)
    interruptions_per_h: Annotated[Amount, "how often one GPU is taken away, on average"] = Decimal(
        0
    )
    resume_s: Annotated[Amount, "how long a job then stands still, lost work included"] = Decimal(
        300
    )


class OfferWay(NamedTuple):
    """GPUs of an offer for a job: what they cost in an hour, and the hours for one of work."""

    offer: str
    gpus: int
    per_h: float
    hours: float


class OfferShare(NamedTuple):
    """What part of the work of an epoch is done in what way, and how many jobs are at it."""

    type: str
    epoch: int
    part: float
    way: OfferWay
    jobs: float


class OfferStep(NamedTuple):
    """What part of an epoch's work a job does in what way."""

    epoch: int
    part: float
    way: OfferWay


class OfferChoice(NamedTuple):
    """What part of the jobs of a type takes which steps, in turn."""

    share: float
    steps: Sequence[OfferStep]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRental:
    """The instance in money, and the ways behind its tables, by type and epoch."""

    instance: RentalInstance
    given: RentalInstance
    ways: Sequence[Sequence[Sequence[OfferWay]]]
    offers: Sequence[GpuOffer]

    def choices(self, plan: RentalPlan) -> list[list[OfferChoice]]:
        """Return what jobs do, by type, under a plan of the instance in money."""
        plans = {one.type: one.choices for one in plan.types}
        return [
            [
                OfferChoice(float(choice.share), list(self._steps(i, choice)))
                for choice in plans[one.name]
            ]
            for i, one in enumerate(self.given.types)
        ]

    def shares(self, plan: RentalPlan) -> Iterator[OfferShare]:
        """Yield what a plan of the instance in money comes to."""
        for one, choices in zip(self.given.types, self.choices(plan), strict=True):
            parts: dict[tuple[int, OfferWay], float] = {}
            for choice in choices:
                for epoch, part, way in choice.steps:
                    parts[epoch, way] = parts.get((epoch, way), 0.0) + choice.share * part
            for (epoch, way), part in sorted(parts.items()):
                load = float(one.rate_per_h * one.epochs[epoch].work_h)
                yield OfferShare(one.name, epoch, part, way, load * part * way.hours)

    def _steps(self, type_: int, choice: Choice) -> Iterator[OfferStep]:
        unit = float(self.instance.price_per_gpu_h)
        for stretch in choice.stretches:
            for way, part in _mixed(self.ways[type_][stretch.epoch], unit * float(stretch.gpus)):
                yield OfferStep(stretch.epoch, float(stretch.part) * part, way)


def offered(given: RentalInstance, offers: Sequence[GpuOffer]) -> OfferedRental:
    """Return the instance in money for a number of offers; its unit is the least a job pays."""
    ways = [[_corners(epoch.speedup, offers) for epoch in one.epochs] for one in given.types]
    unit = exact(min(own[0].per_h for epochs in ways for own in epochs), DIGITS)
    types = tuple(
        replace(
            one,
            epochs=tuple(_epoch(e, own, unit) for e, own in zip(one.epochs, epochs, strict=True)),
        )
        for one, epochs in zip(given.types, ways, strict=True)
    )
    made = replace(
        given,
        types=types,
        widths="any",
        budget_gpus=given.budget_gpus * given.price_per_gpu_h / unit,
        price_per_gpu_h=unit,
    )
    return OfferedRental(instance=made, given=given, ways=ways, offers=offers)


def _corners(speedup: Speedup, offers: Sequence[GpuOffer]) -> list[OfferWay]:
    """Return the ways at the corners of the hull, from the cheapest for the work to the fastest."""
    found: list[OfferWay] = []
    for way in sorted(_ways(speedup, offers), key=lambda one: (one.per_h, one.hours)):
        if not found or way.hours < found[-1].hours:
            found.append(way)
    rates, speeds = np.array([[way.per_h, 1 / way.hours] for way in found]).T
    corners, _ = corners_of(rates[None] / rates[0], speeds[None] / speeds[0], whole=False)
    kept = np.searchsorted(rates / rates[0], corners[0])
    return [found[place] for place in sorted(set(kept.tolist()))]


def _ways(speedup: Speedup, offers: Sequence[GpuOffer]) -> Iterator[OfferWay]:
    speeds = [float(speed_at(speedup, Decimal(gpus))) for gpus in range(1, MOST + 1)]
    for one in offers:
        taken = float(one.interruptions_per_h * one.resume_s) / 3600
        for gpus, speed in enumerate(speeds, 1):
            hours = (1 + taken * gpus) / (float(one.speed) * speed)
            yield OfferWay(one.name, gpus, float(one.price_per_gpu_h) * gpus, hours)


def _epoch(epoch: Epoch, ways: Sequence[OfferWay], unit: Decimal) -> Epoch:
    """Return an epoch in units of money; a job that pays less than its cheapest way idles."""
    pays = [Decimal(repr(way.per_h)) / unit for way in ways]
    slow = ways[0].hours * float(max(pays[0], Decimal(1)))
    points = [SpeedPoint(gpus=Decimal(1), speed=Decimal(1))]
    for paid, way in zip(pays, ways, strict=True):
        if paid > 1:
            points.append(SpeedPoint(gpus=paid, speed=exact(slow / way.hours, DIGITS)))
    work = exact(float(epoch.work_h) * slow, DIGITS)
    return replace(epoch, work_h=work, speedup=SpeedTable(points=tuple(points)))


def _mixed(ways: Sequence[OfferWay], per_h: float) -> Iterator[tuple[OfferWay, float]]:
    """Yield the ways that together cost so much an hour, with their parts of the work."""
    if per_h <= ways[0].per_h or len(ways) == 1:
        yield ways[0], 1.0
        return
    for one, other in pairwise(ways):
        if per_h <= other.per_h:
            past = (per_h - one.per_h) / (other.per_h - one.per_h)
            hours = 1 / ((1 - past) / one.hours + past / other.hours)
            part = (one.hours - hours) / (one.hours - other.hours)
            if part < 1 - 1e-9:
                yield one, 1 - part
            if part > 1e-9:
                yield other, part
            return
    yield ways[-1], 1.0
