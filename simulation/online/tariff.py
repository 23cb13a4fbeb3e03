"""Prices of resources that grow exponentially as machines fill, as published and as corrected.

A resource whose part f of a machine is taken costs ``low (high / low)^(f / full)`` a unit.
`high` is so much that nothing pays on a full machine, `low` so little that what the empty
cluster is worth at these prices is a small part of the optimum.

As published (PD-ORS, after OASiS): full = 1, and
``low = 1 / (2 mu) min_i u_i(T - a_i) / w_i`` for all resources alike, with
``w_i = ceil(E_i K_i / R_i) sum_r (alpha_i^r + beta_i^r)`` and the smallest mu such that
``1 / mu <= w_i / (T sum_{h,r} C_h^r)`` for all jobs. It adds amounts of unlike resources.

As corrected: jobs that take a part `share` of a machine in a slot or less are priced to be
worth nothing already where that part is still free, full = 1 - share; and
``low^r = sure / (2 chi R T sum_h C_h^r)`` for R resources, where `sure` is at most what the
optimum is worth and plans cost at most chi times the cheapest. Then the empty cluster is worth
sure / (2 chi) in all, whatever the units: no more is needed of it. See docs/online/pd-ors.md.

Both have ``high^r = max_i u_i(n_i - 1) / min(alpha_i^r, beta_i^r)`` over what is above 0, where
n_i is the least number of slots of job i: with n slots, n - 1 pass from the first to the last.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

import numpy as np

from ...instances import OnlineInstance
from .model import Floats, OnlineModel, most_workers, utilities

SEEN = 5e-13
"""Utilities below are 0 in twelve decimals."""

ROUNDED = 1e-12
"""More than `sure` may exceed what twelve decimals and floating point leave of a utility."""


@dataclass(frozen=True, slots=True, eq=False)
class Tariff:
    """Prices a unit by resource, at nothing and at `full`."""

    low: Floats
    high: Floats
    full: float

    def prices(self, taken: Floats) -> Floats:
        """Return the prices where parts `taken` of machines' resources are taken."""
        ratio: Floats = self.high / self.low
        return self.low * ratio ** (taken / self.full)


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """What prices are made of: the range of utilities and the work of jobs, known beforehand."""

    best: Floats
    """Most utility of each job, at its least number of slots."""
    least: Floats
    """Least utility above 0 of each job, if it completes by the horizon."""
    worker_slots: Floats
    """Slots that the job would take with one worker at its internal rate."""
    sure: float
    """Most utility of a job alone, on one or two machines; no more than the optimum + `ROUNDED`."""


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
    """Return what a job is worth that has the cluster for itself.

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
    """Return the tariff as published; `misjudged` multiplies its range."""
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


def _tariff(
    model: OnlineModel, known: Outlook, low: Floats, full: float, misjudged: float
) -> Tariff:
    needs = np.stack([model.worker, model.server])
    smallest = np.where(needs > 0, needs, np.inf).min(axis=0)
    high = (known.best[:, None] / smallest).max(axis=0)
    return Tariff(low, np.maximum(high * misjudged, 2 * low), full)
