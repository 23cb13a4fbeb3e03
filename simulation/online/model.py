"""An `online` instance as arrays, for whatever computes with many jobs.

Every resource is counted in units so small that all amounts of it are whole; sums of such
amounts are exact in floating point, and a capacity is kept or it is not.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, lcm

import numpy as np
from numpy.typing import NDArray

from ...instances import OnlineInstance, Sigmoid
from ...instances.online.utility import Utility
from ...instances.reading.vocabulary import Amounts
from ...instances.regions import may_run

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SLACK = 1e-9
"""Added before rounding down, so that rounding errors only loosen a limit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnlineModel:
    """Machines h, jobs i, resources r, all by number; times in slots."""

    capacity: Floats
    """C[h, r], in whole units of the resource."""
    units: Floats
    """How many such units make one of the instance's."""
    works: Flags
    """Whether machine h may hold workers."""
    serves: Flags
    """Whether machine h may hold parameter servers."""
    worker: Floats
    """alpha[i, r]."""
    server: Floats
    """beta[i, r]."""
    ratio: Floats
    """gamma[i], workers on a parameter server."""
    batch: Ints
    """F[i], the most workers."""
    work: Floats
    """Samples to go through."""
    inside: Floats
    """Samples of a worker in a slot, all on one machine."""
    outside: Floats
    """The same across machines."""
    arrival: Ints
    slots: int
    kind: Ints
    """Of job i; jobs of one kind may run in the same regions."""
    open: Flags
    """Whether jobs of kind k may use machine h."""

    def open_to(self, jobs: int | Ints) -> Flags:
        """Return which machines a job may use, or a row of that for each of several."""
        found: Flags = self.open[self.kind[jobs]]
        return found


@lru_cache(maxsize=4)
def online_model(instance: OnlineInstance) -> OnlineModel:
    """Return the arrays of an instance."""
    jobs, scale = instance.jobs, _units(instance)
    kinds = {job.allowed_regions: job for job in jobs}
    number = {allowed: k for k, allowed in enumerate(kinds)}
    return OnlineModel(
        capacity=_amounts([m.capacity for m in instance.machines], scale),
        units=np.array([float(factor) for factor in scale.values()]),
        works=np.array([m.may_hold("workers") for m in instance.machines]),
        serves=np.array([m.may_hold("servers") for m in instance.machines]),
        worker=_amounts([job.worker for job in jobs], scale),
        server=_amounts([job.server for job in jobs], scale),
        ratio=np.array([float(job.workers_per_server) for job in jobs]),
        batch=np.array([job.batch_samples for job in jobs], dtype=np.int64),
        work=np.array([float(job.work) for job in jobs]),
        inside=np.array([float(job.rate(True, instance.slot_s)) for job in jobs]),
        outside=np.array([float(job.rate(False, instance.slot_s)) for job in jobs]),
        arrival=np.array([job.arrival_slot for job in jobs], dtype=np.int64),
        slots=instance.horizon_slots,
        kind=np.array([number[job.allowed_regions] for job in jobs]),
        open=np.array([[may_run(job, m) for m in instance.machines] for job in kinds.values()]),
    )


MOST_SLOTS, MOST_CELLS = 100_000, 20_000_000
"""Slots, and triples of slot, machine and resource, of which policies keep a record."""


def refusal(instance: OnlineInstance) -> str | None:
    """Say why `instance` cannot be treated, or None if it can."""
    slots = instance.horizon_slots
    cells = slots * len(instance.machines) * len(instance.resources)
    if slots > MOST_SLOTS or cells > MOST_CELLS:
        return (
            f"{slots:,} slots, {len(instance.machines):,} machines and "
            f"{len(instance.resources)} resources are too many: at most {MOST_SLOTS:,} slots and "
            f"{MOST_CELLS:,} triples; lengthen slot_s or split the instance"
        )
    for resource, factor in _units(instance).items():
        total = sum(dict(m.capacity).get(resource, 0) for m in instance.machines)
        if total * factor >= 2**53:
            return f"amounts of {resource!r} have too many digits to be counted; round them"
    return None


def _units(instance: OnlineInstance) -> dict[str, int]:
    """Return for every resource how many units make one, so that all amounts are whole."""
    scale = dict.fromkeys(instance.resources, 1)
    lists = {m.capacity for m in instance.machines}
    lists |= {demand for job in instance.jobs for demand in (job.worker, job.server)}
    for name, amount in {pair for pairs in lists for pair in pairs}:
        scale[name] = lcm(scale[name], amount.as_integer_ratio()[1])
    return scale


def _amounts(rows: list[Amounts], scale: dict[str, int]) -> Floats:
    place = {name: (k, factor) for k, (name, factor) in enumerate(scale.items())}
    out = np.zeros((len(rows), len(scale)))
    for i, row in enumerate(rows):
        for name, amount in row:
            k, factor = place[name]
            out[i, k] = int(amount * factor)
    return out


PARTS = 5
"""Of what says that a machine may hold workers, or servers, a job takes one part in so many."""


def with_hosts(model: OnlineModel) -> OnlineModel:
    """Say with two more resources which machines may hold workers, and which servers.

    There is room for all that the other resources let a machine hold, or that all jobs want, so
    that these two never bind; and for `PARTS` times what a job takes, at least.
    """
    if model.works.all() and model.serves.all():
        return model
    wanted = model.batch, np.ceil(model.batch / model.ratio)
    needs = (model.worker, model.server)
    room = np.stack([_room(model.capacity, *pair) for pair in zip(needs, wanted, strict=True)])
    one, none = np.ones((model.batch.size, 1)), np.zeros((model.batch.size, 1))
    return replace(
        model,
        capacity=np.hstack([model.capacity, np.stack([model.works, model.serves], 1) * room.T]),
        units=np.append(model.units, [1.0, 1.0]),
        worker=np.hstack([model.worker, one, none]),
        server=np.hstack([model.server, none, one]),
    )


def _room(capacity: Floats, need: Floats, wanted: Floats | Ints) -> Floats:
    """Return by machine how many workers, or servers, of all jobs it can ever hold, or more."""
    least = need.min(axis=0)
    held = (capacity[:, least > 0] / least[least > 0]).min(axis=1, initial=np.inf)
    room: Floats = np.maximum(np.floor(np.minimum(held, wanted.sum())), PARTS * wanted.max())
    return room


def utilities(utility: Utility, count: int) -> Floats:
    """Return what a job is worth after 0, 1, .. slots, within rounding of the exact values."""
    if not isinstance(utility, Sigmoid):
        return np.array([float(utility.at(n)) for n in range(count)])
    steep, middle = float(utility.steepness), float(utility.midpoint_slots)
    powers = [min(steep * (n - middle), 700.0) for n in range(count)]
    return float(utility.value) / np.array([1.0 + exp(power) for power in powers])


def most_workers(model: OnlineModel, i: int) -> tuple[int, int]:
    """Return upper limits on the workers of a job in a slot, on one machine and on several.

    Parameter servers are counted in part on one machine, and not at all on several.
    """
    works = model.works & model.open_to(i)
    both = model.capacity[works & model.serves]
    one = _most(both, model.worker[i] + model.server[i] / model.ratio[i])
    each = _most(model.capacity[works], model.worker[i])
    batch = int(model.batch[i])
    return min(batch, int(one.max(initial=0))), min(batch, int(each.sum()))


def _most(capacity: Floats, demand: Floats) -> Floats:
    needed = demand > 0
    fits: Floats = (capacity[:, needed] / demand[needed]).min(axis=1)
    return np.floor(fits + SLACK)
