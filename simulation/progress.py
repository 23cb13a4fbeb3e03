"""Progress of work between events, equation (9) in its three readings.

In slotted time an end is a whole number of slots, and the judge decides exactly which. So does the
engine: floating point decides if the error bound `RUN.error` allows it. Otherwise the case is a tie
if every amount of work other than a whole slot's would differ by more. The remaining cases are
decided in exact fractions (`ask`). docs/project/engine.md has the proof.
"""

import ctypes
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np

from ..instances import FluidLinks, MakespanInstance
from .heaps import next_end, put
from .jit import kernel
from .model import (
    CONTINUOUS,
    FLOOR,
    FRACTIONAL,
    INSTANCES,
    TICK,
    TICKS,
    Model,
    Parts,
    Records,
    link_widths,
    parts,
    slowdown,
)
from .state import CROSSING, RUN, State

Links = tuple[int, ...]


FEW_JOBS = 64
"""Up to here answers are kept: searches come back to the same beginning of a schedule."""


def ask(key: int, number: int, job: int, runs: int, jobs: int, crossings: int, used: int) -> float:
    """Return the whole slots that a running ring still needs or, under `floor`, its rate.

    Starts, ends and links of all rings are in the engine's state, and whole slots are exact there.
    The work of a ring can therefore be recomputed without the engine's sums. Python is slow, but
    few questions come here.

    `job` is its place in the records, `number` that in the instance. Records are given by the
    addresses `runs` and `crossings`, and the lengths `jobs` and `used`.
    """
    answer = _answer if jobs <= FEW_JOBS else _answer.__wrapped__
    return answer(key, number, job, _bytes(runs, jobs, RUN), _bytes(crossings, used, CROSSING))


def _bytes(address: int, count: int, kind: Any) -> bytes:
    return ctypes.string_at(address, count * kind.itemsize)


@lru_cache(maxsize=4096)
def _answer(key: int, number: int, job: int, runs: bytes, crossed: bytes) -> float:
    paces = _paces_of(key)
    records, crossings = np.frombuffer(runs, RUN), np.frombuffer(crossed, CROSSING)["link"]
    run = records[job]
    units, start, now = int(run["units"]), int(run["start"]), int(run["since"])
    seen = (records["crossings"] > 0) & (records["start"] <= now) & (records["end"] > start)
    rings = [_ring(records[r], crossings) for r in np.flatnonzero(seen)]
    own = _ring(run, crossings)[2]

    def rate(moment: float) -> Fraction:
        at_once = [links for begin, end, links in rings if begin <= moment < end]
        return paces.rate(number, units, own, tuple(sorted(at_once)))

    pace = rate(now)
    if paces.instance.progress == "floor":
        return float(pace)
    moments = {moment for begin, end, _ in rings for moment in (begin, end)}
    between = sorted({start, now, *(int(one) for one in moments if start < one < now)})
    done = sum((b - a) * rate(a) for a, b in pairwise(between))
    return float(ceil((paces.instance.jobs[number].iterations - done) / pace))


def _ring(run: Any, crossings: Any) -> tuple[float, float, Links]:
    """Return when a ring started and ended, and its links. A running ring never ends."""
    first, end = int(run["first"]), float(run["end"])
    links = crossings[first : first + int(run["crossings"])].tolist()
    return float(run["start"]), end, tuple(links)


@lru_cache(maxsize=16)
def _paces_of(key: int) -> "_Paces":
    return _Paces(INSTANCES[key])


class _Paces:
    """Iterations per slot (9) of the rings of an instance."""

    def __init__(self, instance: MakespanInstance) -> None:
        self.instance = instance
        self.terms: dict[tuple[int, str | None], Parts] = {}
        self.widths = link_widths(instance)
        self.rate = cache(self._rate)
        self.fair_shares = lru_cache(maxsize=256)(self._fair_shares)

    def _rate(self, number: int, units: int, own: Links, rings: tuple[Links, ...]) -> Fraction:
        """Return the rate of the ring on the links `own`, which is among the `rings`."""
        one = self.instance
        gpu, job = one.cluster.servers[min(own)].gpu, one.jobs[number]
        if (number, gpu) not in self.terms:
            self.terms[number, gpu] = parts(one, job, job.speed_on(gpu) or Decimal(1))
        terms = self.terms[number, gpu]
        fixed = terms.spread_s + units * Fraction(one.overhead_s)
        seconds = fixed + terms.transfer_s * self._slowdown(own, rings)
        rate = Fraction(one.slot_s) / seconds
        return Fraction(floor(rate)) if one.progress == "floor" else rate

    def _slowdown(self, own: Links, rings: tuple[Links, ...]) -> Fraction:
        model = self.instance.contention
        if isinstance(model, FluidLinks):
            return 1 / self.fair_shares(rings)[own]
        share, degradation = Fraction(model.share), Fraction(model.degradation)
        return max(
            slowdown(share, degradation, sum(link in links for links in rings)) / self.widths[link]
            for link in own
        )

    def _fair_shares(self, rings: tuple[Links, ...]) -> dict[Links, Fraction]:
        """Fill the tightest link, then the next, until all rings have their share."""
        rings_on = Counter(rings)
        load = Counter(link for links in rings for link in links)
        left = {link: self.widths[link] for link in load}
        shares: dict[Links, Fraction] = {}
        while len(shares) < len(rings_on):
            level, tightest = min((left[k] / n, k) for k, n in load.items() if n)
            for links in rings_on.keys() - shares.keys():
                if tightest in links:
                    shares[links] = level
                    for link in links:
                        left[link] -= level * rings_on[links]
                        load[link] -= rings_on[links]
        return shares


LATER = 1e-12
"""In continuous time an end may be later than the engine says by this part of it."""

ROUNDING, MORE = 24 * 2.0**-53, 2 * 2.0**-53
"""Bound on the error of the work left as a part of all work of the job, if its pace never changes,
and the addition for each change."""

SAME = 1e-13
"""Fair shares of links that differ by less than this part are taken to be the same."""

HALF = 1e-8
"""Rates this close to a half are that half: floats of this size are a hundred times better."""


@kernel
def set_factor(model: Model, state: State, job: int, factor: float, now: float) -> None:
    """Change the transfer slowdown of a running ring at time `now`."""
    run = state.runs[job]
    if run.due <= now and model.progress != TICKS:
        return
    if now > run.since:
        run.remaining -= run.rate * (now - run.since)
        run.since = now
        run.error += MORE
        run.denominator *= model.jobs[job].denominator
    run.factor = factor
    set_due(model, state, job, run.fixed_s + model.jobs[job].transfer_s * factor)


@kernel
def set_due(model: Model, state: State, job: int, seconds: float) -> None:
    """Predict the end of a running job whose iterations now take `seconds` each."""
    rate = model.slot_s / seconds
    if model.progress == FLOOR:
        rate = min(_whole_iterations(model, state, job, rate), model.jobs[job].iterations)
    elif model.progress == TICKS:
        rate = whole_rate(rate)
    run = state.runs[job]
    run.rate = rate
    if rate <= 0.0:
        put(state, job, np.inf)
        return
    left = run.remaining / rate
    if model.progress == FRACTIONAL:
        left = _whole_slots(model, state, job, left)
    elif model.progress != CONTINUOUS:
        left = float(-(-int(run.remaining) // int(rate)))
    put(state, job, min(run.since + max(left, 0.0), run.limit))


@kernel
def in_doubt(run: Records) -> bool:
    """Return True if rounding could have decided when a ring is due."""
    return bool(run.error + run.shared >= run.margin)


@kernel
def _whole_slots(model: Model, state: State, job: int, left: float) -> float:
    """Return the whole slots that a job needs for the rest of its work."""
    run, fixed = state.runs[job], model.jobs[job]
    whole = np.rint(left)
    gap, error = abs(left - whole) * run.rate, (run.error + run.shared) * fixed.iterations
    run.margin = min(gap / fixed.iterations, 1.0)
    if not in_doubt(run):
        return float(np.ceil(left))
    if (gap + error) * run.denominator * fixed.denominator < 1.0:
        return float(whole)
    return _ask(model, state, job)


@kernel
def _whole_iterations(model: Model, state: State, job: int, rate: float) -> float:
    """Return the whole iterations that a job does in a slot."""
    run, whole = state.runs[job], np.rint(rate)
    gap, error = abs(rate - whole), (run.error + run.shared) * rate
    run.margin = min(gap / rate, 1.0)
    if not in_doubt(run):
        return float(np.floor(rate))
    if (gap + error) * model.jobs[job].denominator < 1.0:
        return float(whole)
    return _ask(model, state, job)


@kernel
def _ask(model: Model, state: State, job: int) -> float:
    """Compute the whole slots left, or the whole iterations per slot, in exact fractions."""
    runs, crossings = state.runs.ctypes.data, state.crossings.ctypes.data
    jobs, used = state.runs.size, state.counters[0].used
    return _asked(model.key, model.jobs[job].number, job, runs, jobs, crossings, used)


_asked = kernel(ask, asks=True)


@kernel
def earliest_end(model: Model, state: State, job: int, now: float) -> float:
    """Return a slot before which a running ring does not end, whatever it shares links with."""
    run, fixed = state.runs[job], model.jobs[job]
    if run.due <= now:
        return float(run.due)
    rate = model.slot_s / (run.fixed_s + fixed.transfer_s) * (1.0 + ROUNDING)
    if model.progress == FLOOR:
        rate = np.floor(rate)
    left = run.remaining - run.rate * (now - run.since)
    left = max(0.0, left - (run.error + run.shared) * fixed.iterations)
    return float(now + np.ceil(left / rate))


@kernel
def whole_rate(rate: float) -> float:
    """Round a rate to the nearest whole number, at least 1, halves to even.

    A rate within rounding errors of a half is treated as the half.
    """
    below = np.floor(rate)
    if abs(rate - below - 0.5) < HALF:
        rate = below + below % 2.0
    return float(max(1.0, np.rint(rate)))


@kernel
def next_start(model: Model, moment: float) -> float:
    """Return the first time at which a job may start, `moment` or soon after.

    In continuous time ends are rounded, so a start waits for the next tick behind them. Otherwise
    the judge would see two jobs overlap by a rounding error.
    """
    if model.progress != CONTINUOUS:
        return moment
    if moment <= 0:
        return 0.0
    rounded = np.ceil(moment * (1.0 + LATER) / TICK + 1e-3) * TICK
    while rounded < moment:
        rounded += TICK
    return float(rounded)


@kernel
def next_free(model: Model, state: State) -> float:
    """Return when the GPUs of the running job that is due first may be taken."""
    return next_start(model, next_end(state))


@kernel
def next_tick(model: Model, release: float) -> float:
    """Return the first time at which a job released at `release` may start."""
    if model.progress != CONTINUOUS:
        return release
    near = np.rint(release / TICK) * TICK
    if abs(near - release) <= 1e-15 * max(1.0, release):
        return float(max(near, release))
    return next_start(model, release)
