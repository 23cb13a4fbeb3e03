"""How many GPUs to reserve, where others are rented on demand: a newsvendor's question.

Under a plan of widths no job waits. With Poisson arrivals the numbers of jobs on each width are
then independent Poisson numbers, whatever the law of their work; so the GPUs in use are a sum of
Poisson numbers times widths, whose law is computed by Panjer's recursion. A GPU is worth reserving
if it is in use for a larger part of the time than what reserving it costs of its price on demand.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPREADS = 12.0
"""The law of the GPUs in use is computed to so many standard deviations above its mean."""

JOBS = 30
"""The same in jobs of the widest sort: where few jobs run, their law is far from a normal one."""

HUGE = 1e200
"""Weights are scaled down when they exceed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve:
    """GPUs to reserve, and what GPUs cost an hour with and without."""

    gpus: int
    in_use: float
    """GPUs in use, on average."""
    per_h: float
    per_h_on_demand: float

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        return {
            "gpus": self.gpus,
            "in_use": self.in_use,
            "per_h": self.per_h,
            "per_h_on_demand": self.per_h_on_demand,
        }


def law_of_use(jobs: Iterable[tuple[int, float]]) -> NDArray[np.float64]:
    """Return the probabilities of 0, 1, 2, .. GPUs in use; of widths and mean numbers of jobs."""
    at: dict[int, float] = {}
    for gpus, mean in jobs:
        at[gpus] = at.get(gpus, 0.0) + mean
    widths, means = np.array(list(at), dtype=np.int64), np.array(list(at.values()))
    mean, spread = float(widths @ means), sqrt(float(widths**2 @ means))
    last = int(mean + SPREADS * spread) + JOBS * int(widths.max(initial=0))
    weights = np.zeros(last + 1)
    weights[0] = 1.0
    for n in range(1, last + 1):
        fits = widths <= n
        weights[n] = (widths[fits] * means[fits]) @ weights[n - widths[fits]] / n
        if weights[n] > HUGE:
            weights /= weights[n]
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def reserve(jobs: Iterable[tuple[int, float]], price: float, reserved: float) -> Reserve:
    """Return how many GPUs to reserve at a price for all the time; the others are on demand."""
    law = law_of_use(jobs)
    above = 1 - np.cumsum(law)  # That more than 0, 1, 2, .. GPUs are in use.
    gpus = int(np.count_nonzero(above * price > reserved))
    in_use = float(np.arange(len(law)) @ law)
    beyond = float(np.maximum(np.arange(len(law)) - gpus, 0) @ law)
    return Reserve(
        gpus=gpus,
        in_use=in_use,
        per_h=reserved * gpus + price * beyond,
        per_h_on_demand=price * in_use,
    )
