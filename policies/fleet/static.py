"""Schedulers of a cluster of fixed size, rented from first to last or while jobs are there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Annotated, Any

import numpy as np

from ...instances import FleetInstance, Outcome
from ...instances.reading.vocabulary import Positive
from ...instances.speedup import MOST_GPUS
from ...simulation.fleet.pool import NEVER
from ...simulation.fleet.stream import MILLI
from ...simulation.fleet.views import FleetDecision, FleetSetting, FleetView
from ...simulation.model import Ints
from ..request import NoOptions, Request, Scheduler
from .within import serve


class Static:
    """A cluster of at least these thousandths of GPUs for the whole span."""

    interval = 0

    def __init__(self, instance: FleetInstance, target: Fraction) -> None:
        """Rent the GPUs that `target` allows."""
        least = 1 if instance.widths == "whole" else Fraction(1, MILLI)
        unit = Fraction(instance.node_gpus or least)
        self.size = int(target // unit * unit * MILLI)
        self.until = -int(-Fraction(instance.span_s) / Fraction(instance.tick_s) // 1)

    def begin(self, setting: FleetSetting) -> None:
        """Record the GPUs that jobs request, limited by the cluster and by each job."""
        most = min(self.size // MILLI, MOST_GPUS)
        self.asks = MILLI * np.array([min(one.asks, most) for one in setting.types], np.int64)
        self.whole = setting.whole

    def decide(self, view: FleetView) -> FleetDecision:
        """Return the allocation from now on. The cluster does not change."""
        milli = self.share_out(view, view.usable(self.size))
        return FleetDecision(milli=milli, rent=self.size, still=self.still(view, milli))

    def still(self, view: FleetView, milli: Ints) -> int:
        """Return the tick until which the decision stays the same."""
        return NEVER

    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Return the GPUs of each job."""
        raise NotImplementedError


def static(
    name: str,
    make: Callable[[FleetInstance, Fraction, Any], Static],
    options: type[Any] = NoOptions,
) -> Scheduler:
    """Return the method that makes the largest such cluster that the budget is enough for."""

    def run(instance: FleetInstance, request: Request[Any]) -> Outcome:
        def at_least_a_gpu(target: Fraction) -> Static | None:
            made = make(instance, target, request.options)
            return made if made.size >= MILLI else None

        return serve(instance, request, name, at_least_a_gpu)

    return Scheduler(run=run, Options=options)


def in_order(wants: Ints, order: Ints, free: int, *, overtaking: bool) -> Ints:
    """Allocate requests in order. Skip a job that does not fit, or all jobs behind it."""
    held = np.zeros_like(wants)
    if not overtaking:
        fits = np.cumsum(wants[order]) <= free
        held[order[fits]] = wants[order[fits]]
        return held
    for place in order.tolist():
        if wants[place] <= free:
            held[place] = wants[place]
            free -= int(wants[place])
        if free < MILLI:
            break
    return held


class _Fifo(Static):
    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Run the longest prefix of jobs that fits together. No job overtakes."""
        wants = self.asks[view.kind]
        return in_order(wants, np.arange(len(wants)), usable, overtaking=False)


STATIC_FIFO = static("static-fifo", lambda instance, target, _: _Fifo(instance, target))


class _FairShares(Static):
    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Allocate all GPUs. If jobs outnumber GPUs, the earliest jobs get one each."""
        jobs, unit = len(view.jobs), MILLI if self.whole else 1
        held = np.zeros(jobs, np.int64)
        served = min(jobs, usable // MILLI)
        if served:
            each, more = divmod(usable // unit, served)
            held[:served] = each * unit
            held[:more] += unit
        return np.minimum(held, MILLI * MOST_GPUS)


STATIC_FAIR = static("static-fair", lambda instance, target, _: _FairShares(instance, target))


@dataclass(frozen=True, slots=True, kw_only=True)
class LasOptions:
    """When a job falls behind."""

    threshold_gpu_s: Annotated[Positive, "GPU-seconds of a job of the first queue"] = Decimal(3200)
    interval_s: Annotated[Positive, "seconds between two checks of the service"] = Decimal(60)


class _Las(Static):
    """2D-LAS as in Tiresias with two queues: jobs with little service come first.

    A job with more GPU-seconds than the threshold moves to the second queue. Within a queue the
    earliest job is first, and jobs that fit may overtake it. Service is checked at events and at
    intervals.
    """

    def __init__(self, instance: FleetInstance, target: Fraction, options: LasOptions) -> None:
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


STATIC_LAS = static("static-las", _Las, LasOptions)


class InTurn(Static):
    """Jobs in order of arrival, each on `width` GPUs, without overtaking."""

    def __init__(
        self, instance: FleetInstance, target: Fraction, width: int, first: int = 0
    ) -> None:
        """Rent nodes only for jobs that have arrived, and never before tick `first`."""
        super().__init__(instance, target)
        self.until, self._width, self._first = 0, width * MILLI, first

    def begin(self, setting: FleetSetting) -> None:
        """Do nothing: user requests are ignored."""

    def decide(self, view: FleetView) -> FleetDecision:
        """Give the cluster back when no job is left."""
        if view.jobs.size and view.now >= self._first:
            return super().decide(view)
        return FleetDecision(milli=view.milli, rent=0)

    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Let the first jobs run that fit together."""
        wants = np.full(len(view.jobs), self._width)
        return in_order(wants, np.arange(len(wants)), usable, overtaking=False)


def clusters(instance: FleetInstance) -> Iterator[tuple[str, Callable[[], InTurn]]]:
    """Yield such clusters of up to eight nodes, the largest first, with wide and narrow jobs.

    The last of them waits until all jobs are there: then no GPU idles between two of them.
    """
    node = instance.node_gpus or 1
    for size in (8 * node, 4 * node, 2 * node, node):
        for width in sorted({size, 1}, reverse=True):
            made = partial(InTurn, instance, Fraction(size), width)
            yield f"in turn on {width} of {size} GPUs", made
    arrivals = (Fraction(job.arrival_s) / Fraction(instance.tick_s) for job in instance.jobs)
    last = ceil(max(arrivals))
    yield (
        f"in turn on {node} GPUs in total",
        partial(InTurn, instance, Fraction(node), 1, last),
    )
