"""Schedules by `elastic-srtf`, with job weights that are searched.

Source: ours. All arrivals and lengths are known in advance. First some powers of the remaining time
are tried, all weights 1. Then a few jobs at a time become more or less important, and stay so if
the mean completion time does not grow. Candidates are simulated by the engine of policies, so
placement, pauses and contention are exact. The search proves no bound. With a time limit it
continues until the time is up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.random import Generator

from ...instances import Incumbent, Outcome, TerminationReason, TraceInstance
from ...instances.reading.vocabulary import Count
from ...policies.request import Request, outcome_of
from ...policies.trace.elastic_srtf import ElasticSrtf
from ...policies.trace.serve import ServiceOptions, refuses_groups_and_kinds, service_of
from ...simulation.trace import simulate
from ...simulation.trace.records import to_schedule
from ...simulation.trace.simulate import TraceResult

METHOD = "weight-search"

POWERS = (1.0, 0.5, 0.2, 0.35, 0.7, 0.85, 1.2)
"""Powers of the remaining time, in the order of trial."""

MOST_CHANGED = 3
"""Jobs whose weights change at a time."""

SPREAD = 1.0
"""Of the natural logarithm by which a weight changes, the standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Length of the search."""

    schedules: Annotated[Count, "schedules tried, if there is no time limit"] = 50


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Try powers and weights until the schedules are made or the time is up."""
    limits, most = request.limits, request.options.schedules
    service, power, weights = service_of(instance, request.options), 0.0, [1.0] * len(instance.jobs)
    least, schedule, tried, over = float("inf"), None, 0, False
    while not over and (limits.time_s is not None or tried < most):
        if tried < len(POWERS):
            trial = POWERS[tried], weights
        else:
            trial = power, _changed(weights, request.rng)
        found = simulate(instance, ElasticSrtf(*trial), service, limits)
        over, tried = limits.over(), tried + 1
        mean = mean_jct(instance, found) if found.finished else float("inf")
        if mean < least:
            schedule = to_schedule(instance, found.trace, METHOD)
            limits.report(Incumbent(schedule=schedule, value=mean))
        if mean <= least and found.finished:
            least, (power, weights) = mean, trial
    termination = TerminationReason.TIME_LIMIT if over else TerminationReason.WORK_LIMIT
    return outcome_of(schedule, termination, f"{tried} schedules tried")


def mean_jct(instance: TraceInstance, played: TraceResult) -> float:
    """Return the mean completion time in seconds."""
    lives = played.trace.lives[: len(instance.jobs)]
    return float((lives["end"] - lives["arrival"]).sum() * instance.tick_s) / len(lives)


def _changed(weights: Sequence[float], rng: Generator) -> list[float]:
    """Return other weights of a few jobs."""
    count = int(rng.integers(1, MOST_CHANGED + 1))
    changed = list(weights)
    for job in rng.integers(len(weights), size=count).tolist():
        changed[job] *= float(np.exp(rng.normal(0.0, SPREAD)))
    return changed
