"""Speed of a job on k GPUs relative to one: power law, Amdahl's law, or a table."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Annotated, Literal

from .errors import Problem, Words
from .reading.vocabulary import Fraction01, NonEmpty, Positive, Range

Share = Annotated[Decimal, Range(0, 1)]
MOST_GPUS = 10**6
"""Most GPUs of a job, because linear speed-ups would use ever more."""

MostGpus = Annotated[Decimal, Range(1, MOST_GPUS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """The speed-up ``k ** exponent``."""

    model: Annotated[Literal["power"], "the model"] = "power"
    exponent: Annotated[
        Fraction01, "exponent of the power law, 1 if two GPUs are twice as fast as one"
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amdahl:
    """The speed-up ``1 / (1 - parallel + parallel / k)``."""

    model: Annotated[Literal["amdahl"], "the model"] = "amdahl"
    parallel: Annotated[Share, "share of the work that runs in parallel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedPoint:
    """A point of a table."""

    gpus: Annotated[MostGpus, "GPUs"]
    speed: Annotated[Positive, "speed-up on these GPUs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedTable:
    """The speed-up at some numbers of GPUs, linear between them, constant after the last."""

    model: Annotated[Literal["table"], "the model"] = "table"
    points: Annotated[
        tuple[SpeedPoint, ...],
        NonEmpty(),
        "points in order of their numbers of GPUs, from 1 GPU with speed-up 1",
    ]

    def problems(self, path: str) -> Iterator[Problem]:
        """Yield every problem that involves several points."""
        first = self.points[0]
        if first.gpus != 1 or first.speed != 1:
            found = Words(f"{first.gpus} GPUs, {first.speed}")
            advice = "start there, and divide all speeds by the speed of 1 GPU"
            yield Problem(f"{path}.points[0]", found, "1 GPU with speed-up 1", advice)
        for i, (one, next_one) in enumerate(zip(self.points, self.points[1:], strict=False), 1):
            if next_one.gpus <= one.gpus:
                expected = f"more than {one.gpus}, the point before"
                yield Problem(f"{path}.points[{i}].gpus", next_one.gpus, expected, "sort them")


Speedup = PowerLaw | Amdahl | SpeedTable

_FIFTY = Context(prec=50)


def speed_at(speedup: Speedup, gpus: Decimal, digits: Context = _FIFTY) -> Fraction:
    """Return the speed-up on a number of GPUs, at least 1. A power law's has 50 digits."""
    if isinstance(speedup, PowerLaw):
        return Fraction(digits.power(gpus, speedup.exponent))
    if isinstance(speedup, Amdahl):
        parallel = Fraction(speedup.parallel)
        return 1 / (1 - parallel + parallel / Fraction(gpus))
    points = speedup.points
    after = bisect_right([point.gpus for point in points], gpus)
    if after == len(points):
        return Fraction(points[-1].speed)
    one, other = points[after - 1], points[after]
    part = (Fraction(gpus) - Fraction(one.gpus)) / (Fraction(other.gpus) - Fraction(one.gpus))
    return Fraction(one.speed) + part * (Fraction(other.speed) - Fraction(one.speed))
