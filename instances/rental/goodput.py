"""Six applications of deep learning, with goodput as a model gives it; nothing here is measured.

A step on k GPUs with m examples on each takes (g^2 + c^2)^(1/2) seconds: g = fixed + each * m for
the gradient, and c = 2 (k - 1) / k * reduce + (k - 1) * hop to add gradients up in a ring. Where
M = k m examples make a step, each is worth (noise + base) / (noise + M) of one in a step of `base`
examples; the noise scale of the gradient grows from epoch to epoch. Goodput is the rate of examples
times their worth, at the best m. The form is that of Pollux (OSDI 2021); the numbers are ours, of
the order of what its authors measured.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import sqrt

from ..draw import exact
from ..speedup import SpeedPoint, SpeedTable

WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
GRID = 24
"""Batch sizes tried on each number of GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """What trains: how often it comes, how long it takes, and what its steps cost."""

    share: int
    """Of 100 jobs, as in the public workloads of Pollux to about a per cent."""
    work_h: Decimal
    """Hours on one GPU; ours."""
    asks: int
    """The median there."""
    fixed: float
    each: float
    reduce: float
    hop: float
    base: int
    most: int
    """Examples that fit on a GPU."""
    noise: float
    """At first; later epochs have `GROWTH` times that of the one before."""


GROWTH = 4.0

APPLICATIONS = {
    "bert": Application(
        share=7, work_h=Decimal(3), asks=8,
        fixed=0.1, each=0.08, reduce=0.3, hop=0.005, base=12, most=12, noise=100,
    ),
    "cifar10": Application(
        share=38, work_h=Decimal("0.5"), asks=8,
        fixed=0.02, each=0.0003, reduce=0.03, hop=0.001, base=128, most=1024, noise=1000,
    ),
    "deepspeech2": Application(
        share=9, work_h=Decimal(5), asks=8,
        fixed=0.1, each=0.02, reduce=0.2, hop=0.005, base=20, most=80, noise=200,
    ),
    "imagenet": Application(
        share=2, work_h=Decimal(200), asks=32,
        fixed=0.03, each=0.0045, reduce=0.08, hop=0.001, base=200, most=200, noise=4000,
    ),
    "ncf": Application(
        share=39, work_h=Decimal("0.2"), asks=1,
        fixed=0.006, each=0.000002, reduce=0.008, hop=0.0005, base=256, most=32768, noise=4000,
    ),
    "yolov3": Application(
        share=5, work_h=Decimal(40), asks=4,
        fixed=0.1, each=0.07, reduce=0.15, hop=0.004, base=8, most=8, noise=80,
    ),
}  # fmt: skip
"""By name."""


def speedups(application: Application, epochs: int) -> list[SpeedTable]:
    """Return the speed-up in each epoch, up to the number of GPUs at which it is greatest."""
    return [_table(application, application.noise * GROWTH**epoch) for epoch in range(epochs)]


def _table(application: Application, noise: float) -> SpeedTable:
    alone = _goodput(application, 1, noise)
    points: list[SpeedPoint] = []
    for gpus in WIDTHS:
        speed = exact(_goodput(application, gpus, noise) / alone, 4)
        if points and speed <= points[-1].speed:
            break
        points.append(SpeedPoint(gpus=Decimal(gpus), speed=speed))
    return SpeedTable(points=tuple(points))


def _goodput(application: Application, gpus: int, noise: float) -> float:
    """Return the most, over batch sizes, of examples in a second times what one is worth."""
    least = max(1.0, application.base / gpus)
    ratio = application.most / least
    return max(
        _worth(application, gpus, least * ratio ** (i / GRID), noise) for i in range(GRID + 1)
    )


def _worth(application: Application, gpus: int, each: float, noise: float) -> float:
    gradient = application.fixed + application.each * each
    ring = 2 * (gpus - 1) / gpus * application.reduce + (gpus - 1) * application.hop
    step = sqrt(gradient * gradient + ring * ring)
    batch = gpus * each
    return batch / step * (noise + application.base) / (noise + batch)
