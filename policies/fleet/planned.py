"""Jobs that start at once, with widths planned as for a `rental` problem: BOA and simple rules."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ...instances import (
    Choice,
    FleetInstance,
    JobType,
    Outcome,
    RentalInstance,
    RentalPlan,
    Stretch,
    TypePlan,
)
from ...instances.reading.vocabulary import Count, Positive
from ...instances.speedup import MOST_GPUS
from ...simulation.fleet.views import FleetHistory
from ..rental import boa
from ..rental.dual import SpendCurves, Streams, solve_budget, streams_of
from ..rental.plan import plan_of, random_widths
from ..request import NoOptions, Request, Scheduler, usual
from .within import serve

Loads = Literal["path", "expected"]

RARE = Decimal("1e-9")
"""Arrivals per hour of a type without any job."""

_DIGITS = Context(prec=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """The loads that are known."""

    loads: Annotated[
        Loads, "path: loads of the jobs to come, expected: rate times mean work of types"
    ] = "path"


def rental_of(instance: FleetInstance, loads: Loads, target: Fraction) -> RentalInstance:
    """Return the width problem for a target in GPUs, with loads rounded to 15 digits."""
    types = instance.types
    if loads == "path":
        rows = zip(types, instance.rates, instance.loads, strict=True)
        types = tuple(_as_it_came(one, rate, own) for one, rate, own in rows)
    return RentalInstance(
        name=instance.name,
        types=types,
        budget_gpus=_decimal(target),
        widths="whole" if instance.widths == "whole" else "any",
        rescale_s=instance.rescale_s,
    )


def _as_it_came(one: JobType, rate: Fraction, loads: tuple[Fraction, ...]) -> JobType:
    if not rate:
        return replace(one, rate_per_h=RARE)
    epochs = zip(one.epochs, loads, strict=True)
    return replace(
        one,
        rate_per_h=_decimal(rate),
        epochs=tuple(replace(epoch, work_h=_decimal(load / rate)) for epoch, load in epochs),
    )


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def all_alike(types: Sequence[JobType], gpus: Sequence[int]) -> RentalPlan:
    """Return the plan that gives all jobs of a type a fixed number of GPUs."""
    plans = []
    for one, own in zip(types, gpus, strict=True):
        stretches = [Stretch(epoch=e, gpus=Decimal(own)) for e in range(len(one.epochs))]
        plans.append(TypePlan(type=one.name, choices=(Choice(stretches=tuple(stretches)),)))
    return RentalPlan(instance="as it comes", types=tuple(plans))


def simple_plans(types: Sequence[JobType]) -> Iterator[tuple[str, Callable[[], RentalPlan]]]:
    """Yield the plans that give all jobs equally many GPUs, the widest first.

    The program ignores ticks, nodes and bills, so any target may cost too much if one of these does
    not.
    """
    for power in range(MOST_GPUS.bit_length() - 1, -1, -1):
        alike = partial(all_alike, types, [2**power] * len(types))
        yield f"GPUs of every job: {2**power:,}", alike


def planned(
    name: str,
    method: Scheduler,
    options_of: Callable[[Any], Any] | None = None,
    options: type[LoadOptions] = LoadOptions,
    refuses: Callable[[Any, Any], str | None] | None = None,
) -> Scheduler:
    """Return the result of a `rental` method on a fleet, with its spend known in hindsight."""

    def run(instance: FleetInstance, request: Request[LoadOptions]) -> Outcome:
        own = options_of(request.options) if options_of else usual(method)
        # Intermediate plans are not logs and cannot be reported.
        asked = Request(limits=replace(request.limits, watch=None), rng=request.rng, options=own)

        def make(target: Fraction) -> RentalPlan | None:
            problem = rental_of(instance, request.options.loads, target)
            plan: RentalPlan | None = method.run(problem, asked).schedule
            return plan

        return serve(instance, request, name, make, simple_plans(instance.types))

    return Scheduler(run=run, Options=options, refuses=refuses)


BOA = planned("boa", boa.BOA)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerOptions(LoadOptions):
    """The loads that are known, and how work is split."""

    split: Annotated[
        Literal["random", "within"], "random: a job draws its width, within: it changes its width"
    ] = "random"


BOA_INTEGER = planned(
    "boa-integer",
    boa.BOA_INTEGER,
    lambda given: boa.IntegerOptions(split=given.split),
    IntegerOptions,
    partial(boa.integer_refuses, instead="boa"),
)


BELIEVED = 0.7
"""The largest accepted load as a fraction of the budget that pays for the jobs.

With a higher expectation, all jobs would have one GPU each until enough of them are done.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineOptions:
    """Update interval, and weight of the prior expectation."""

    every_s: Annotated[Positive, "seconds between revisions"] = Decimal(3600)
    prior_jobs: Annotated[Count, "weight of the prior mean, as a number of jobs of each type"] = 10


def run_online(instance: FleetInstance, request: Request[OnlineOptions]) -> Outcome:
    """Return the log."""
    return serve(
        instance,
        request,
        "boa-online",
        lambda target: _Online(instance, request.options, target),
        simple_plans(instance.types),
    )


BOA_ONLINE = Scheduler(run=run_online, Options=OnlineOptions)


class _Online:
    """BOA without foresight: estimates loads from the jobs seen, and solves for widths repeatedly.

    The jobs of the whole path are the jobs seen plus the jobs that the rates so far predict for the
    remaining span. Their work is that of the finished jobs. Both are mixed with the prior, as if a
    number of jobs had been seen. Long jobs finish late, so the work estimate lags behind. Widths
    are for the whole path and the whole budget, as in BOA: the remaining budget also pays for
    running jobs and does not determine the next width.
    """

    def __init__(self, instance: FleetInstance, options: OnlineOptions, target: Fraction) -> None:
        tick = Fraction(instance.tick_s)
        self.every = max(1, round(Fraction(options.every_s) / tick))
        self._expected = rental_of(instance, "expected", target)
        self._streams = streams_of(self._expected)
        self._curves = SpendCurves(self._streams)
        self._prior = options.prior_jobs
        self._span_h = float(Fraction(instance.span_s) / 3600)
        self._target, self._tick_h = float(target), float(tick / 3600)
        self._most = BELIEVED * float(instance.budget_gpus)

    def plan(self, tally: FleetHistory) -> RentalPlan:
        """Return the plan for the estimate, or one GPU for all jobs if it is too large."""
        streams = self.estimated(tally)
        priced = solve_budget(streams, self._target, self._curves)
        if priced is None:
            return all_alike(self._expected.types, [1] * len(self._expected.types))
        return plan_of(self._expected, random_widths(streams, priced), "boa-online")

    def estimated(self, tally: FleetHistory) -> Streams:
        """Return the streams with the rates and loads of the whole path as estimated."""
        old, prior = self._streams, self._prior
        now_h = min(tally.now * self._tick_h, self._span_h)
        rates = (prior + tally.seen) / (prior / old.rates + now_h)
        rates = (tally.seen + rates * (self._span_h - now_h)) / self._span_h
        work = old.load / old.rates[old.type]
        done = tally.worked[old.type, old.epoch] * self._tick_h
        mean = (prior * work + done) / (prior + tally.done[old.type])
        weights = np.zeros(len(rates))
        weights[old.type] = old.weight
        load = rates[old.type] * mean
        load *= min(1.0, self._most / float(load.sum()))
        return replace(old, rates=rates, load=load, worth=float(rates @ weights))


EQUAL_WIDTH = planned("equal-width", boa.EQUAL_WIDTH)


def run_as_asked(instance: FleetInstance, request: Request[NoOptions]) -> Outcome:
    """Return the log, if the budget is enough for it."""
    plan = all_alike(instance.types, [min(one.asks, MOST_GPUS) for one in instance.types])
    budget = instance.budget_gpus
    return serve(instance, request, "as-asked", lambda target: plan if target == budget else None)


AS_ASKED = Scheduler(run=run_as_asked)
