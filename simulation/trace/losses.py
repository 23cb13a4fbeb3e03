"""The losses that a job reports after each epoch, measured with noise."""

from numpy.random import Generator, default_rng

from ...instances import LossCurve, TraceInstance
from .progress_lookup import ProgressLookup

USUAL = LossCurve(epochs=100)
"""The curve of a job that has none."""


class Losses:
    """What can be read off the logs of jobs so far."""

    def __init__(
        self, instance: TraceInstance, left: ProgressLookup, noise: float, seed: int
    ) -> None:
        """Keep the curves; `noise` is the standard deviation as a part of the loss."""
        self._curves = [job.curve or USUAL for job in instance.jobs]
        self._left, self._noise, self._seed = left, noise, seed
        self._known: dict[int, tuple[Generator, list[tuple[int, float]]]] = {}

    def of(self, number: int) -> list[tuple[int, float]]:
        """Return the epochs that a job has ended, and the loss after each."""
        curve = self._curves[number]
        if number not in self._known:
            self._known[number] = default_rng((self._seed, number)), []
        rng, known = self._known[number]
        ended = int(curve.epochs * self._left.done(number) + 1e-9)
        for epoch in range(len(known) + 1, ended + 1):
            fall = 1.0 / (float(curve.decay) * epoch + float(curve.start))
            loss = fall + float(curve.floor)
            known.append((epoch, loss * (1.0 + self._noise * float(rng.standard_normal()))))
        return list(known)
