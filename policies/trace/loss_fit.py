"""Optimus' model of convergence: the loss after e epochs is ``1 / (a e + b) + c``."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .nonnegative import Floats, least_squares

FEWEST = 5
"""Epochs before which nothing is fitted."""

STEPS = 20
"""Most steps from the first guess to the best fit."""


@dataclass(frozen=True, slots=True)
class LossFit:
    """A fitted curve; no coefficient is negative."""

    a: float
    b: float
    c: float

    def at(self, epoch: float) -> float:
        """Return the loss after an epoch."""
        return 1.0 / (self.a * epoch + self.b) + self.c

    def end(self, fall: float) -> float:
        """Return the first epoch, not a whole one, behind which the loss falls by less than `fall`.

        What it falls by in the epoch from e on is a / ((a e + b) (a e + a + b)).
        """
        if self.a == 0.0:
            return 0.0
        root = (np.sqrt(self.a**2 + 4.0 * self.a / fall) - self.a) / 2.0
        return float(max(0.0, (root - self.b) / self.a))


def fit_losses(losses: Sequence[tuple[int, float]]) -> LossFit | None:
    """Return the curve that fits best, later thirds of it the most; None before it can be fitted.

    A step solves the problem with the curve replaced by its tangent, no coefficient negative, and
    is halved until it helps.
    """
    if len(losses) < FEWEST:
        return None
    epochs, seen = np.array(losses, dtype=np.float64).T
    weights = 4.0 ** (3 * np.arange(seen.size) // seen.size)
    best = min(_guesses(epochs, seen, weights), key=lambda p: _error(p, epochs, seen, weights))
    for _ in range(STEPS):
        better = _step(best, epochs, seen, weights)
        if better is None:
            break
        best = better
    return LossFit(*best.tolist())


def _guesses(epochs: Floats, seen: Floats, weights: Floats) -> list[Floats]:
    """Return for some floors c the line through 1 / (loss - c)."""
    found = []
    for part in (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99):
        above = seen - part * seen.min()
        scale = weights * above**2
        rows = np.stack([epochs, np.ones_like(epochs)], axis=1) * scale[:, None]
        a, b = least_squares(rows, scale / above)
        found.append(np.array([a, max(b, 1e-9), part * seen.min()]))
    return found


def _error(point: Floats, epochs: Floats, seen: Floats, weights: Floats) -> float:
    a, b, c = point
    miss = weights * (1.0 / (a * epochs + b) + c - seen)
    return float(miss @ miss)


def _step(point: Floats, epochs: Floats, seen: Floats, weights: Floats) -> Floats | None:
    """Return a better point, if one is found."""
    a, b, _ = point
    slope = -1.0 / (a * epochs + b) ** 2
    rows = np.stack([slope * epochs, slope, np.ones_like(slope)], axis=1) * weights[:, None]
    values = weights * (seen - 1.0 / (a * epochs + b)) + rows[:, :2] @ point[:2]
    aim, error = least_squares(rows, values), _error(point, epochs, seen, weights)
    for halves in range(8):
        near: Floats = point + (aim - point) / 2**halves
        near[1] = max(near[1], 1e-9)
        if _error(near, epochs, seen, weights) < error * (1.0 - 1e-9):
            return near
    return None
