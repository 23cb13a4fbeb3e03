"""A cluster of fixed size under 2D-LAS: those that had little service come first.

As in Tiresias with two queues: a job that has had more GPU-seconds than the threshold falls into
the second; within a queue the first to come is the first served, and may be overtaken by those
that fit. Service is looked at whenever something happens, and in intervals.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Annotated

import numpy as np

from ...instances import FleetInstance, Outcome
from ...instances.reading.vocabulary import Positive
from ...simulation.fleet import MILLI, NEVER, FleetView
from ...simulation.model import Ints
from ..request import Request
from .static import Static, in_order, serve_static


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """When a job falls behind."""

    threshold_gpu_s: Annotated[Positive, "GPU-seconds of a job of the first queue"] = Decimal(3200)
    interval_s: Annotated[Positive, "seconds between two looks at the service"] = Decimal(60)


def run(instance: FleetInstance, request: Request[Options]) -> Outcome:
    """Return the log for the largest cluster that the budget is enough for."""
    return serve_static(
        instance, request, "static-las", lambda target: _Las(instance, target, request.options)
    )


class _Las(Static):
    def __init__(self, instance: FleetInstance, target: Fraction, options: Options) -> None:
        super().__init__(instance, target)
        tick = Fraction(instance.tick_s)
        self.interval = max(1, round(Fraction(options.interval_s) / tick))
        self._threshold = min(ceil(Fraction(options.threshold_gpu_s) / tick * MILLI), NEVER)

    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Let those run that come first and fit."""
        order = np.argsort(view.attained >= self._threshold, kind="stable")
        return in_order(self.asks[view.kind], order, usable, overtaking=True)

    def still(self, view: FleetView, milli: Ints) -> int:
        """Return when the first job falls behind."""
        left = self._threshold - view.attained
        served = (left > 0) & (milli > 0)
        ticks = -(-left[served] // milli[served])
        return view.now + int(ticks.min()) if ticks.size else NEVER
