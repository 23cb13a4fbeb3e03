"""A `reserved` instance as arrays, for whatever computes with many rings.

Resources and bandwidths are counted in units so small that all amounts are whole. Sums of such
amounts are exact in floating point, and limits are checked exactly.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ..instances import ReservedInstance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_SLOTS, MOST_ENTRIES = 100_000, 20_000_000
"""Limits on slots that are planned one by one, and on those of all rings together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReservedModel:
    """Rings i, machines s, racks k, resources r, all by number. Every machine is in a rack."""

    capacity: Floats
    """C[s, r], in whole units of the resource."""
    uplink: Floats
    """Bandwidth of the uplink of machine s, in whole units, inf without a limit."""
    rack_uplink: Floats
    """The same of rack k. A machine that names no rack is alone in an unlimited rack."""
    rack_of: Ints
    """The rack of machine s."""
    worker: Floats
    """l[i, r]."""
    reserved: Floats
    """b[i]."""
    most: Ints
    """N[i], the most workers in a slot."""
    slots: int

    @property
    def limits(self) -> tuple[Floats, Floats, Floats]:
        """All limits: resources of machines, their uplinks, uplinks of racks."""
        return self.capacity, self.uplink, self.rack_uplink


@lru_cache(maxsize=4)
def reserved_model(instance: ReservedInstance) -> ReservedModel:
    """Return the arrays of an instance."""
    scale, speed = units_of(instance), _speed_unit(instance)
    machines, jobs = instance.machines, instance.jobs
    racks = {rack.name: k for k, rack in enumerate(instance.racks)}
    alone = [i for i, machine in enumerate(machines) if machine.rack is None]
    own = {i: len(racks) + k for k, i in enumerate(alone)}
    rack_of = [racks[m.rack] if m.rack is not None else own[i] for i, m in enumerate(machines)]
    rack_limits = [rack.uplink_gb_s for rack in instance.racks] + [None] * len(alone)
    return ReservedModel(
        capacity=_amounts([dict(machine.capacity) for machine in machines], scale),
        uplink=_limits([machine.uplink_gb_s for machine in machines], speed),
        rack_uplink=_limits(rack_limits, speed),
        rack_of=np.array(rack_of, dtype=np.int64),
        worker=_amounts([dict(job.worker) for job in jobs], scale),
        reserved=_limits([job.reserved_gb_s for job in jobs], speed),
        most=np.array([job.most_workers for job in jobs], dtype=np.int64),
        slots=instance.horizon_slots,
    )


def fits(free: Floats, worker: Floats) -> Ints:
    """Return how many workers fit on each machine, by its resources."""
    needed = worker > 0
    room: Floats = (free[:, needed] // worker[needed]).min(axis=1)
    return room.astype(np.int64)


def most_at_once(instance: ReservedInstance) -> list[int]:
    """Return the most workers of each ring in a slot, by N_i and the capacity of machines."""
    model = reserved_model(instance)
    room = [int(fits(model.capacity, worker).sum()) for worker in model.worker]
    return [min(job.most_workers, held) for job, held in zip(instance.jobs, room, strict=True)]


def refusal(instance: ReservedInstance) -> str | None:
    """Return why there are too many slots or digits to count with, or None."""
    slots = instance.horizon_slots
    if slots > MOST_SLOTS:
        return f"{slots:,} slots are more than {MOST_SLOTS:,}, so use longer slots"
    entries = slots * len(instance.jobs)
    if entries > MOST_ENTRIES:
        return f"{entries:,} slots of rings are more than {MOST_ENTRIES:,}, so use longer slots"
    for resource, factor in units_of(instance).items():
        held = [dict(machine.capacity).get(resource, Decimal(0)) for machine in instance.machines]
        if max(held) * factor >= 2**53:
            return f"amounts of {resource!r} have too many digits to be counted, so round them"
    if max(_speeds(instance), default=Decimal(0)) * _speed_unit(instance) >= 2**53:
        return "bandwidths have too many digits to be counted, so round them"
    return None


def units_of(instance: ReservedInstance) -> dict[str, int]:
    """Return for every resource how many units make one, so that all amounts are whole."""
    scale = dict.fromkeys(instance.resources, 1)
    lists = {m.capacity for m in instance.machines} | {job.worker for job in instance.jobs}
    for name, amount in {pair for pairs in lists for pair in pairs}:
        scale[name] = lcm(scale[name], amount.as_integer_ratio()[1])
    return scale


def _speed_unit(instance: ReservedInstance) -> int:
    return lcm(*(speed.as_integer_ratio()[1] for speed in _speeds(instance)))


def _speeds(instance: ReservedInstance) -> list[Decimal]:
    links = [machine.uplink_gb_s for machine in instance.machines]
    links += [rack.uplink_gb_s for rack in instance.racks]
    reserved = [job.reserved_gb_s for job in instance.jobs]
    return [*reserved, *(link for link in links if link is not None)]


def _limits(limits: Iterable[Decimal | None], unit: int) -> Floats:
    return np.array([np.inf if limit is None else float(limit * unit) for limit in limits])


def _amounts(rows: list[dict[str, Decimal]], scale: dict[str, int]) -> Floats:
    return np.array([[float(row.get(r, 0) * unit) for r, unit in scale.items()] for row in rows])
