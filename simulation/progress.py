"""How work advances between events, equation (9) in its three readings."""

import numpy as np

from .jit import kernel
from .model import CONTINUOUS, FLOOR, TICKS, Model
from .queue import put
from .state import State

TICK = 1e-6
"""In continuous time jobs start at multiples of this many slots."""

TOLERANCE, RELATIVE = 1e-9, 1e-13
"""Work this close to a whole slot, plus `RELATIVE` of all that is left, counts as the whole
slot; rounding errors are far smaller. The judge decides exactly."""

HALF = 1e-8
"""Rates this close to a half are that half: floats of this size are a hundred times better."""

LONGEST, LONGEST_CONTINUOUS = 10**12, 10**7
"""Longer schedules, in slots, are refused: floats could not tell slots or ticks apart."""


@kernel
def set_factor(model: Model, state: State, job: int, factor: float, now: float) -> None:
    """Change the transfer slowdown of a running ring at time `now`."""
    run = state.runs[job]
    if run.due <= now and model.progress != TICKS:
        return
    run.remaining -= run.rate * max(now - run.since, 0.0)
    run.since = max(now, run.since)
    run.factor = factor
    set_due(model, state, job, run.fixed_s + model.jobs[job].transfer_s * factor)


@kernel
def set_due(model: Model, state: State, job: int, seconds: float) -> None:
    """Predict the end of a running job whose iterations now take `seconds` each."""
    rate = model.slot_s / seconds
    if model.progress == FLOOR:
        rate = np.floor(rate + TOLERANCE + RELATIVE * rate)
    elif model.progress == TICKS:
        rate = whole_rate(rate)
    run = state.runs[job]
    run.rate = rate
    if rate <= 0.0:
        put(state, job, np.inf)
        return
    left = run.remaining / rate
    if model.progress == TICKS:
        left = float(-(-int(run.remaining) // int(rate)))
    elif model.progress != CONTINUOUS:
        left = np.ceil(left - TOLERANCE - RELATIVE * left)
    put(state, job, min(run.since + max(left, 0.0), run.limit))


@kernel
def whole_rate(rate: float) -> float:
    """Round a rate to the nearest whole number, at least 1; halves go to the even one.

    A rate within rounding errors of a half counts as the half.
    """
    below = np.floor(rate)
    if abs(rate - below - 0.5) < HALF:
        rate = below + below % 2.0
    return float(max(1.0, np.rint(rate)))


@kernel
def next_start(model: Model, moment: float) -> float:
    """Return the first time at which a job may start, `moment` or soon after.

    In continuous time ends are rounded, so a start waits for the next tick behind them;
    the judge would otherwise see two jobs overlap by a rounding error.
    """
    if model.progress != CONTINUOUS:
        return moment
    if moment <= 0:
        return 0.0
    rounded = np.ceil(moment / TICK + 1e-3) * TICK
    while rounded < moment:
        rounded += TICK
    return float(rounded)


@kernel
def next_tick(model: Model, release: float) -> float:
    """Return the first time at which a job released at `release` may start."""
    if model.progress != CONTINUOUS:
        return release
    near = np.rint(release / TICK) * TICK
    if abs(near - release) <= 1e-15 * max(1.0, release):
        return float(max(near, release))
    return next_start(model, release)
