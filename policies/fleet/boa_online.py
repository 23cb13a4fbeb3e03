"""BOA without foresight: loads are estimated from what has come, and widths solved for anew.

The jobs of the whole path are those seen, and those that the rates seen so far promise for the rest
of the span; their work is that of the jobs done so far. Both are mixed with what was expected, as
if a number of jobs had been seen. (Long jobs are done late: the estimate of the work lags behind.)
Widths are for the whole path and the whole budget, as those of BOA are: what is left of the budget
has also to pay for the jobs that run, and says nothing of how wide the next ones should be.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

import numpy as np

from ...instances import FleetInstance, Outcome, RentalPlan
from ...instances.reading.vocabulary import Count, Positive
from ...simulation.fleet import FleetHistory
from ..rental.dual import solve_budget
from ..rental.plan import drawn, plan_of
from ..rental.streams import Streams, streams_of
from ..request import Request
from .expected import all_alike, rental_of, simple_plans
from .within import serve

BELIEVED = 0.7
"""The largest load that is believed, as a part of the budget, which is there to pay for the jobs.

Where more is expected than comes, all jobs would have one GPU each until enough of them are done.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How often, and with how much weight on what was expected."""

    every_s: Annotated[Positive, "seconds between revisions"] = Decimal(3600)
    prior_jobs: Annotated[Count, "jobs of each type that the expectation counts for"] = 10


def run(instance: FleetInstance, request: Request[Options]) -> Outcome:
    """Return the log."""
    return serve(
        instance,
        request,
        "boa-online",
        lambda target: _Online(instance, request.options, target),
        simple_plans(instance.types),
    )


class _Online:
    """Widths from estimates, revised from time to time."""

    def __init__(self, instance: FleetInstance, options: Options, target: Fraction) -> None:
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
        return plan_of(self._expected, drawn(streams, priced), "boa-online")

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
