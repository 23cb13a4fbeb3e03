"""Optimus' models of speed: what a step takes on w workers and p parameter servers."""

from collections.abc import Mapping

import numpy as np

from .nonnegative import Floats, least_squares


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
