"""An `online` instance as arrays, and prices of resources that grow as machines fill.

Every resource is counted in units so small that all amounts of it are whole. Sums of such amounts
are exact in floating point, and capacities are checked exactly.

A resource whose part f of a machine is taken costs ``low (high / low)^((f - flat) / (full -
flat))`` a unit, and `low` up to the part `flat`, 0 except in the third tariff. `high` is so large
that no job pays on a full machine. In the first two tariffs `low` is so small that the value of the
empty cluster at these prices is a small part of the optimum.

As published (PD-ORS, after OASiS): full = 1, and
``low = 1 / (2 mu) min_i u_i(T - a_i) / w_i`` for all resources alike, with
``w_i = ceil(E_i K_i / R_i) sum_r (alpha_i^r + beta_i^r)`` and the smallest mu such that
``1 / mu <= w_i / (T sum_{h,r} C_h^r)`` for all jobs. It adds amounts of unlike resources.

As corrected: jobs that take a part `share` of a machine in a slot or less are priced to be
worthless as soon as only that part is free, full = 1 - share. Also, ``low^r = sure / (2 chi R T
sum_h C_h^r)`` for R resources, where `sure` is at most the optimum's value, and plans cost at most
chi times the cheapest. Then the empty cluster is worth sure / (2 chi) in all, in any units, which
suffices. See docs/theory/pd-ors.md.

Both have ``high^r = max_i u_i(n_i - 1) / min(alpha_i^r, beta_i^r)`` over positive amounts, where
n_i is the least number of slots of job i: with n slots, n - 1 pass from the first to the last.

Flat first, as for online knapsacks: let job i take x_i^r of r if it works once, on one machine and
with as many workers as it needs. Then ``low^r = min_i u_i(T - a_i) / (R x_i^r)``, so that any job
pays on an empty machine. For jobs that one slot completes, ``high^r = max_i u_i(0) / x_i^r``. With
the largest part s = `share` of a job, prices grow as ``e^(g f)`` from ``flat = s + 1 / A`` to full
= 1 - s, where A is ``(e^(g s) - 1) / s``.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, lcm

import numpy as np
from numpy.typing import NDArray

from ..instances import OnlineInstance, RefusedError, Sigmoid
from ..instances.online import Utility
from ..instances.reading.vocabulary import Amounts
from ..instances.regions import may_run

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SLACK = 1e-9
"""Added before rounding down, so that rounding errors only loosen a limit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnlineModel:
    """Machines h, jobs i, resources r, all by number, and times in slots."""

    capacity: Floats
    """C[h, r], in whole units of the resource."""
    units: Floats
    """The number of such units in one unit of the instance."""
    works: Flags
    """True if machine h may hold workers."""
    serves: Flags
    """True if machine h may hold parameter servers."""
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
    """Of job i. Jobs of one kind may run in the same regions."""
    open: Flags
    """True if jobs of kind k may use machine h."""

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


MOST_SLOTS, MOST_TRIPLES = 100_000, 20_000_000
"""Limits on slots, and on triples of slot, machine and resource, for the records of policies."""


def refusal(instance: OnlineInstance) -> str | None:
    """Return why `instance` cannot be treated, or None if it can."""
    slots = instance.horizon_slots
    triples = slots * len(instance.machines) * len(instance.resources)
    if slots > MOST_SLOTS or triples > MOST_TRIPLES:
        return (
            f"{slots:,} slots, {len(instance.machines):,} machines and "
            f"{len(instance.resources)} resources are too many: at most {MOST_SLOTS:,} slots and "
            f"{MOST_TRIPLES:,} triples, so lengthen slot_s or split the instance"
        )
    for resource, factor in _units(instance).items():
        total = sum(dict(m.capacity).get(resource, 0) for m in instance.machines)
        if total * factor >= 2**53:
            return f"amounts of {resource!r} have too many digits to be counted, so round them"
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
"""A job takes at most one in this many units of the resource for workers, or for servers."""


def with_hosts(model: OnlineModel) -> OnlineModel:
    """Return the model with two more resources, for machines that may hold workers or servers.

    There is room for the most that the other resources of a machine allow, or that all jobs want,
    so that these two never bind. There is also room for at least `PARTS` times the need of a job.
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
    """Return the utility of a job after 0, 1, .. slots, within rounding of the exact values."""
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


SEEN = 5e-13
"""Utilities below are 0 in twelve decimals."""

ROUNDED = 1e-12
"""More than the rounding error of a utility in 12 decimals and floating point."""


@dataclass(frozen=True, slots=True, eq=False)
class Tariff:
    """Prices a unit by resource, at load 0 and at `full`."""

    low: Floats
    high: Floats
    full: float
    flat: Floats | float = 0.0

    def prices(self, taken: Floats) -> Floats:
        """Return the prices if parts `taken` of machines' resources are in use."""
        ratio: Floats = self.high / self.low
        return self.low * ratio ** (np.maximum(taken - self.flat, 0.0) / (self.full - self.flat))


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """The data of prices: the range of utilities and the work of jobs, known beforehand."""

    best: Floats
    """Most utility of each job, at its least number of slots."""
    least: Floats
    """Least utility above 0 of each job, if it completes by the horizon."""
    worker_slots: Floats
    """Slots that the job would take with one worker at its internal rate."""
    sure: float
    """Most utility of a job alone, on one or two machines, at most the optimum + `ROUNDED`."""


def outlook(instance: OnlineInstance, model: OnlineModel) -> Outlook:
    """Return the outlook of an instance."""
    rows, sure = [], 0.0
    for i, job in enumerate(instance.jobs):
        worth = utilities(job.utility, instance.horizon_slots - job.arrival_slot)
        single = ceil(job.work / job.rate(True, instance.slot_s))
        slots = ceil(single / job.batch_samples)
        best = worth[slots - 1] if slots <= worth.size else 0.0
        least = worth[worth >= SEEN].min(initial=np.inf)
        rows.append((best, least, float(single)))
        if best > sure:
            sure = max(sure, _alone(instance, model, i, worth))
    best, least, single = np.array(rows).T
    return Outlook(best, least, single, sure)


def _alone(instance: OnlineInstance, model: OnlineModel, i: int, worth: Floats) -> float:
    """Return the utility of a job that has the cluster to itself.

    It stays on one machine, or has its workers on one and its servers on another.
    """
    job, found = instance.jobs[i], 0.0
    for together in (True, False):
        workers = _most_alone(model, i, job.workers_per_server, together)
        if workers:
            slots = ceil(job.work / (workers * job.rate(together, instance.slot_s)))
            found = max(found, float(worth[slots - 1]) if slots <= worth.size else 0.0)
    return found


def _most_alone(model: OnlineModel, i: int, ratio: Decimal, together: bool) -> int:
    """Return how many workers of a job go onto one machine, with their servers or without."""
    works, serves = model.works & model.open_to(i), model.serves & model.open_to(i)
    for workers in range(most_workers(model, i)[not together], 0, -1):
        need = workers * model.worker[i]
        other = ceil(workers / Fraction(ratio)) * model.server[i]
        if together:
            fits = (need + other <= model.capacity).all(axis=1) & works & serves
            pairs = int(fits.sum())
        else:
            first = (need <= model.capacity).all(axis=1) & works
            second = (other <= model.capacity).all(axis=1) & serves
            pairs = int(first.sum()) * int(second.sum()) - int((first & second).sum())
        if pairs:
            return workers
    return 0


def published(model: OnlineModel, known: Outlook, misjudged: float) -> Tariff:
    """Return the tariff as published. `misjudged` multiplies its range."""
    amounts = ((model.worker + model.server) / model.units).sum(axis=1)
    work = known.worker_slots * amounts
    cluster = model.slots * (model.capacity / model.units).sum()
    low = (known.least / work).min() * min(1.0, work.min() / cluster) / 2
    return _tariff(model, known, np.full(model.units.size, low) / model.units, 1.0, misjudged)


def corrected(
    model: OnlineModel, known: Outlook, misjudged: float, share: float, chi: float
) -> Tariff:
    """Return the tariff for jobs that take at most a part `share` of a machine in a slot."""
    cluster = model.slots * model.capacity.sum(axis=0)
    least = known.sure or known.least.min()
    low = least / (2 * chi * model.units.size * np.maximum(cluster, 1.0))
    return _tariff(model, known, low, 1.0 - share, misjudged)


HAIR = 1e-6
"""Relative distance of flat prices from the range of utilities, above the error of utilities."""

MOST_GROWTH = 700.0
"""Largest g s, whose exponential is finite."""


def flat_first(model: OnlineModel, known: Outlook, misjudged: float, share: float) -> Tariff:
    """Return the tariff that is flat first, for jobs of at most a part `share` below a half."""
    workers = known.worker_slots[:, None]
    once = workers * model.worker + np.ceil(workers / model.ratio[:, None]) * model.server
    used = np.maximum((once > 0).any(axis=0).sum(), 1)
    dear = np.full(once.shape, np.inf)
    low = np.divide(known.least[:, None], once, out=dear, where=once > 0).min(axis=0) / used
    low = np.where(np.isfinite(low), low, 1.0) * (1 - HAIR)
    least = np.where(workers <= model.batch[:, None], once, _least(model))
    high = (known.best[:, None] / np.where(least > 0, least, np.inf)).max(axis=0)
    high = np.maximum(high * misjudged * (1 + HAIR), 2 * low)
    flat = [share + 1 / flat_growth(x, share) for x in np.log(high / low)]
    return Tariff(low, high, 1.0 - share, np.array(flat))


def flat_growth(log_range: float, share: float) -> float:
    """Return A, by which a final price exceeds payments per capacity: 1 + ln U/L without `share`.

    It is ``(e^(g s) - 1) / s`` for the least g with ``g (1 - 2 s - 1 / A) >= ln U/L``.
    """
    least, most = 0.0, MOST_GROWTH / share

    def growth(g: float) -> float:
        return float(np.expm1(g * share)) / share

    while most - least > 1e-12 * most:
        g = (least + most) / 2
        enough = growth(g) > 0 and g * (1 - 2 * share - 1 / growth(g)) >= log_range
        least, most = (least, g) if enough else (g, most)
    return growth(most)


def _tariff(
    model: OnlineModel, known: Outlook, low: Floats, full: float, misjudged: float
) -> Tariff:
    high = (known.best[:, None] / _least(model)).max(axis=0)
    return Tariff(low, np.maximum(high * misjudged, 2 * low), full)


def _least(model: OnlineModel) -> Floats:
    """Return the smaller positive amount of a worker and a server, by job and resource."""
    needs = np.stack([model.worker, model.server])
    least: Floats = np.where(needs > 0, needs, np.inf).min(axis=0)
    return least


@dataclass(frozen=True, slots=True, eq=False)
class Rooms:
    """Numbers of workers by job i and machine h, 0 on machines that the job may not use."""

    inside: Ints
    """The most workers with all the parameter servers they need on the same machine."""
    workers: Ints
    """The most workers without any."""
    servers: Ints
    """The most parameter servers without workers, and no more than all workers need."""


MOST_HELD = 10**7
"""Workers, or parameter servers, of a job on a machine.

Larger numbers are not counted one by one.
"""


@lru_cache(maxsize=4)
def rooms(instance: OnlineInstance) -> Rooms:
    """Return the capacity of an empty machine for each job, at most the job's own limit.

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
    """Return an upper bound on the number on any machine."""
    asked = demand > 0
    if not asked.any():
        return most
    return min(most, int((capacity[:, asked] / demand[asked]).min(axis=1).max()) + 1)


def _held(needs: Floats, capacity: Floats) -> Ints:
    """Return the last row of growing needs that each capacity meets."""
    fits = [np.searchsorted(needs[:, r], capacity[:, r], "right") for r in range(needs.shape[1])]
    found: Ints = np.min(fits, axis=0) - 1
    return found
