"""BOA without foresight: loads are estimated from what has come, and widths solved for anew.

The rates are those of the jobs seen so far, the work that of the jobs done so far, each mixed with
what was expected, as if a number of jobs had been seen. (Long jobs are done late, so the
estimate of the work lags behind.) The budget is what is left of it over what is left of the span.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

import numpy as np

from ...instances import FleetInstance, Outcome, RentalPlan
from ...instances.reading.vocabulary import Count, Positive
from ...simulation.fleet import MILLI, FleetHistory
from ..rental.dual import solve_budget
from ..rental.plan import drawn, plan_of
from ..rental.streams import Streams, streams_of
from ..request import Request
from .expected import all_alike, rental_of, simple_plans
from .within import serve


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
        self._span = float(Fraction(instance.span_s) / tick)
        self._target, self._tick_h = float(target), float(tick / 3600)

    def plan(self, tally: FleetHistory) -> RentalPlan:
        """Return the plan for what is estimated; one GPU for all where that is too much."""
        streams = self._estimated(tally)
        priced = solve_budget(streams, self._budget(tally))
        if priced is None:
            return all_alike(self._expected.types, [1] * len(self._expected.types))
        return plan_of(self._expected, drawn(streams, priced), "boa-online")

    def _budget(self, tally: FleetHistory) -> float:
        """Return what is left of the budget over what is left of the span, within limits."""
        left = max(self._span - tally.now, self._span / 100)
        over = (self._target * self._span - tally.spent / MILLI) / left
        return min(max(over, self._target / 2), 2 * self._target)

    def _estimated(self, tally: FleetHistory) -> Streams:
        """Return the streams with rates and loads as estimated."""
        old, prior = self._streams, self._prior
        rates = (prior + tally.seen) / (prior / old.rates + tally.now * self._tick_h)
        work = old.load / old.rates[old.type]
        done = tally.worked[old.type, old.epoch] * self._tick_h
        mean = (prior * work + done) / (prior + tally.done[old.type])
        weights = np.zeros(len(rates))
        weights[old.type] = old.weight
        return replace(old, rates=rates, load=rates[old.type] * mean, worth=float(rates @ weights))
