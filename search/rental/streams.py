"""What both families of rented GPUs have in common: loads that speed up."""

from dataclasses import dataclass
from fractions import Fraction

from ...instances import FleetInstance, RentalInstance, SpeedTable, Speedup

HALF = Fraction(1, 2 * 10**6)
"""What rounding to millionths adds to a speed at most, unless it lifts it to the least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeStream:
    """The work of one type of jobs in one epoch.

    `load` is the GPUs that it keeps busy if every job has one, on average over time, and `weight`
    what an hour of a job counts for. No job is faster than `speedup` says.
    """

    load: Fraction
    weight: Fraction
    speedup: Speedup


def streams_of(instance: RentalInstance | FleetInstance) -> list[TypeStream]:
    """Return the streams of an instance.

    The speeds of a fleet are rounded, so they can be a little higher than its speed-ups. Its
    loads are made smaller by the largest factor there can be between the two.
    """
    rounded = isinstance(instance, FleetInstance)
    return [
        TypeStream(
            load=load / (rounding_of(epoch.speedup) if rounded else 1),
            weight=Fraction(one.weight),
            speedup=epoch.speedup,
        )
        for one, loads in zip(instance.types, instance.loads, strict=True)
        for epoch, load in zip(one.epochs, loads, strict=True)
    ]


def rounding_of(speedup: Speedup) -> Fraction:
    """Return how many times a speed of a fleet may be what its speed-up says.

    A rounded speed is at most s + HALF, or the least one if that is more. As a part of s, that
    is most where s is least; by laws s is 1 or more.
    """
    least = Fraction(1)
    if isinstance(speedup, SpeedTable):
        least = Fraction(min(point.speed for point in speedup.points))
    return max(least + HALF, 2 * HALF) / least
