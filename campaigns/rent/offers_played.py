"""A long run of a plan of several offers, in which GPUs are taken away as it happens.

The plan's hours and money are means. Here jobs come at random, each works through its epochs on
the GPUs that the plan has for it, and every GPU on spot is taken away after a time that is drawn.
Then the job stands still and its GPUs are paid for, during which none is taken away.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...analysis.fleet.batch_means import mean_over_time
from ...analysis.fleet.metrics import FleetCourse, FleetMetrics, deadlines_of, fleet_metrics
from ...analysis.intervals import Interval
from ...instances import RentalPlan
from .offers import OfferedRental, OfferWay
from .path import Drawing, drawn_jobs
from .simulated import CUT, ENOUGH, mean_jct_of, plain_interval, plain_times

Floats = NDArray[np.float64]


class OfferLease(NamedTuple):
    """GPUs that a job held, in hours from the start."""

    since: float
    until: float
    gpus: int
    per_h: float
    offer: str
    taken: int
    """How often one of them was taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersPlayed:
    """What became of the jobs; intervals leave out the start, the metrics nothing."""

    metrics: FleetMetrics
    """Its GPUs are those of the instance that would have cost as much."""
    mean_jct_h: Interval | None
    spend_per_h: Interval | None
    taken: int
    """How often a GPU was taken away."""
    leases: Sequence[OfferLease]
    edges: Floats

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        return {
            **plain_times(self.metrics, self.mean_jct_h),
            "spend": self.metrics.cents / 100,
            "spend_per_h_interval": plain_interval(self.spend_per_h),
            "taken": self.taken,
        }

    def with_reserve(self, offer: str, gpus: int, price: float, reserved: float) -> Interval | None:
        """Return what GPUs of an offer cost an hour if some are paid for all the time."""
        own = [one for one in self.leases if one.offer == offer]
        if self.spend_per_h is None or not own:
            return None
        times = np.array([at for one in own for at in (one.since, one.until)])
        change = np.array([by for one in own for by in (one.gpus, -one.gpus)])
        order = np.argsort(times, kind="stable")
        beyond = np.maximum(np.cumsum(change[order])[:-1] - gpus, 0)
        since, until = times[order][:-1], times[order][1:]
        found = mean_over_time(price * beyond, since, until, self.edges)
        paid = reserved * gpus
        return replace(found, mean=found.mean + paid, low=found.low + paid, high=found.high + paid)


def play_offers(money: OfferedRental, plan: RentalPlan, drawing: Drawing) -> OffersPlayed:
    """Let jobs come and run as a plan of the instance in money says."""
    drawn, tick = drawn_jobs(money.given, drawing), Fraction(drawing.tick_s)
    rng = np.random.default_rng(drawing.seed)
    player = _Player(money, plan, float(tick / 3600), rng)
    leases, ends = [], []
    for kind, at, work in zip(drawn.kind, drawn.at, drawn.work, strict=True):
        own = list(player.play(kind, at, work))
        leases += own
        ends.append(max(at + 1, round(own[-1].until / player.tick_h)))
    price, types = money.given.price_per_gpu_h, money.given.types
    paid = Fraction(sum(one.per_h * (one.until - one.since) for one in leases)) / Fraction(price)
    course = FleetCourse(
        kinds=np.array(drawn.kind, dtype=np.int64),
        arrivals=np.array(drawn.at, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        alone=np.array([sum(work) for work in drawn.work], dtype=np.int64),
        weights=tuple(Fraction(one.weight) for one in types),
        deadlines_h=deadlines_of(types),
        tick_s=tick,
        span_s=max(ends) * tick,
        held_gpu_h=paid,
        paid_gpu_h=paid,
        price_per_gpu_h=Fraction(price),
    )
    return _measured(course, leases, player.tick_h)


def _measured(course: FleetCourse, leases: Sequence[OfferLease], tick_h: float) -> OffersPlayed:
    """Return the metrics, with intervals where jobs are enough."""
    edges, spend = CUT.edges(0, float(course.arrivals[-1]) * tick_h), None
    if len(course.kinds) >= ENOUGH:
        levels, since, until = np.array([(w.per_h, w.since, w.until) for w in leases]).T
        spend = mean_over_time(levels, since, until, edges)
    return OffersPlayed(
        metrics=fleet_metrics(course),
        mean_jct_h=mean_jct_of(course),
        spend_per_h=spend,
        taken=sum(one.taken for one in leases),
        leases=leases,
        edges=edges,
    )


class _Player:
    """Knows which ways the jobs of each type take, with which chances."""

    def __init__(
        self, money: OfferedRental, plan: RentalPlan, tick_h: float, rng: np.random.Generator
    ) -> None:
        self.tick_h, self._rng = tick_h, rng
        self._offers = {one.name: one for one in money.offers}
        self._choices = money.choices(plan)
        self._upto = [list(accumulate(one.share for one in own)) for own in self._choices]

    def play(self, kind: int, at: int, work: Sequence[int]) -> Iterator[OfferLease]:
        """Yield what a job holds, one after the other."""
        now, lot = at * self.tick_h, self._rng.random()
        number = bisect_right(self._upto[kind][:-1], lot)
        for epoch, part, way in self._choices[kind][number].steps:
            hours, taken = self._hours(way, part * work[epoch] * self.tick_h)
            yield OfferLease(now, now + hours, way.gpus, way.per_h, way.offer, taken)
            now += hours

    def _hours(self, way: OfferWay, work: float) -> tuple[float, int]:
        """Return how long some work takes, and how often a GPU is taken away meanwhile."""
        offer = self._offers[way.offer]
        often, lost = float(offer.interruptions_per_h) * way.gpus, float(offer.resume_s) / 3600
        busy = work * way.hours / (1 + often * lost)
        taken = int(self._rng.poisson(often * busy))
        return busy + taken * lost, taken
