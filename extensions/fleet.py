"""User-defined policies for `fleet`: the GPUs of each job, at every event.

A policy gives ``{job: gpus}``. Its GPUs are rented, and dropped GPUs are given back. It has a
`target` of GPUs on average, which is lowered until the spend keeps to the budget.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..instances import FleetInstance, JobType, Outcome
from ..policies.fleet.within import serve
from ..policies.request import Request
from ..simulation.fleet.stream import MILLI
from ..simulation.fleet.views import FleetDecision, FleetSetting, FleetView
from .calling import Call

HELD = "{job: gpus}"

POLICY = {
    "jobs": "unfinished jobs that have arrived, in order of arrival: see `FleetJobView`",
    "now": "the tick",
    "rented": "GPUs that are paid for",
    "target": "GPUs that it may use on average, at most the budget's",
}
"""Further parameters of a policy."""

TRAITS: dict[str, Any] = {"every": 0}
"""Ticks after which it is called even without an event. 0: never."""


CLASSES = True
"""True if a class is a policy."""

SKELETON = '''
@policy("fleet")
def NAME(jobs, target):
    """Jobs in order of arrival, each on its requested GPUs, while any are left."""
    left = target
    for job in jobs:
        gpus = min(job.type.asks, int(left))
        if gpus:
            yield job, gpus
            left -= gpus
'''


class FleetJobView(NamedTuple):
    """A job as a policy sees it, without its length."""

    number: int
    type: JobType
    epoch: int
    gpus: float
    """GPUs that it holds now."""
    attained: float
    """GPU-ticks that it has held."""
    started: bool


def run_policy(
    instance: FleetInstance, request: Request[Any], call: Call, seen: dict[str, Any]
) -> Outcome:
    """Run a policy with the largest target that keeps to the budget."""
    traits = {**TRAITS, **call.traits}

    def make(target: Fraction) -> Any:
        if call.is_class:
            return call({}, request.options)
        return _Asked(call, {**seen, "target": float(target)}, request.options, traits["every"])

    return serve(instance, request, call.label, make)


class _Asked:
    """A decider that calls a function."""

    until = 0

    def __init__(self, call: Call, seen: Mapping[str, Any], options: Any, every: int) -> None:
        self._call, self._seen, self._options, self.interval = call, seen, options, every

    def begin(self, setting: FleetSetting) -> None:
        """Store the job types."""
        self._types, self._whole = setting.types, setting.whole

    def decide(self, view: FleetView) -> FleetDecision:
        """Return the GPUs of each job."""
        jobs = [
            FleetJobView(
                number=int(view.jobs[i]),
                type=self._types[int(view.kind[i])],
                epoch=int(view.epoch[i]),
                gpus=int(view.milli[i]) / MILLI,
                attained=int(view.attained[i]) / MILLI,
                started=bool(view.started[i]),
            )
            for i in range(len(view.jobs))
        ]
        seen = {**self._seen, "jobs": jobs, "now": view.now, "rented": view.rented / MILLI}
        milli = np.zeros(len(jobs), np.int64)
        places = {job.number: place for place, job in enumerate(jobs)}
        for job, gpus in self._call.pairs(self._call(seen, self._options), HELD):
            place = places.get(getattr(job, "number", job))
            if place is None:
                raise self._call.error(job, "an unfinished job that has arrived")
            number = isinstance(gpus, int | float | np.number) and gpus >= 0
            if not number or (self._whole and gpus % 1) or gpus > 1e9:
                whole = "a whole number of" if self._whole else "a number of"
                raise self._call.error(gpus, f"{whole} GPUs for job {getattr(job, 'number', job)}")
            milli[place] = round(float(gpus) * MILLI)
        held = int(milli.sum())
        usable = view.usable(held)
        if held > usable:  # GPUs under way are not available yet: the last jobs wait for them.
            for place in range(len(milli) - 1, -1, -1):
                if milli.sum() <= usable:
                    break
                milli[place] = 0
        return FleetDecision(milli=milli, rent=held, still=0)
