"""The choice among offers of GPUs to rent for jobs, and its simulation in a long run.

On k GPUs of an offer, an hour of a job's work takes (1 + i k r) / (v s(k)) hours: v is the offer's
speed, i the interruptions of a GPU per hour, and r the hours per interruption, including lost work.
GPUs are paid for during interruptions. An offer and a number of GPUs form an option, with hours and
money per hour of work. The best plan mixes corners of the lower convex hull of all options, at one
price of money for all jobs. This is the program of `rental` with money per hour in place of GPUs.
The converted instance is solved, judged and bounded as usual.

The number of GPUs to reserve, with the remaining GPUs on demand, is a newsvendor problem. Under a
plan of widths no job waits. With Poisson arrivals, the numbers of jobs on each width are
independent Poisson numbers for any law of their work. The GPUs in use are a sum of Poisson numbers
times widths, and Panjer's recursion computes its law. A GPU is worth reserving if its share of time
in use exceeds its reserved price over its on-demand price.

The plan's hours and money are means. In the simulation, jobs arrive at random, and each completes
its epochs on the GPUs of the plan. Every spot GPU is interrupted after a random time. The job then
pauses with its GPUs paid, and no further interruption occurs meanwhile.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from math import sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...analysis.fleet import FleetCourse, FleetMetrics, deadlines_of, fleet_metrics, mean_over_time
from ...analysis.intervals import Interval
from ...instances import Choice, Epoch, RentalInstance, RentalPlan, SpeedPoint, SpeedTable, Speedup
from ...instances.draw import exact
from ...instances.reading.vocabulary import Amount, Label, Positive
from ...instances.speedup import speed_at
from ...policies.rental.dual import corners_of
from .long_run import CUT, ENOUGH, Drawing, drawn_jobs, mean_jct_of, plain_interval, plain_times

MOST = 256
"""Maximum number of GPUs of a job, which is an integer."""

DIGITS = 12
"""Decimals of the speeds of the instance in money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuOffer:
    """GPUs of one kind on one sort of terms."""

    name: Annotated[Label, "unique name"] = "spot"
    price_per_gpu_h: Annotated[Positive, "price of one GPU per hour"] = Decimal(1)
    speed: Annotated[Positive, "speed relative to the instance's GPUs"] = Decimal(1)
    interruptions_per_h: Annotated[Amount, "mean interruptions of one GPU per hour"] = Decimal(0)
    resume_s: Annotated[Amount, "seconds that a job loses per interruption, lost work included"] = (
        Decimal(300)
    )


class OfferOption(NamedTuple):
    """GPUs of an offer for a job: cost per hour, and hours per hour of work."""

    offer: str
    gpus: int
    per_h: float
    hours: float


class OfferShare(NamedTuple):
    """The share of an epoch's work on an option, with its mean number of jobs."""

    type: str
    epoch: int
    part: float
    option: OfferOption
    jobs: float


class OfferStep(NamedTuple):
    """The part of an epoch's work that a job does by an option."""

    epoch: int
    part: float
    option: OfferOption


class OfferChoice(NamedTuple):
    """The share of the jobs of a type that uses a sequence of steps."""

    share: float
    steps: Sequence[OfferStep]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRental:
    """The instance in money, and the options behind its tables, by type and epoch."""

    instance: RentalInstance
    given: RentalInstance
    options: Sequence[Sequence[Sequence[OfferOption]]]
    offers: Sequence[GpuOffer]

    def choices(self, plan: RentalPlan) -> list[list[OfferChoice]]:
        """Return the choices of jobs, by type, under a plan of the instance in money."""
        plans = {one.type: one.choices for one in plan.types}
        return [
            [
                OfferChoice(float(choice.share), list(self._steps(i, choice)))
                for choice in plans[one.name]
            ]
            for i, one in enumerate(self.given.types)
        ]

    def shares(self, plan: RentalPlan) -> Iterator[OfferShare]:
        """Yield the shares of work of a plan of the instance in money."""
        for one, choices in zip(self.given.types, self.choices(plan), strict=True):
            parts: dict[tuple[int, OfferOption], float] = {}
            for choice in choices:
                for epoch, part, option in choice.steps:
                    parts[epoch, option] = parts.get((epoch, option), 0.0) + choice.share * part
            for (epoch, option), part in sorted(parts.items()):
                load = float(one.rate_per_h * one.epochs[epoch].work_h)
                yield OfferShare(one.name, epoch, part, option, load * part * option.hours)

    def _steps(self, type_: int, choice: Choice) -> Iterator[OfferStep]:
        unit = float(self.instance.price_per_gpu_h)
        for stretch in choice.stretches:
            for option, part in _mixed(
                self.options[type_][stretch.epoch], unit * float(stretch.gpus)
            ):
                yield OfferStep(stretch.epoch, float(stretch.part) * part, option)


def offered(given: RentalInstance, offers: Sequence[GpuOffer]) -> OfferedRental:
    """Return the instance in money for some offers, with the smallest job payment as its unit."""
    options = [[_corners(epoch.speedup, offers) for epoch in one.epochs] for one in given.types]
    unit = exact(min(own[0].per_h for epochs in options for own in epochs), DIGITS)
    types = tuple(
        replace(
            one,
            epochs=tuple(_epoch(e, own, unit) for e, own in zip(one.epochs, epochs, strict=True)),
        )
        for one, epochs in zip(given.types, options, strict=True)
    )
    made = replace(
        given,
        types=types,
        widths="any",
        budget_gpus=given.budget_gpus * given.price_per_gpu_h / unit,
        price_per_gpu_h=unit,
    )
    return OfferedRental(instance=made, given=given, options=options, offers=offers)


def _corners(speedup: Speedup, offers: Sequence[GpuOffer]) -> list[OfferOption]:
    """Return the options at the corners of the hull, from the cheapest to the fastest."""
    found: list[OfferOption] = []
    ordered = sorted(_options(speedup, offers), key=lambda one: (one.per_h, one.hours))
    for option in ordered:
        if not found or option.hours < found[-1].hours:
            found.append(option)
    rates, speeds = np.array([[option.per_h, 1 / option.hours] for option in found]).T
    corners, _ = corners_of(rates[None] / rates[0], speeds[None] / speeds[0], whole=False)
    kept = np.searchsorted(rates / rates[0], corners[0])
    return [found[place] for place in sorted(set(kept.tolist()))]


def _options(speedup: Speedup, offers: Sequence[GpuOffer]) -> Iterator[OfferOption]:
    speeds = [float(speed_at(speedup, Decimal(gpus))) for gpus in range(1, MOST + 1)]
    for one in offers:
        taken = float(one.interruptions_per_h * one.resume_s) / 3600
        for gpus, speed in enumerate(speeds, 1):
            hours = (1 + taken * gpus) / (float(one.speed) * speed)
            yield OfferOption(one.name, gpus, float(one.price_per_gpu_h) * gpus, hours)


def _epoch(epoch: Epoch, options: Sequence[OfferOption], unit: Decimal) -> Epoch:
    """Return an epoch in units of money. A job that pays less than its cheapest option idles."""
    pays = [Decimal(repr(option.per_h)) / unit for option in options]
    slow = options[0].hours * float(max(pays[0], Decimal(1)))
    points = [SpeedPoint(gpus=Decimal(1), speed=Decimal(1))]
    for paid, option in zip(pays, options, strict=True):
        if paid > 1:
            points.append(SpeedPoint(gpus=paid, speed=exact(slow / option.hours, DIGITS)))
    work = exact(float(epoch.work_h) * slow, DIGITS)
    return replace(epoch, work_h=work, speedup=SpeedTable(points=tuple(points)))


def _mixed(options: Sequence[OfferOption], per_h: float) -> Iterator[tuple[OfferOption, float]]:
    """Yield the options that together cost so much an hour, with their parts of the work."""
    if per_h <= options[0].per_h or len(options) == 1:
        yield options[0], 1.0
        return
    for one, other in pairwise(options):
        if per_h <= other.per_h:
            past = (per_h - one.per_h) / (other.per_h - one.per_h)
            hours = 1 / ((1 - past) / one.hours + past / other.hours)
            part = (one.hours - hours) / (one.hours - other.hours)
            if part < 1 - 1e-9:
                yield one, 1 - part
            if part > 1e-9:
                yield other, part
            return
    yield options[-1], 1.0


SPREADS = 12.0
"""The law of the GPUs in use is computed to so many standard deviations above its mean."""

JOBS = 30
"""The same for jobs of the widest type: the law of few jobs is far from normal."""

HUGE = 1e200
"""Weights are scaled down when they exceed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve:
    """Number of GPUs to reserve, and cost per hour with and without reservation."""

    gpus: int
    in_use: float
    """GPUs in use, on average."""
    per_h: float
    per_h_on_demand: float

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        return asdict(self)


def law_of_use(jobs: Iterable[tuple[int, float]]) -> NDArray[np.float64]:
    """Return the probabilities of 0, 1, 2, .. GPUs in use from widths and mean numbers of jobs."""
    at: dict[int, float] = {}
    for gpus, mean in jobs:
        at[gpus] = at.get(gpus, 0.0) + mean
    widths, means = np.array(list(at), dtype=np.int64), np.array(list(at.values()))
    mean, spread = float(widths @ means), sqrt(float(widths**2 @ means))
    last = int(mean + SPREADS * spread) + JOBS * int(widths.max(initial=0))
    weights = np.zeros(last + 1)
    weights[0] = 1.0
    for n in range(1, last + 1):
        fits = widths <= n
        weights[n] = (widths[fits] * means[fits]) @ weights[n - widths[fits]] / n
        if weights[n] > HUGE:
            weights /= weights[n]
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def reserve(jobs: Iterable[tuple[int, float]], price: float, reserved: float) -> Reserve:
    """Return the number of GPUs to reserve at a constant price, with the surplus on demand."""
    law = law_of_use(jobs)
    above = 1 - np.cumsum(law)  # That more than 0, 1, 2, .. GPUs are in use.
    gpus = int(np.count_nonzero(above * price > reserved))
    in_use = float(np.arange(len(law)) @ law)
    beyond = float(np.maximum(np.arange(len(law)) - gpus, 0) @ law)
    return Reserve(
        gpus=gpus,
        in_use=in_use,
        per_h=reserved * gpus + price * beyond,
        per_h_on_demand=price * in_use,
    )


Floats = NDArray[np.float64]


class OfferLease(NamedTuple):
    """GPUs that a job held, in hours from the start."""

    since: float
    until: float
    gpus: int
    per_h: float
    offer: str
    taken: int
    """Number of interruptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersPlayed:
    """The results of the jobs. Intervals leave out the start, and metrics use all of it."""

    metrics: FleetMetrics
    """Metrics with the GPUs of the instance that would have cost the same."""
    mean_jct_h: Interval | None
    spend_per_h: Interval | None
    taken: int
    """Number of interruptions of GPUs."""
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
        """Return the cost per hour of GPUs of an offer if some are paid for all the time."""
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
    """Simulate jobs that arrive and run by a plan of the instance in money."""
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
    """Return the metrics, with intervals if there are enough jobs."""
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
    """Samples which options the jobs of each type take."""

    def __init__(
        self, money: OfferedRental, plan: RentalPlan, tick_h: float, rng: np.random.Generator
    ) -> None:
        self.tick_h, self._rng = tick_h, rng
        self._offers = {one.name: one for one in money.offers}
        self._choices = money.choices(plan)
        self._upto = [list(accumulate(one.share for one in own)) for own in self._choices]

    def play(self, kind: int, at: int, work: Sequence[int]) -> Iterator[OfferLease]:
        """Yield the holdings of a job in order."""
        now, draw = at * self.tick_h, self._rng.random()
        number = bisect_right(self._upto[kind][:-1], draw)
        for epoch, part, option in self._choices[kind][number].steps:
            hours, taken = self._hours(option, part * work[epoch] * self.tick_h)
            yield OfferLease(now, now + hours, option.gpus, option.per_h, option.offer, taken)
            now += hours

    def _hours(self, option: OfferOption, work: float) -> tuple[float, int]:
        """Return the hours of some work, and its number of interruptions."""
        offer = self._offers[option.offer]
        often, lost = float(offer.interruptions_per_h) * option.gpus, float(offer.resume_s) / 3600
        busy = work * option.hours / (1 + often * lost)
        taken = int(self._rng.poisson(often * busy))
        return busy + taken * lost, taken
