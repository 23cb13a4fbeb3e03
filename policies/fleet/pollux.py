"""Pollux-like rounds: GPUs go where they add most speed, in a cluster that is used efficiently.

In every round each GPU goes to the job whose slowness, 1 / s(k), it lowers most. This is the power
mean with exponent -1 that Pollux maximises, without placement. The cluster is as large as possible
while the jobs' speed-ups add up to a given fraction of its GPUs, Pollux's scaling rule for cloud
clusters. Speed-ups are known, lengths are not.

If jobs pause when their GPUs change, a restarted job is weighted as slower, as in Pollux: by (age -
moves * stall) / (age + stall). It moves only if all jobs together gain.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ...instances import FleetInstance, Outcome
from ...instances.reading.vocabulary import Count, Positive
from ...simulation.fleet import MILLI, NEVER, FleetDecision, FleetSetting, FleetView
from ...simulation.fleet.stream import UNITS, rate
from ...simulation.model import Floats, Ints
from ..request import Request
from .within import serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Rounds and the widest job."""

    interval_s: Annotated[Positive, "seconds between rounds"] = Decimal(60)
    most_gpus: Annotated[Count, "most GPUs of a job"] = 64
    moves: Annotated[
        Literal["counted", "free"],
        "counted: a job moves only if that is worth its stall, free: stalls are ignored",
    ] = "counted"
    known: Annotated[
        Literal["epoch", "first"],
        "assumed goodput. epoch: from the job's current epoch, first: from its first epoch, as "
        "if the gradient noise were measured only once",
    ] = "epoch"


def run(instance: FleetInstance, request: Request[Options]) -> Outcome:
    """Return the log for the least efficiency, from 0 to 1, that the budget is enough for."""
    chosen, budget = request.options, Fraction(instance.budget_gpus)
    halves = (chosen.most_gpus >> k for k in range(1, chosen.most_gpus.bit_length()))
    return serve(
        instance,
        request,
        "pollux",
        lambda target: _Pollux(instance, chosen, target / budget),
        (
            (f"most_gpus={most}", partial(_Pollux, instance, replace(chosen, most_gpus=most)))
            for most in halves
        ),
    )


class _Pollux:
    until = 0

    def __init__(
        self, instance: FleetInstance, options: Options, waste: Fraction = Fraction(0)
    ) -> None:
        tick = Fraction(instance.tick_s)
        self.interval = max(1, round(Fraction(options.interval_s) / tick))
        self._most, self._efficiency = options.most_gpus, 1 - float(waste)
        self._rent, self._options = 0, options
        self._born = np.zeros(0, np.int64)
        self._moves = np.zeros(0, np.int64)

    def begin(self, setting: FleetSetting) -> None:
        """Allocate the gains of further GPUs, by type and epoch."""
        self._types = setting.types
        epochs = max(len(one.epochs) for one in setting.types)
        self._speed = np.ones((len(setting.types), epochs, self._most + 1))
        self._known = np.zeros(len(setting.types), bool)

    def decide(self, view: FleetView) -> FleetDecision:
        """Reallocate GPUs at the start of a round, and keep all allocations until then."""
        self._meet(view)
        if not view.jobs.size:
            self._rent = 0
        elif view.now % self.interval == 0 or not self._rent:
            speeds, before = self._speeds(view), self._rent
            self._rent = MILLI * self._size(speeds)
            milli = self._shared(speeds, view)
            moved = view.jobs[view.started & (milli > 0) & (milli != view.milli)]
            self._moves[moved] += 1
            same = self._rent == before and np.array_equal(milli, view.milli)
            same &= not self._counts(view)  # Old jobs may move eventually.
            return FleetDecision(milli=milli, rent=self._rent, still=NEVER if same else 0)
        return FleetDecision(milli=view.milli, rent=self._rent)

    def _counts(self, view: FleetView) -> bool:
        """Return True if moves cost something and the cost is counted."""
        return bool(view.terms.rescale) and self._options.moves == "counted"

    def _meet(self, view: FleetView) -> None:
        """Record the first sight of jobs, numbered in order of arrival."""
        new = int(view.jobs.max(initial=-1)) + 1 - len(self._born)
        if new > 0:
            self._born = np.concatenate([self._born, np.full(new, view.now)])
            self._moves = np.concatenate([self._moves, np.zeros(new, np.int64)])

    def _speeds(self, view: FleetView) -> Floats:
        """Return the speeds of the jobs. A type is computed when it is first seen.

        Computing many types at once is slow. The clock is checked between decisions.
        """
        for i in np.unique(view.kind[~self._known[view.kind]]).tolist():
            for e, epoch in enumerate(self._types[i].epochs):
                for k in range(1, self._most + 1):
                    self._speed[i, e, k] = rate(epoch.speedup, k * MILLI) / UNITS
            self._known[i] = True
        epoch = view.epoch if self._options.known == "epoch" else 0
        found: Floats = self._speed[view.kind, epoch]
        return found

    def _size(self, speeds: Floats) -> int:
        """Return the largest number of GPUs at which the jobs are efficient enough."""
        jobs, order = len(speeds), _order(speeds)
        total = jobs + np.cumsum(np.diff(speeds[:, 1:], axis=1).ravel()[order])
        enough = np.flatnonzero(total >= self._efficiency * (jobs + 1 + np.arange(len(order))))
        return jobs + (int(enough[-1]) + 1 if enough.size else 0)

    def _shared(self, speeds: Floats, view: FleetView) -> Ints:
        """Allocate the usable GPUs, at least one to each of the earliest jobs."""
        gpus = view.usable(self._rent) // MILLI
        held, price = _given_out(speeds, gpus)
        if self._counts(view):
            stay = self._stays(speeds, view, held, price)
            width = view.milli // MILLI
            left = gpus - int(width[stay].sum())
            if left >= np.count_nonzero(~stay):
                held[stay] = width[stay]
                held[~stay] = _given_out(speeds[~stay], left)[0]
        return held * MILLI

    def _stays(
        self, speeds: Floats, view: FleetView, held: Ints, price: float
    ) -> NDArray[np.bool_]:
        """Return the jobs whose slowness, plus priced GPUs, is less if they stay."""
        age, stall = view.now - self._born[view.jobs], view.terms.rescale
        worth = np.maximum(age - self._moves[view.jobs] * stall, 0) / (age + stall)
        each, now = np.arange(len(held)), view.milli // MILLI
        with np.errstate(divide="ignore"):
            anew = 1 / (speeds[each, held] * worth) + price * held
            same = 1 / speeds[each, now] + price * now
        found: NDArray[np.bool_] = (now > 0) & (held > 0) & (same <= anew)
        return found


def _given_out(speeds: Floats, gpus: int) -> tuple[Ints, float]:
    """Return the GPUs that each job gets, and by how much the last one lowers slowness."""
    jobs, most = len(speeds), speeds.shape[1] - 1
    held = np.zeros(jobs, np.int64)
    held[:gpus] = 1
    if gpus <= jobs or most < 2:
        return held, 0.0
    order, gains = _order(speeds), _gains(speeds).ravel()
    more = order[: gpus - jobs]
    held += np.bincount(more // (most - 1), minlength=jobs)
    return held, float(gains[more[-1]]) if len(more) else 0.0


def _gains(speeds: Floats) -> Floats:
    """Return by how much the second, third, .. GPU of each job lowers its slowness, at least."""
    found: Floats = np.minimum.accumulate(-np.diff(1 / speeds[:, 1:], axis=1), axis=1)
    return found


def _order(speeds: Floats) -> Ints:
    """Return the second, third, .. GPUs of all jobs in the order in which they are given out."""
    return np.argsort(-_gains(speeds), axis=None, kind="stable")
