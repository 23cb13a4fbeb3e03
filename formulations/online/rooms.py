"""How many workers and parameter servers of a job a machine can hold at most, alone."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np

from ...instances import OnlineInstance, RefusedError
from ...simulation.online.model import Floats, Ints, online_model


@dataclass(frozen=True, slots=True, eq=False)
class Rooms:
    """Counts by job i and machine h; none on machines that may not hold them or stand elsewhere."""

    inside: Ints
    """The most workers with all the parameter servers they need beside them."""
    workers: Ints
    """The most workers without any."""
    servers: Ints
    """The most parameter servers without workers, and no more than all workers need."""


MOST_HELD = 10**7
"""Workers, or parameter servers, of a job on a machine; more are not counted one by one."""


@lru_cache(maxsize=4)
def rooms(instance: OnlineInstance) -> Rooms:
    """Return what an empty machine holds of each job, at most as much as the job may have.

    Raises:
        RefusedError: If it may hold more than `MOST_HELD`.
    """
    model, shape = online_model(instance), (len(instance.jobs), len(instance.machines))
    found = Rooms(*(np.zeros(shape, dtype=np.int64) for _ in range(3)))
    for i, job in enumerate(instance.jobs):
        gamma = Fraction(job.workers_per_server)
        counts = (
            _plenty(model.capacity, model.worker[i], job.batch_samples),
            _plenty(model.capacity, model.server[i], servers_needed(job.batch_samples, gamma)),
        )
        if max(counts) > MOST_HELD:
            held = f"a machine may hold {max(counts):,} workers or servers of job {job.name!r}"
            raise RefusedError(f"{instance.name}: {held}, more than {MOST_HELD:,}")
        workers, alone = (np.arange(count + 1) for count in counts)
        servers = np.array([float(servers_needed(w, gamma)) for w in workers.tolist()])
        works, serves = model.works & model.open_to(i), model.serves & model.open_to(i)
        both = workers[:, None] * model.worker[i] + servers[:, None] * model.server[i]
        found.inside[i] = _held(both, model.capacity) * (works & serves)
        found.workers[i] = _held(workers[:, None] * model.worker[i], model.capacity) * works
        found.servers[i] = _held(alone[:, None] * model.server[i], model.capacity) * serves
    return found


def servers_needed(workers: int, gamma: Fraction) -> int:
    """Return the parameter servers that the given workers need (B4)."""
    return ceil(workers / gamma)


def _plenty(capacity: Floats, demand: Floats, most: int) -> int:
    """Return a count of which no machine holds more."""
    asked = demand > 0
    if not asked.any():
        return most
    return min(most, int((capacity[:, asked] / demand[asked]).min(axis=1).max()) + 1)


def _held(needs: Floats, capacity: Floats) -> Ints:
    """Return the last row of growing needs that each capacity meets."""
    fits = [np.searchsorted(needs[:, r], capacity[:, r], "right") for r in range(needs.shape[1])]
    found: Ints = np.min(fits, axis=0) - 1
    return found
