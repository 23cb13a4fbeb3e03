"""Six applications of deep learning with modelled goodput, without measurements.

A step on k GPUs with m examples on each takes (g^2 + c^2)^(1/2) seconds: g = fixed + each * m for
the gradient, and c = 2 (k - 1) / k * reduce + (k - 1) * hop for the ring all-reduce. If M = k m
examples make a step, each has (noise + base) / (noise + M) times the value of one in a step of
`base` examples. The noise scale of the gradient grows from epoch to epoch. Goodput is the rate of
examples times their value, at the best m. The form is from Pollux (OSDI 2021). The numbers are
Ringyard's, of the order of its authors' measurements.
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
    """A type of training: its frequency, its duration, and the costs of its steps."""

    share: int
    """Percentage of jobs, as in the public workloads of Pollux to about 1 %."""
    work_h: Decimal
    """Hours on one GPU, chosen by Ringyard."""
    asks: int
    """The median in Pollux."""
    fixed: float
    each: float
    reduce: float
    hop: float
    base: int
    most: int
    """Examples that fit on a GPU."""
    noise: float
    """Initial noise scale. Each later epoch has `GROWTH` times the earlier one's."""


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
    """Return the speed-up in each epoch, up to the number of GPUs with the maximum."""
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
    """Return the maximum over batch sizes of examples per second times their value."""
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
