"""Prices of what is free rise with every part that is taken; limits L and U of those of OASiS."""

from collections.abc import Iterable
from math import ceil

import numpy as np

from ...instances import OnlineInstance, TrainingJob
from ...simulation.online.model import Floats, Ints, OnlineModel, utilities
from ...simulation.online.tariff import SEEN


class Prices:
    """``p = low (high / low)^(part taken)`` for every slot, machine and resource."""

    def __init__(self, model: OnlineModel, low: Floats, high: Floats) -> None:
        """Start at `low`; both limits are by machine and resource, positive, for a whole unit."""
        self._capacity, self._low = model.capacity, low
        self._power = np.log(high / low)
        self.now: Floats = np.repeat(low[None], model.slots, axis=0)
        """Prices by slot, machine and resource."""

    def update(self, free: Floats, slot: int, machines: Iterable[int]) -> None:
        """Let the prices of a slot follow what is free on some machines."""
        h = list(machines)
        capacity = self._capacity[h]
        taken = np.divide(capacity - free[slot, h], capacity, where=capacity > 0, out=capacity * 0)
        self.now[slot, h] = self._low[h] * np.exp(taken * self._power[h])


def worth(job: TrainingJob, slots: int) -> Floats:
    """Return what a job is worth if it completes 0, 1, .. slots after its arrival."""
    values = utilities(job.utility, slots)
    return np.where(values < SEEN, 0.0, values)


def price_limits(
    instance: OnlineInstance, model: OnlineModel, machines: Ints, demand: Floats
) -> tuple[Floats, Floats]:
    """Return L and U on these machines by resource, for a whole unit of the model.

    `demand` is that of a worker, or of a server, by job. U is at least L; both are 1 where
    no job can be admitted.
    """
    needs = [ceil(job.work / job.rate(False, instance.slot_s)) for job in instance.jobs]
    first = np.array([_soonest(job, n) for job, n in zip(instance.jobs, needs, strict=True)])
    last = np.array([_latest(job, model.slots) for job in instance.jobs])
    amounts = demand / model.units
    low, high = 1.0, np.ones(model.units.size)
    if machines.size and last.any():
        capacity = (model.capacity[machines] / model.units).sum()
        taken = np.array(needs, dtype=float) * amounts.sum(axis=1)
        low = float((last / taken)[last > 0].min() * taken.min() / (4 * model.slots * capacity))
        for r in np.flatnonzero(amounts.any(axis=0)):
            asks = amounts[:, r] > 0
            high[r] = (first[asks] / amounts[asks, r]).max()
    return low / model.units, np.maximum(low, high) / model.units


def _soonest(job: TrainingJob, worker_slots: int) -> float:
    """Return what a job is worth if it has all its workers from the start."""
    return float(job.utility.at(-(-worker_slots // job.batch_samples) - 1))


def _latest(job: TrainingJob, slots: int) -> float:
    """Return the last value above 0 by the horizon, or 0."""
    values = worth(job, slots - job.arrival_slot)
    return float(values[values > 0].min()) if values.any() else 0.0
