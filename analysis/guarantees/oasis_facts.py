"""The numbers that OASiS's theorem is stated in; imports what computes them.

Proof: `docs/online/oasis.md`. All is computed in floating point, and factors are rounded up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf

import numpy as np

from ...instances import OnlineInstance
from ...policies.online.oasis import Options, grid_of, split
from ...policies.online.oasis_prices import price_limits
from ...simulation.online.model import Floats, OnlineModel, online_model
from ...simulation.online.tariff import ROUNDED
from .online_facts import LEAST_SURE, rounded_up, sure


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceFacts:
    """What prices say of the jobs that they are charged to."""

    log_range: float
    """The largest ln U/L."""
    stretch: float
    """Chi: by so much all prices have to rise for what finds no room to be too dear."""
    growth: float
    """Alpha: the most that prices grow by, over what is paid."""
    start: float
    """What everything costs at the first prices, in parts of what is sure."""

    @property
    def left(self) -> float:
        """What is left of the optimum beyond everything at the first prices, stretched."""
        return 1.0 - self.stretch * self.start


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Machines for workers, or for servers, and what is charged there."""

    capacity: Floats
    demand: Floats
    most: Floats
    low: Floats
    high: Floats


def mixed_machine(instance: OnlineInstance) -> str | None:
    """Return the name of a machine that may hold workers and servers; None if there is none."""
    both = (machine.name for machine in instance.machines if machine.hosts == "both")
    return next(both, None)


def coarse_job(instance: OnlineInstance) -> tuple[str, int] | None:
    """Return a job whose work is not counted in slots of single workers, and how many it takes."""
    for job in instance.jobs:
        work = ceil(job.work / job.rate(False, instance.slot_s))
        if work > job.batch_samples * (instance.horizon_slots - job.arrival_slot):
            continue  # Nobody completes it.
        grid = grid_of(work, job.batch_samples, Options().quanta)
        if grid.quanta != work or grid.workers != [*range(len(grid.workers))]:
            return job.name, work
    return None


@lru_cache(maxsize=4)
def price_facts(instance: OnlineInstance) -> PriceFacts:
    """Return the facts of an instance whose machines are apart."""
    model, worth = online_model(instance), sure(instance)
    sides = list(_sides(instance, model))
    logs = [np.log(side.high / side.low) for side in sides]
    bent = [_bent(side, log) for side, log in zip(sides, logs, strict=True)]
    first = model.slots * sum(float((side.capacity * side.low).sum()) for side in sides)
    return PriceFacts(
        log_range=max(float(log.max()) for log in logs),
        stretch=max(1.0, *(stretch for stretch, _ in bent)),
        growth=max(1.0, *(growth for _, growth in bent)),
        start=first / (worth - 2 * ROUNDED) if worth >= LEAST_SURE else inf,
    )


def _sides(instance: OnlineInstance, model: OnlineModel) -> Iterator[_Side]:
    works, serves = split(model, Options().split)
    servers = np.ceil(model.batch / model.ratio)
    for machines, demand, most in (
        (works, model.worker, model.batch.astype(float)),
        (serves, model.server, servers),
    ):
        low, high = price_limits(instance, model, machines, demand)
        yield _Side(model.capacity[machines], demand, most, low, high)


def _bent(side: _Side, log: Floats) -> tuple[float, float]:
    """Return chi and alpha of one side: the largest over jobs, machines and resources."""
    capacity, demand, most, logs = np.broadcast_arrays(
        side.capacity[None], side.demand[:, None], side.most[:, None, None], log
    )
    fits = (demand > 0) & (demand <= capacity)
    if not fits.any():
        return 1.0, 1.0
    part = demand[fits] / capacity[fits]
    most = np.minimum(most[fits], np.floor(capacity[fits] / demand[fits]))
    one, all_ = part * logs[fits], most * part * logs[fits]
    dear = np.maximum(np.exp(one), np.exp(all_) / most)
    return float(dear.max()), float((np.expm1(all_) / (most * part)).max())


def printed_two_alpha(instance: OnlineInstance) -> Fraction:
    """Return 2 max(1, ln U/L), over both sides and all resources."""
    return rounded_up(2 * max(1.0, price_facts(instance).log_range))


def sized_two_alpha(instance: OnlineInstance) -> Fraction:
    """Return chi alpha over what is left of the optimum."""
    facts = price_facts(instance)
    return rounded_up(facts.stretch * facts.growth / facts.left)
