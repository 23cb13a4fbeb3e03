"""What Optimus fits to what it has seen: what is left of a job, and how long a step takes.

Its model of convergence is a loss of ``1 / (a e + b) + c`` after e epochs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...simulation.trace import JobView
from .work import WorkCounter

Floats = NDArray[np.float64]


def least_squares(rows: Floats, values: Floats) -> Floats:
    """Return the coefficients >= 0 that bring ``rows @ coefficients`` closest to the values.

    Every choice of coefficients that are not zero is tried; the best of those without a negative
    one is the answer, since it is the free optimum of its own choice.
    """
    count = rows.shape[1]
    best, error = np.zeros(count), float(values @ values)
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            own = rows[:, chosen]
            found = np.linalg.lstsq(own, values, rcond=None)[0]
            miss = values - own @ found
            if (found >= 0).all() and miss @ miss < error:
                best, error = np.zeros(count), float(miss @ miss)
                best[list(chosen)] = found
    return best


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


def sync_terms(workers: float, servers: float) -> Floats:
    """Return what a synchronous step consists of; its speed is 1 / (terms @ coefficients).

    The batch is split among the workers; then come a fixed part, the exchange with the servers,
    and what grows with the number of either.
    """
    return np.array([1.0 / workers, 1.0, workers / servers, workers, servers])


def async_terms(workers: float, servers: float) -> Floats:
    """Return what an asynchronous step consists of; the speed is w / (terms @ coefficients)."""
    return np.array([1.0, workers / servers, workers, servers])


def fit_speeds(seen: Mapping[int, float]) -> dict[str, Floats]:
    """Return the coefficients of both models for speeds by width, a server for every worker."""
    speeds = np.array(list(seen.values()))
    workers = np.array(list(seen), dtype=np.float64)
    sync = np.array([sync_terms(w, w) for w in seen])
    apart = np.array([async_terms(w, w) for w in seen])
    # Times relative to those measured, so that slow widths do not decide alone.
    return {
        "sync": least_squares(sync * speeds[:, None], np.ones_like(speeds)),
        "async": least_squares(apart * (speeds / workers)[:, None], np.ones_like(speeds)),
    }


def speed_at(model: str, coefficients: Floats, width: int) -> float:
    """Return the speed that a model predicts for a width."""
    if model == "sync":
        return float(1.0 / (sync_terms(width, width) @ coefficients))
    return float(width / (async_terms(width, width) @ coefficients))


NEWS = 1.1
"""A curve is fitted again when there are this many times as many epochs."""


class Progress:
    """Fits the losses of jobs and predicts when they converge."""

    def __init__(self, fall: float) -> None:
        """Jobs have converged when an epoch brings less than `fall` of the first loss."""
        self._fall, self._work = fall, WorkCounter()
        self._ends: dict[int, tuple[int, float]] = {}
        """Epochs fitted and the predicted last one, by job; negative: none is known."""

    def look(self, jobs: Sequence[JobView]) -> None:
        """Count the work done since the last time."""
        self._work.look(jobs)

    def left(self, job: JobView) -> float:
        """Return the ticks at full speed that are left: one epoch at least.

        Before the losses tell enough it is what jobs took that have ended, on average.
        """
        losses = job.losses
        epochs, work = len(losses), self._work.of(job)
        if epochs > NEWS * self._ends.get(job.number, (-1, 0.0))[0]:
            fit = fit_losses(losses)
            self._ends[job.number] = epochs, fit.end(self._fall * fit.at(0.0)) if fit else -1.0
        end = self._ends[job.number][1]
        if end < 0.0:
            return self._work.usual
        return max(1.0, end - epochs) * work / epochs
