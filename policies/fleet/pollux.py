"""After Pollux: in rounds GPUs go where they add most speed, to a cluster that is used efficiently.

In every round each GPU goes to the job whose slowness, 1 / s(k), it lowers most: that is the power
mean with exponent -1 which Pollux maximises, without placement. The cluster is as large as it can
be with the jobs' speed-ups adding up to a given part of its GPUs, the rule by which Pollux scales a
cloud's cluster. Speed-ups are known, lengths are not.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Annotated

import numpy as np

from ...instances import FleetInstance, Outcome
from ...instances.reading.vocabulary import Count, Positive
from ...simulation.fleet import MILLI, NEVER, FleetDecision, FleetSetting, FleetView
from ...simulation.fleet.speeds import UNITS, rate
from ...simulation.model import Floats, Ints
from ..request import Request
from .within import serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Rounds and the widest job."""

    interval_s: Annotated[Positive, "seconds between rounds"] = Decimal(60)
    most_gpus: Annotated[Count, "GPUs of a job, at most"] = 64


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
        self._rent = 0

    def begin(self, setting: FleetSetting) -> None:
        """Make room for what every further GPU adds, by type and epoch."""
        self._types = setting.types
        epochs = max(len(one.epochs) for one in setting.types)
        self._speed = np.ones((len(setting.types), epochs, self._most + 1))
        self._known = np.zeros(len(setting.types), bool)

    def decide(self, view: FleetView) -> FleetDecision:
        """Share out anew at the start of a round; until then all stays as it is."""
        if not view.jobs.size:
            self._rent = 0
        elif view.now % self.interval == 0 or not self._rent:
            speeds, before = self._speeds(view), self._rent
            self._rent = MILLI * self._size(speeds)
            milli = self._shared(speeds, view.usable(self._rent))
            same = self._rent == before and np.array_equal(milli, view.milli)
            return FleetDecision(milli=milli, rent=self._rent, still=NEVER if same else 0)
        return FleetDecision(milli=view.milli, rent=self._rent)

    def _speeds(self, view: FleetView) -> Floats:
        """Return the speeds of the jobs; those of a type are computed when it is first seen.

        For many types at once that takes long, and between decisions the clock is looked at.
        """
        for i in np.unique(view.kind[~self._known[view.kind]]).tolist():
            for e, epoch in enumerate(self._types[i].epochs):
                for k in range(1, self._most + 1):
                    self._speed[i, e, k] = rate(epoch.speedup, k * MILLI) / UNITS
            self._known[i] = True
        found: Floats = self._speed[view.kind, view.epoch]
        return found

    def _size(self, speeds: Floats) -> int:
        """Return the largest number of GPUs at which the jobs are efficient enough."""
        jobs, order = len(speeds), _order(speeds)
        total = jobs + np.cumsum(np.diff(speeds[:, 1:], axis=1).ravel()[order])
        enough = np.flatnonzero(total >= self._efficiency * (jobs + 1 + np.arange(len(order))))
        return jobs + (int(enough[-1]) + 1 if enough.size else 0)

    def _shared(self, speeds: Floats, usable: int) -> Ints:
        """Give out the GPUs that are usable; the first jobs to come have one each at least."""
        jobs, gpus = len(speeds), usable // MILLI
        held = np.zeros(jobs, np.int64)
        held[:gpus] = MILLI
        if gpus > jobs:
            more = _order(speeds)[: gpus - jobs] // (self._most - 1)
            held += MILLI * np.bincount(more, minlength=jobs)
        return held


def _order(speeds: Floats) -> Ints:
    """Return the second, third, .. GPUs of all jobs in the order in which they are given out."""
    gains = -np.diff(1 / speeds[:, 1:], axis=1)
    return np.argsort(-np.minimum.accumulate(gains, axis=1), axis=None, kind="stable")
