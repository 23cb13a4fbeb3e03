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
from ..rental.dual import Streams, solve_budget, streams_of
from ..rental.plan import plan_of, random_widths
from ..request import NoOptions, Request, Scheduler, usual
from .within import serve

Loads = Literal["path", "expected"]

RARE = Decimal("1e-9")
"""Arrivals in an hour of a type of which no job came."""

_DIGITS = Context(prec=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """The loads that are known."""

    loads: Annotated[
        Loads, "path: those of the jobs that will come; expected: rate times mean work of types"
    ] = "path"


def rental_of(instance: FleetInstance, loads: Loads, target: Fraction) -> RentalInstance:
    """Return the problem of widths for a target in GPUs; the loads are rounded to 15 digits."""
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
    """Yield the plans in which all jobs have as many GPUs as each other, the widest first.

    The program knows nothing of ticks, nodes and bills, so whatever it is asked for may cost too
    much where one of these does not.
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
    """Return what a method of the family `rental` does with a fleet, in hindsight of its spend."""

    def run(instance: FleetInstance, request: Request[LoadOptions]) -> Outcome:
        own = options_of(request.options) if options_of else usual(method)
        # Intermediate plans are no logs, so they are not reported.
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
        Literal["random", "within"], "random: a job draws its width; within: it changes its width"
    ] = "random"


BOA_INTEGER = planned(
    "boa-integer",
    boa.BOA_INTEGER,
    lambda given: boa.IntegerOptions(split=given.split),
    IntegerOptions,
    partial(boa.integer_refuses, instead="boa"),
)


BELIEVED = 0.7
"""The largest load that is believed, as a part of the budget, which is there to pay for the jobs.

Where more is expected than comes, all jobs would have one GPU each until enough of them are done.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineOptions:
    """How often, and with how much weight on what was expected."""

    every_s: Annotated[Positive, "seconds between revisions"] = Decimal(3600)
    prior_jobs: Annotated[Count, "jobs of each type that the expectation counts for"] = 10


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
    """BOA without foresight: loads are estimated from the jobs seen, and widths solved for anew.

    The jobs of the whole path are those seen, and those that the rates so far promise for the rest
    of the span; their work is that of the jobs done so far. Both are mixed with what was expected,
    as if a number of jobs had been seen. (Long jobs are done late: the estimate of the work lags
    behind.) Widths are for the whole path and the whole budget, as BOA's are: the rest of the
    budget also has to pay for the jobs that run, and does not say how wide the next should be.
    """

    def __init__(self, instance: FleetInstance, options: OnlineOptions, target: Fraction) -> None:
        tick = Fraction(instance.tick_s)
        self.every = max(1, round(Fraction(options.every_s) / tick))
        self._expected = rental_of(instance, "expected", target)
        self._streams = streams_of(self._expected)
        self._prior = options.prior_jobs
        self._span_h = float(Fraction(instance.span_s) / 3600)
        self._target, self._tick_h = float(target), float(tick / 3600)
        self._most = BELIEVED * float(instance.budget_gpus)

    def plan(self, tally: FleetHistory) -> RentalPlan:
        """Return the plan for what is estimated; one GPU for all where that is too much."""
        streams = self.estimated(tally)
        priced = solve_budget(streams, self._target)
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
