"""What an example is worth in a large batch, as Pollux' authors measured it: validation-BATCH.csv.

Each file has a line for every epoch of a training with that batch size: how far it is in steps of
the smallest batch (progress), and how large gradients were (grad_sqr) and how much they varied
(grad_var). With the noise scale n = smallest * grad_var / grad_sqr an example of a step of m is
worth (n + smallest) / (n + m) of one in a step of the smallest batch: Pollux' statistical
efficiency. Goodput is examples in a second times that, and batch sizes are tuned to it again in
every epoch.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from ..draw import exact
from ..errors import InputError, Words
from .cells import Cells
from .reading import Record

COLUMNS = ("progress", "grad_sqr", "grad_var")

ALL_NOISE = 1e18
"""The noise scale of gradients that are nothing but noise, in smallest batches."""


class StepRate(NamedTuple):
    """A measured step: on how many GPUs, of how many examples, and these in a second."""

    gpus: int
    batch: Fraction
    rate: Fraction


class NoiseLine(NamedTuple):
    """An epoch of a training: progress in steps of the smallest batch, noise scale in such."""

    progress: float
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientNoise:
    """Trainings of one application by batch size, smallest first; all have as many epochs."""

    trainings: Mapping[int, Sequence[NoiseLine]]

    @property
    def smallest(self) -> int:
        """The batch size that examples count in full for."""
        return min(self.trainings)

    def worth(self, batch: Fraction, epoch: int) -> float:
        """Return what an example counts; gradients are those of the next smaller batch known."""
        known = max(size for size in self.trainings if size <= batch)
        scale = self.smallest * self.trainings[known][epoch].scale
        return (scale + self.smallest) / (scale + float(batch))

    def examples(self, epoch: int) -> float:
        """Return the work of an epoch, in examples that count in full."""
        steps = self.trainings[self.smallest]
        before = steps[epoch - 1].progress if epoch else 0.0
        return self.smallest * max(0.0, steps[epoch].progress - before)

    def seconds(self, rates: Sequence[StepRate], epoch: int) -> dict[int, float]:
        """Return how long an epoch takes by number of GPUs, each with its best batch size."""
        best: dict[int, float] = {}
        for one in rates:
            if self.smallest <= one.batch <= max(self.trainings):
                goodput = float(one.rate) * self.worth(one.batch, epoch)
                best[one.gpus] = max(goodput, best.get(one.gpus, 0.0))
        return {gpus: self.examples(epoch) / goodput for gpus, goodput in best.items()}


def noise_line(_: Record, cells: Cells) -> NoiseLine | None:
    """Return what a line of a training says."""
    progress, squares, spread = (cells.number(column) for column in COLUMNS)
    if progress is None or squares is None or spread is None:
        return None
    scale = float(spread / squares) if squares else ALL_NOISE
    return NoiseLine(float(progress), min(scale, ALL_NOISE))


def noise_of(place: str, trainings: Mapping[int, Sequence[NoiseLine]]) -> GradientNoise:
    """Return trainings, as far as all of them go.

    Raises:
        InputError: If that of the smallest batch makes no progress in some epoch.
    """
    epochs = min(map(len, trainings.values()))
    cut = {size: lines[:epochs] for size, lines in trainings.items()}
    steps = [0.0, *(line.progress for line in cut[min(cut)])]
    if len(steps) == 1 or any(later <= before for before, later in pairwise(steps)):
        found = Words(f"{steps[1:4]}")
        expected, advice = "progress that rises from line to line", "correct the lines"
        raise InputError.of(place, "progress", found, expected, advice)
    return GradientNoise(trainings=cut)


def stretches_of(
    noise: GradientNoise, rates: Sequence[StepRate], most: int
) -> Iterator[tuple[Decimal, dict[int, Fraction]]]:
    """Yield hours of work on one GPU and speeds by GPUs, of as many stretches as asked at most.

    A stretch has the same number of epochs as the others, to one; its speed on some GPUs is how
    much sooner all its epochs are done.
    """
    epochs = len(noise.trainings[noise.smallest])
    count = min(most, epochs)
    for k in range(count):
        total: dict[int, float] = {}
        for epoch in range(k * epochs // count, (k + 1) * epochs // count):
            for gpus, seconds in noise.seconds(rates, epoch).items():
                total[gpus] = total.get(gpus, 0.0) + seconds
        speeds = {gpus: Fraction(total[1] / seconds) for gpus, seconds in total.items()}
        yield exact(total[1] / 3600, 6), speeds
