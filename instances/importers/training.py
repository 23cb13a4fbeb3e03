"""Measured steps and trainings of an application: their rates, and the value of examples."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from ..errors import InputError, Words
from .reading import Cells, Record

COLUMNS = ("progress", "grad_sqr", "grad_var")

ALL_NOISE = 1e18
"""The noise scale of pure noise, in smallest batches."""


class StepRate(NamedTuple):
    """A measured step: its GPUs, its examples, and examples per second."""

    gpus: int
    batch: Fraction
    rate: Fraction
    sync_s: Fraction | None = None
    """The part of its time in which gradients are exchanged, if that was measured."""
    servers: int = 1
    place: str = ""
    """The GPUs of each server, or nothing if only the numbers are known."""


class NoiseLine(NamedTuple):
    """An epoch of a training: progress in steps, and noise scale, both in smallest batches."""

    progress: float
    scale: float
    squares: float = 0.0
    """The squared norm of gradients, whose variance is `spread`."""
    spread: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientNoise:
    """Trainings of one application by batch size, smallest first, with equally many epochs."""

    trainings: Mapping[int, Sequence[NoiseLine]]

    @property
    def smallest(self) -> int:
        """The batch size whose examples have full value."""
        return min(self.trainings)

    def worth(self, batch: Fraction, epoch: int) -> float:
        """Return the value of an example, with gradients of the next smaller known batch."""
        known = max(size for size in self.trainings if size <= batch)
        scale = self.smallest * self.trainings[known][epoch].scale
        return (scale + self.smallest) / (scale + float(batch))

    def worth_between(self, batch: int, epoch: int) -> float:
        """Return the value of an example, with gradients linear between known batches."""
        low = max(size for size in self.trainings if size <= batch)
        high = min(size for size in self.trainings if size >= batch)
        part = (batch - low) / (high - low) if high > low else 0.0
        one, other = self.trainings[low][epoch], self.trainings[high][epoch]
        squares = one.squares + part * (other.squares - one.squares)
        spread = one.spread + part * (other.spread - one.spread)
        scale = batch / self.smallest
        return (spread + squares) / (spread + squares * scale) if spread + squares else 1.0

    def examples(self, epoch: int) -> float:
        """Return the work of an epoch, in examples of full value."""
        steps = self.trainings[self.smallest]
        before = steps[epoch - 1].progress if epoch else 0.0
        return self.smallest * max(0.0, steps[epoch].progress - before)

    def seconds(self, rates: Sequence[StepRate], epoch: int) -> dict[int, float]:
        """Return the time of an epoch by number of GPUs, each with its best batch size."""
        best: dict[int, float] = {}
        for one in rates:
            if self.smallest <= one.batch <= max(self.trainings):
                goodput = float(one.rate) * self.worth(one.batch, epoch)
                best[one.gpus] = max(goodput, best.get(one.gpus, 0.0))
        return {gpus: self.examples(epoch) / goodput for gpus, goodput in best.items()}


def noise_line(_: Record, cells: Cells) -> NoiseLine | None:
    """Return the epoch in a line of a training."""
    progress, squares, spread = (cells.number(column) for column in COLUMNS)
    if progress is None or squares is None or spread is None:
        return None
    scale = float(spread / squares) if squares else ALL_NOISE
    return NoiseLine(float(progress), min(scale, ALL_NOISE), float(squares), float(spread))


def noise_of(place: str, trainings: Mapping[int, Sequence[NoiseLine]]) -> GradientNoise:
    """Return trainings, cut to their common epochs.

    Raises:
        InputError: If the smallest batch makes no progress in some epoch.
    """
    epochs = min(map(len, trainings.values()))
    cut = {size: lines[:epochs] for size, lines in trainings.items()}
    steps = [0.0, *(line.progress for line in cut[min(cut)])]
    if len(steps) == 1 or any(later <= before for before, later in pairwise(steps)):
        found = Words(f"{steps[1:4]}")
        expected, advice = "progress that rises from line to line", "correct the lines"
        raise InputError.of(place, "progress", found, expected, advice)
    return GradientNoise(trainings=cut)


def segments(
    noise: GradientNoise, most: int, seconds: Callable[[int], Mapping[int, float]]
) -> Iterator[dict[int, float]]:
    """Yield the time of each segment by GPUs, for at most the given number of segments.

    Segments have equally many epochs, up to one. `seconds` gives the time of an epoch by GPUs.
    """
    epochs = len(noise.trainings[noise.smallest])
    count = min(most, epochs)
    for k in range(count):
        total: dict[int, float] = {}
        for epoch in range(k * epochs // count, (k + 1) * epochs // count):
            for gpus, took in seconds(epoch).items():
                total[gpus] = total.get(gpus, 0.0) + took
        yield total


def fastest(rates: Iterable[StepRate]) -> dict[int, Fraction]:
    """Return the most examples per second by number of GPUs."""
    best: dict[int, Fraction] = {}
    for one in rates:
        best[one.gpus] = max(one.rate, best.get(one.gpus, one.rate))
    return best
