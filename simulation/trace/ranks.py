"""Ranks that follow a formula, so that the engine computes them without asking the policy."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .build import UNITS
from .records import DONE, RUNNING, TraceEngine

ASKED, ARRIVAL, SERVICE, REMAINING, QUEUES = range(5)
"""Formulas: none, the arrival, service so far, remaining service, queues by service so far."""

LATE = 10.0**14
"""A tick after the simulated ones: in a queue, jobs that have not started come last."""


class RankFormula(NamedTuple):
    """The formula of a ranking policy."""

    kind: int = ASKED
    by_gpus: bool = False
    """Service is GPUs times time, otherwise time."""
    thresholds: tuple[float, ...] = ()
    """GPU-ticks at which a job leaves each queue but the last."""


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
        if life.status == RUNNING:
            left -= run.rate * max(0.0, now - run.since)
        left = max(0.0, left) / UNITS
        life.key = weight * (left + (life.executed + worked))
        life.slope = -weight
        if data.communication[job] > 0 and gpus > 1:
            life.until = attained + life.width * np.ceil(left / 2)
    else:
        while life.level < data.thresholds.size and data.thresholds[life.level] <= attained:
            life.level += 1
        life.key = life.first if life.first >= 0 else LATE + life.arrival
        if life.level < data.thresholds.size:
            life.until = data.thresholds[life.level]
