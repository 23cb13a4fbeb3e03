"""OASiS: online admission by prices, after Bao, Peng, Wu and Li (INFOCOM 2018).

Workers and parameter servers live on different machines. Of machines that may hold both, every
`split`-th holds servers. Hence every job runs at its external rate. Each resource r of each machine
has a price in each slot, ``L (U_r / L)^(fraction used)``, with one pair of limits for worker
machines and one for server machines. When a job arrives, a dynamic program over slots finds the
cheapest schedule for every possible completion slot, with its work divided into quanta. The workers
of a slot go to the cheapest machines with room, and so do their servers. If utility exceeds cost
for some completion slot, the job is admitted permanently with the best schedule. Otherwise it is
rejected. Only schedules that fit are considered. The paper proves a ratio of ``2 max_r(1, ln(U_r /
L))`` for demands that are tiny next to capacities. For the sizes and the quanta here there is no
proof.

The limits are those of the paper, corrected, over all jobs. They need the ranges of the jobs to
come, which the paper assumes known. With N_i the worker-slots of job i, w_i the demand of a worker
(or server) and f_i the utility:

- ``U_r = max_i f_i(least slots) / w_ir``. The paper subtracts the arrival from that number of
  slots, which is a duration already. Here it is not subtracted. The first slot is slot 0.
- ``L = min_i f_i(end) / (N_i sum_r w_ir) / (4 eta)``, with f_i at the horizon, or the last value
  above 0 before it, so that L is above 0.
- ``1 / eta = min_i N_i sum_r w_ir / (slots * capacity of those machines, over all r)``.

Amounts of different resources are added up in the units of the instance.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, NamedTuple

import numpy as np

from ...instances import OnlineInstance, Outcome, TrainingJob
from ...instances.reading.vocabulary import Positive, Range
from ...simulation.jit import entry, kernel
from ...simulation.online import SEEN, Floats, Ints, OnlineModel, online_model, utilities
from ..request import Request
from .planning import OnlinePlans, all_free, placement_of, servers_due, take


class WorkGrid(NamedTuple):
    """`quanta` quanta are the whole work. `workers` do 0, 1, 2, .. of them in a slot."""

    quanta: int
    workers: list[int]


def grid_of(worker_slots: int, most_workers: int, quanta: int) -> WorkGrid:
    """Return about `quanta` quanta for work that needs one worker for `worker_slots` slots.

    A quantum is a whole fraction of the work of `most_workers` in a slot, so that they are on the
    grid. It is the work of one worker if that makes at most the requested number of quanta.
    """
    parts = min(most_workers, max(1, quanta * most_workers // worker_slots))
    count = -(-worker_slots * parts // most_workers)
    steps = range(min(parts, count) + 1)
    return WorkGrid(count, [-(-step * most_workers // parts) for step in steps])


class Spread(NamedTuple):
    """The worth less the costs, and the quanta of every slot."""

    payoff: float
    quanta: Ints


@entry
def best_spread(cost: Floats, worth: Floats, quanta: int) -> Spread:
    """Return the spread of all quanta with the highest payoff, the earliest on ties.

    ``cost[t, k]`` is the cost of k quanta in slot t, 0 for k = 0. ``worth[t]`` is the value of
    completion in slot t. For every last slot, the dynamic program over slots finds the least cost.
    The cost of v quanta by slot t is the least over k of the cost of k quanta in t plus the cost of
    v - k before.
    """
    slots, steps = cost.shape
    least = np.full((slots + 1, quanta + 1), np.inf)
    chosen = np.zeros((slots, quanta + 1), np.int64)
    least[0, 0] = 0.0
    payoff, last = -np.inf, -1
    for t in range(slots):
        least[t + 1] = least[t]
        for k in range(1, steps):
            for v in range(k, quanta + 1):
                total = cost[t, k] + least[t, v - k]
                if total < least[t + 1, v]:
                    least[t + 1, v] = total
                    chosen[t, v] = k
        if worth[t] - least[t + 1, quanta] > payoff:
            payoff, last = worth[t] - least[t + 1, quanta], t
    spread, left = np.zeros(slots, np.int64), quanta
    for t in range(last, -1, -1):
        spread[t] = chosen[t, left]
        left -= spread[t]
    return Spread(payoff, spread)


NAME = "oasis"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Split of machines, the grid, and misestimates of the price limits."""

    split: Annotated[
        int, Range(2, 10**9), "one in this many machines hosts servers, unless machines host both"
    ] = 2
    quanta: Annotated[
        int, Range(1, 1000), "approximate parts of a job's work in the dynamic program"
    ] = 64
    scale_u: Annotated[Positive, "factor on the highest prices U"] = Decimal(1)
    scale_l: Annotated[Positive, "factor on the lowest prices L"] = Decimal(1)


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Return the schedule of the jobs that are admitted (deterministic)."""
    plans = OnlinePlans(instance, request.limits, NAME)
    gate = Gate(instance, plans, request.options)
    for job in plans.jobs():
        gate.decide(job)
    return plans.outcome()


class Gate:
    """Decides on one job after the other, with prices that follow the decisions."""

    def __init__(self, instance: OnlineInstance, plans: OnlinePlans, options: Options) -> None:
        """Split the machines and set the first prices."""
        self._instance, self._plans, self._options = instance, plans, options
        self._model = model = online_model(instance)
        self._works, self._serves = split(model, options.split)
        self._free = all_free(model)
        low, high = np.ones_like(model.capacity), np.ones_like(model.capacity)
        for machines, demand in ((self._works, model.worker), (self._serves, model.server)):
            least, most = price_limits(instance, model, machines, demand)
            low[machines] = least * float(options.scale_l)
            high[machines] = np.maximum(most * float(options.scale_u), low[machines])
        self._prices = Prices(model, low, high)

    def decide(self, job: int) -> None:
        """Admit a job with its best schedule if that is worth more than it costs."""
        data, model = self._instance.jobs[job], self._model
        first, work = data.arrival_slot, self._plans.worker_slots(job, inside=False)
        grid = grid_of(work, data.batch_samples, self._options.quanta)
        if grid.quanta > (len(grid.workers) - 1) * (model.slots - first):
            return
        free, price = self._free[first:], self._prices.now[first:]
        works, serves = self._open(job)
        workers = np.array(grid.workers)
        servers = np.array([servers_due(data, count) for count in grid.workers])
        cost = cheapest_costs(free, price, works, model.worker[job], workers)
        cost += cheapest_costs(free, price, serves, model.server[job], servers)
        best = best_spread(cost, worth(data, len(free)), grid.quanta)
        if best.payoff > 0:
            for slot in np.flatnonzero(best.quanta):
                self._hold(job, first + int(slot), grid.workers[best.quanta[slot]])

    def _open(self, job: int) -> tuple[Ints, Ints]:
        """Return the machines for workers and for servers that a job may use."""
        may = self._model.open_to(job)
        return self._works[may[self._works]], self._serves[may[self._serves]]

    def _hold(self, job: int, slot: int, most: int) -> None:
        """Let a job hold the cheapest machines in a slot, with no more workers than it needs."""
        count = min(most, self._plans.worker_slots(job, inside=False))
        if count <= 0:
            return
        due, price = servers_due(self._instance.jobs[job], count), self._prices.now
        works, serves = self._open(job)
        placement = placement_of(
            on_cheapest(self._free, price, slot, works, self._model.worker[job], count),
            on_cheapest(self._free, price, slot, serves, self._model.server[job], due),
        )
        take(self._model, self._free[slot], job, placement)
        self._prices.update(self._free, slot, placement.workers.keys() | placement.servers.keys())
        self._plans.add(job, slot, placement)


def split(model: OnlineModel, every: int) -> tuple[Ints, Ints]:
    """Return the machines for workers and those for servers, disjoint."""
    both = np.flatnonzero(model.works & model.serves)
    serves = model.serves & ~model.works
    serves[both[every - 1 :: every]] = True
    works = model.works & ~serves
    return np.flatnonzero(works), np.flatnonzero(serves)


class Prices:
    """``p = low (high / low)^(part taken)`` for every slot, machine and resource."""

    def __init__(self, model: OnlineModel, low: Floats, high: Floats) -> None:
        """Start at `low`. Both limits are by machine and resource, positive, for a whole unit."""
        self._capacity, self._low = model.capacity, low
        self._power = np.log(high / low)
        self.now: Floats = np.repeat(low[None], model.slots, axis=0)
        """Prices by slot, machine and resource."""

    def update(self, free: Floats, slot: int, machines: Iterable[int]) -> None:
        """Update the prices of a slot from the free capacity of some machines."""
        h = list(machines)
        capacity = self._capacity[h]
        taken = np.divide(capacity - free[slot, h], capacity, where=capacity > 0, out=capacity * 0)
        self.now[slot, h] = self._low[h] * np.exp(taken * self._power[h])


def worth(job: TrainingJob, slots: int) -> Floats:
    """Return the value of a job that completes 0, 1, .. slots after its arrival."""
    values = utilities(job.utility, slots)
    return np.where(values < SEEN, 0.0, values)


def price_limits(
    instance: OnlineInstance, model: OnlineModel, machines: Ints, demand: Floats
) -> tuple[Floats, Floats]:
    """Return L and U on these machines by resource, for a whole unit of the model.

    `demand` is the demand of a worker, or of a server, by job. U is at least L. Both are 1 if no
    job can be admitted.
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
    """Return the value of a job with all its workers from the start."""
    return float(job.utility.at(-(-worker_slots // job.batch_samples) - 1))


def _latest(job: TrainingJob, slots: int) -> float:
    """Return the last value above 0 by the horizon, or 0."""
    values = worth(job, slots - job.arrival_slot)
    return float(values[values > 0].min()) if values.any() else 0.0


@entry
def cheapest_costs(
    free: Floats, price: Floats, machines: Ints, demand: Floats, counts: Ints
) -> Floats:
    """Return the cost in every slot of `counts` pieces, infinite if they do not fit.

    `free` and `price` are by slot, machine and resource. `counts` ascend.
    """
    out = np.full((len(free), counts.size), np.inf)
    cost, room, which = np.empty(machines.size), np.empty(machines.size), np.empty_like(machines)
    for t in range(len(free)):
        fitting = _with_room(free, price, t, machines, demand, cost, room, which)
        order = np.argsort(cost[:fitting], kind="mergesort")
        _add_up(cost, room, order, counts, out, t)
    return out


@entry
def on_cheapest(
    free: Floats, price: Floats, slot: int, machines: Ints, demand: Floats, count: int
) -> Ints:
    """Return the pieces on each machine, of `count` pieces in a slot in which they fit."""
    out = np.zeros(free.shape[1], np.int64)
    cost, room, which = np.empty(machines.size), np.empty(machines.size), np.empty_like(machines)
    fitting = _with_room(free, price, slot, machines, demand, cost, room, which)
    left = float(count)
    for i in np.argsort(cost[:fitting], kind="mergesort"):
        number = min(left, room[i])
        out[which[i]] = int(number)
        left -= number
    return out


@kernel
def _with_room(
    free: Floats,
    price: Floats,
    slot: int,
    machines: Ints,
    demand: Floats,
    cost: Floats,
    room: Floats,
    which: Ints,
) -> int:
    """Record cost, room and index of the machines that hold a piece, and return their number."""
    fitting = 0
    for h in machines:
        each, fits = 0.0, np.inf
        for r in range(demand.size):
            if demand[r] > 0:
                fits = min(fits, np.floor(free[slot, h, r] / demand[r]))
                each += price[slot, h, r] * demand[r]
        if fits >= 1:
            cost[fitting], room[fitting], which[fitting] = each, fits, h
            fitting += 1
    return fitting


@kernel
def _add_up(cost: Floats, room: Floats, order: Ints, counts: Ints, out: Floats, slot: int) -> None:
    """Write the costs of `counts` pieces, the cheapest machines first."""
    placed, total, i = 0.0, 0.0, 0
    for k in range(counts.size):
        while placed < counts[k] and i < order.size:
            more = min(counts[k] - placed, room[order[i]])
            placed += more
            total += more * cost[order[i]]
            room[order[i]] -= more
            if room[order[i]] == 0:
                i += 1
        if placed == counts[k]:
            out[slot, k] = total
