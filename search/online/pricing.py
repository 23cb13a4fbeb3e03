"""The most that a job is worth at given prices: its cheapest plan for its samples, relaxed.

A *candidate* is a number of workers in a slot, inside a machine or across, with their samples and
the least cost of them and their parameter servers. Machines of equal prices are one group.
`dual_bound.py` explains why costs here never exceed real costs.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...instances import OnlineInstance, Sigmoid, TrainingJob
from ...simulation.jit import entry, kernel
from ...simulation.online import Floats, Ints, online_model, rooms, utilities


class GroupedJob(NamedTuple):
    """A job as the kernels see it, by groups of machines."""

    arrival: int
    worker: Floats
    server: Floats
    need: Floats
    """Parameter servers that 0, 1, .. workers need, up to the most workers."""
    inside: Ints
    """The most workers that a machine of each group holds with their parameter servers."""
    workers: Ints
    """The most workers that all machines of each group hold."""
    servers: Ints
    """The most parameter servers."""
    fast: float
    slow: float
    work: float
    worth: Floats
    """Utility after 0, 1, .. slots."""
    parts: int
    """Parts into which a table divides the samples of a worker inside, or 0 for no table."""


class CandidateMix(NamedTuple):
    """A mix of two candidates in each slot: a share of `high`, the rest of `low`."""

    low: Ints
    high: Ints
    share: Floats


@entry
def candidates(
    prices: Floats, ask: GroupedJob, samples: Floats, costs: Floats, at: Ints
) -> tuple[int, int]:
    """Fill in the candidates of a slot, those inside first. Return their number, and the total."""
    worker, server = prices @ ask.worker, prices @ ask.server
    count = 0
    for w in range(1, min(ask.inside.max(), len(ask.need) - 1) + 1):
        costs[count] = np.inf
        for g in range(len(prices)):
            cost = w * worker[g] + ask.need[w] * server[g]
            if ask.inside[g] >= w and cost < costs[count]:
                costs[count], at[count] = cost, g
        samples[count] = min(w * ask.fast, ask.work)
        count += 1
        if w * ask.fast >= ask.work:
            break
    first = count
    by_worker, by_server = np.argsort(worker), np.argsort(server)
    i, j, taken, served, held, cost = 0, 0, 0, 0, 0, 0.0
    for w in range(1, len(ask.need)):
        while i < len(prices) and taken == ask.workers[by_worker[i]]:
            i, taken = i + 1, 0
        if i == len(prices):
            break
        taken += 1
        cost += worker[by_worker[i]]
        while held < ask.need[w] and j < len(prices):
            if served < ask.servers[by_server[j]]:
                served, held = served + 1, held + 1
                cost += server[by_server[j]]
            else:
                j, served = j + 1, 0
        if held < ask.need[w]:
            break
        samples[count], costs[count] = min(w * ask.slow, ask.work), cost
        count += 1
        if w * ask.slow >= ask.work:
            break
    return first, count


@kernel
def envelope(
    samples: Floats, costs: Floats, count: int, length: Floats, slope: Floats, corner: Ints
) -> int:
    """Fill in the lower envelope of candidates from the origin. Return the number of its pieces."""
    k, here, paid = 0, 0.0, 0.0
    while True:
        least, far = np.inf, -1
        for p in range(count):
            if samples[p] > here:
                steep = (costs[p] - paid) / (samples[p] - here)
                if steep < least or (steep == least and samples[p] > samples[far]):
                    least, far = steep, p
        if far < 0:
            return k
        length[k], slope[k], corner[k] = samples[far] - here, max(least, 0.0), far
        here, paid, k = samples[far], costs[far], k + 1


@entry
def by_envelopes(prices: Floats, ask: GroupedJob, mix: CandidateMix) -> tuple[float, int]:
    """Return the most that a job gains if candidates may be mixed, and the last slot of it."""
    size, slots = 2 * len(ask.need), len(prices)
    samples, costs, at = np.empty(size), np.empty(size), np.empty(size, np.int64)
    length, slope, corner = np.empty(size), np.empty(size), np.empty(size, np.int64)
    pieces, steep = np.empty(slots * size + 1), np.empty(slots * size + 1)
    where = np.empty((slots * size + 1, 3), np.int64)
    n, covered, best, end = 0, 0.0, 0.0, -1
    for slot in range(ask.arrival, slots):
        worth = ask.worth[slot - ask.arrival]
        if worth <= best:
            break
        _, count = candidates(prices[slot], ask, samples, costs, at)
        for k in range(envelope(samples, costs, count, length, slope, corner)):
            if covered >= ask.work and slope[k] >= steep[n - 1]:
                break
            p = n
            while p > 0 and steep[p - 1] > slope[k]:
                steep[p], pieces[p], where[p] = steep[p - 1], pieces[p - 1], where[p - 1]
                p -= 1
            steep[p], pieces[p] = slope[k], length[k]
            where[p, 0], where[p, 1], where[p, 2] = slot, corner[k - 1] if k else -1, corner[k]
            n, covered = n + 1, covered + length[k]
            while covered - pieces[n - 1] >= ask.work:
                n -= 1
                covered -= pieces[n]
        if covered >= ask.work:
            cost, left = 0.0, ask.work
            for p in range(n):
                part = min(left, pieces[p])
                cost, left = cost + steep[p] * part, left - part
            if worth - cost > best:
                best, end, left = worth - cost, slot, ask.work
                mix.high[:] = -1
                for p in range(n):
                    t, part = where[p, 0], min(left, pieces[p])
                    mix.low[t], mix.high[t] = where[p, 1], where[p, 2]
                    mix.share[t], left = part / pieces[p], left - part
    return best, end


@entry
def by_table(prices: Floats, ask: GroupedJob, mix: CandidateMix) -> tuple[float, int]:
    """Return the most that a job gains with whole candidates, and its last slot.

    Samples are measured in parts of a worker's inside. Candidates across are rounded up.
    """
    size, slots = 2 * len(ask.need), len(prices)
    samples, costs, at = np.empty(size), np.empty(size), np.empty(size, np.int64)
    unit = ask.fast / ask.parts
    goal = int(np.ceil(ask.work / unit * (1 - 1e-12)))
    gain, least = np.empty((slots, size), np.int64), np.full(goal + 1, np.inf)
    chosen, best, end, least[0] = np.full((slots, goal + 1), -1), 0.0, -1, 0.0
    for slot in range(ask.arrival, slots):
        worth = ask.worth[slot - ask.arrival]
        if worth <= best:
            break
        first, count = candidates(prices[slot], ask, samples, costs, at)
        for p in range(count):
            across = np.ceil((p - first + 1) * ask.slow / unit * (1 + 1e-12))
            gain[slot, p] = (p + 1) * ask.parts if p < first else int(across)
        for done in range(goal, 0, -1):
            for p in range(count):
                cost = least[max(0, done - gain[slot, p])] + costs[p]
                if cost < least[done]:
                    least[done], chosen[slot, done] = cost, p
        if worth - least[goal] > best:
            best, end = worth - least[goal], slot
    mix.high[:], mix.share[:] = -1, 1.0
    for slot in range(end, ask.arrival - 1, -1):
        p = chosen[slot, goal]
        if p >= 0:
            mix.high[slot], goal = p, max(0, goal - gain[slot, p])
    return best, end


@entry
def add_loads(prices: Floats, ask: GroupedJob, mix: CandidateMix, end: int, load: Floats) -> None:
    """Add a job's use up to its last slot, by slot, group and resource."""
    size = 2 * len(ask.need)
    samples, costs, at = np.empty(size), np.empty(size), np.empty(size, np.int64)
    for slot in range(ask.arrival, end + 1):
        if mix.high[slot] >= 0:
            first, _ = candidates(prices[slot], ask, samples, costs, at)
            high, low, share = mix.high[slot], mix.low[slot], mix.share[slot]
            _add_candidate(prices[slot], ask, high, first, at, share, load[slot])
            if share < 1 and low >= 0:
                _add_candidate(prices[slot], ask, low, first, at, 1 - share, load[slot])


@entry
def _add_candidate(
    prices: Floats, ask: GroupedJob, number: int, first: int, at: Ints, share: float, load: Floats
) -> None:
    if number < first:
        both = (number + 1) * ask.worker + ask.need[number + 1] * ask.server
        load[at[number]] += share * both
        return
    workers = float(number - first + 1)
    servers = ask.need[number - first + 1]
    for g in np.argsort(prices @ ask.worker):
        load[g] += share * min(workers, ask.workers[g]) * ask.worker
        workers -= min(workers, ask.workers[g])
    for g in np.argsort(prices @ ask.server):
        load[g] += share * min(servers, ask.servers[g]) * ask.server
        servers -= min(servers, ask.servers[g])


MOST_STATES = 2_000
"""Most states of a table. Jobs that would need coarser ones are priced by envelopes."""

LEAST_PARTS, MOST_PARTS = 8, 64

ROUNDOFF = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """Machines by groups, and the jobs with their demands."""

    group: Ints
    """Of each machine."""
    capacity: Floats
    """Of each group."""
    jobs: tuple[GroupedJob, ...]
    slots: int
    margin: float
    """More than the relative error of any sum that pricing makes."""

    @property
    def total_worth(self) -> float:
        """The sum of utilities of jobs that need no time."""
        return float(sum(ask.worth[0] for ask in self.jobs))


def market(instance: OnlineInstance, group: Ints) -> Market:
    """Return the market in which machines of one group, numbered from 0, have equal prices."""
    model = online_model(instance)
    capacity = np.zeros((int(group.max()) + 1, model.capacity.shape[1]))
    np.add.at(capacity, group, model.capacity)
    needs = _needs(instance)
    longest = max(len(need) for need in needs)
    margin = 8 * ROUNDOFF * (2 * longest * model.slots + model.capacity.size)
    fits, parts = _grouped(instance, group, len(capacity)), parts_of(instance)
    jobs = tuple(
        GroupedJob(
            arrival=int(model.arrival[i]),
            worker=model.worker[i],
            server=model.server[i],
            need=needs[i],
            inside=fits[0][i],
            workers=fits[1][i],
            servers=fits[2][i],
            fast=float(model.inside[i]),
            slow=float(model.outside[i]),
            work=float(model.work[i]) * (1 - margin),
            worth=_worth(job, model.slots - job.arrival_slot),
            parts=parts[i],
        )
        for i, job in enumerate(instance.jobs)
    )
    return Market(group=group, capacity=capacity, jobs=jobs, slots=model.slots, margin=margin)


def _worth(job: TrainingJob, count: int) -> Floats:
    """Return an upper bound on a job's worth after 0, 1, .. slots.

    The power of a sigmoid has rounding errors of four terms, relative to steepness times slots. The
    utility itself is rounded to 12 decimals.
    """
    worth = utilities(job.utility, count)
    if isinstance(job.utility, Sigmoid):
        reach = np.arange(count) + float(job.utility.midpoint_slots)
        power = 8 * ROUNDOFF * (1 + float(job.utility.steepness) * reach)
        worth = np.minimum(worth * np.exp(np.minimum(power, 700)), float(job.utility.value)) + 1e-12
    return np.nextafter(worth, np.inf)


@lru_cache(maxsize=2)
def _needs(instance: OnlineInstance) -> list[Floats]:
    """Return the parameter servers that 0, 1, .. workers of each job need, rounded down."""
    model, most = online_model(instance), rooms(instance)
    anywhere = np.minimum(model.batch, most.workers.sum(axis=1))
    enough = np.ceil(model.work / model.outside) + 1
    return [
        np.ceil(np.arange(count + 1) / ratio * (1 - 1e-12))
        for count, ratio in zip(np.minimum(anywhere, enough), model.ratio, strict=True)
    ]


def _grouped(instance: OnlineInstance, group: Ints, groups: int) -> tuple[Ints, Ints, Ints]:
    """Return the capacity of a group: of one machine inside, of all machines across."""
    most, shape = rooms(instance), (len(instance.jobs), groups)
    inside, workers, servers = (np.zeros(shape, np.int64) for _ in range(3))
    np.maximum.at(inside.T, group, most.inside.T)
    np.add.at(workers.T, group, most.workers.T)
    np.add.at(servers.T, group, most.servers.T)
    return inside, workers, servers


def parts_of(instance: OnlineInstance) -> list[int]:
    """Return the parts of a worker's samples in the table of each job, as `_parts`."""
    model = online_model(instance)
    return [_parts(float(workers)) for workers in model.work / model.inside]


def _parts(workers: float) -> int:
    """Return the parts of a worker's samples in the table of a job, or 0 if they are too coarse."""
    parts = int(MOST_STATES / workers)
    return min(parts, MOST_PARTS) if parts >= LEAST_PARTS else 0
