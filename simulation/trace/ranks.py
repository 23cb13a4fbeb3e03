"""Ranks that follow a formula, so that the engine computes them without asking the policy.

The multifactor formula is the one of Slurm, with its classic fair share, as its pages "Multifactor
Priority Plugin" and "Classic Fairshare Algorithm" have it.
"""

from math import ldexp, log
from typing import NamedTuple

import numpy as np

from ...instances import TraceInstance
from ..jit import kernel
from .build import UNITS
from .records import DONE, RUNNING, WAITING, TraceEngine

ASKED, ARRIVAL, SERVICE, REMAINING, QUEUES, MULTIFACTOR = range(6)
"""Formulas: none, the arrival, service so far, remaining service, queues by service so far, Slurm's
multifactor priority."""

LATE = 10.0**14
"""A tick after the simulated ones: in a queue, jobs that have not started come last."""


TIER = 2**32
"""More than all points of the multifactor formula, and than all sizes and limits of jobs."""


class Multifactor(NamedTuple):
    """Weights of Slurm's multifactor priority, and its times in ticks."""

    age: float
    max_age: float
    fair: float
    half_life: float
    size: float
    small: bool
    priority: float

    def points(self, instance: TraceInstance) -> list[float]:
        """Return the part of each job's priority that never changes."""
        top = max(1, *(job.priority for job in instance.jobs))
        points = []
        for job in instance.jobs:
            size = job.gpus / instance.gpus
            own = max(0, job.priority) / top
            points.append(self.size * (1 - size if self.small else size) + self.priority * own)
        return points


class RankFormula(NamedTuple):
    """The formula of a ranking policy."""

    kind: int = ASKED
    by_gpus: bool = False
    """Service is GPUs times time, otherwise time."""
    thresholds: tuple[float, ...] = ()
    """GPU-ticks at which a job leaves each queue but the last."""
    weights: Multifactor | None = None
    """The weights of the multifactor formula."""


@kernel
def rank_asked(engine: TraceEngine) -> None:
    """Compute the ranks of the listed jobs."""
    for i in range(engine.trace.counts[0].asked):
        job = engine.trace.asked[i]
        if engine.trace.lives[job].status != DONE:
            _rank(engine, job)


@kernel
def _rank(engine: TraceEngine, job: int) -> None:
    rules, data = engine.rules, engine.data
    life, gpus, now = (
        engine.trace.lives[job],
        engine.model.jobs[job].gpus,
        engine.trace.counts[0].now,
    )
    worked = max(0, now - life.working) if life.status == RUNNING else 0
    attained = life.attained + worked * life.width
    weight = float(gpus) if rules.by_gpus else 1.0
    life.level, life.key, life.slope, life.until, life.wake = 0, 0.0, 0.0, np.inf, np.inf
    if rules.formula == ARRIVAL:
        life.key = float(life.arrival)
    elif rules.formula == SERVICE:
        life.slope = weight
    elif rules.formula == REMAINING:
        run = engine.state.runs[job]
        left = run.remaining
        if engine.trace.later.size > 0:
            left += engine.trace.later[job]
        if life.status == RUNNING:
            left -= run.rate * max(0.0, now - run.since)
        left = max(0.0, left) / UNITS
        life.key = weight * (left + (life.executed + worked))
        life.slope = -weight
        if data.communication[job] > 0 and gpus > 1:
            life.until = attained + life.width * np.ceil(left / 2)
    elif rules.formula == QUEUES:
        while life.level < data.thresholds.size and data.thresholds[life.level] <= attained:
            life.level += 1
        life.key = life.first if life.first >= 0 else LATE + life.arrival
        if life.level < data.thresholds.size:
            life.until = data.thresholds[life.level]


@kernel
def rank_by_factors(engine: TraceEngine) -> None:
    """Compute the ranks of all waiting jobs by the multifactor formula.

    The priority is a whole number, as in Slurm, and jobs of equal priority go by arrival.
    """
    trace, data, usage = engine.trace, engine.data, engine.trace.usage
    now = trace.counts[0].now
    age, max_age, fair = data.weights[0], data.weights[1], data.weights[2]
    total = 0.0
    for k in range(usage.size):
        total += usage[k]
    for k in range(usage.size):
        part = usage[k] / total if total > 0.0 else 0.0
        trace.fairness[k] = half_power(part / data.shares[k])
    for i in range(trace.counts[0].ordered):
        job = trace.order[i]
        life = trace.lives[job]
        if life.status == WAITING:
            waited = now - max(life.arrival, life.stopped)
            points = age * min(1.0, waited / max_age) + fair * trace.fairness[data.group[job]]
            life.level = -max(1, int(points + data.points[job]))
            if engine.rules.stops_lower:
                life.level -= TIER * data.priority[job]
            life.key = float(life.arrival)
            trace.moving[job] = True


@kernel
def charge_groups(engine: TraceEngine) -> None:
    """Charge the groups for the GPUs that their jobs have held since the last time.

    Usage loses half of its weight in every half-life. With decay it is counted in half-lives.
    """
    trace, data = engine.trace, engine.data
    counts, half_life = trace.counts[0], data.weights[3]
    passed = counts.now - counts.charged
    counts.charged = counts.now
    kept, more = 1.0, float(passed)
    if half_life > 0.0:
        kept = half_power(passed / half_life)
        more = 1.0 - kept
    for k in range(trace.usage.size):
        trace.usage[k] *= kept
    for i in range(counts.active):
        job = trace.active[i]
        trace.usage[data.group[job]] += more * trace.lives[job].width


LN2 = log(2.0)


@kernel
def half_power(x: float) -> float:
    """Return ``2 ** -x`` for x of at least 0, by its series.

    Libraries differ in the last digit from machine to machine, and additions do not.
    """
    if x > 1000.0:
        return 0.0
    whole = int(x)
    z, term, value = (x - whole) * LN2, 1.0, 1.0
    for k in range(1, 20):
        term *= -z / k
        value += term
    return ldexp(value, -whole)
