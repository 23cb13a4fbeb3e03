"""BOA without foresight: what it takes from what has come, and what it does not."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ringyard.instances import FleetInstance
from ringyard.instances.generate import generate
from ringyard.policies.fleet.planned import OnlineOptions, _Online, all_alike, rental_of
from ringyard.policies.rental.dual import Streams, streams_of
from ringyard.simulation.fleet import FleetHistory


def path(budget: int) -> FleetInstance:
    """Return a path of which a load of 60 GPUs is expected, whatever comes."""
    drawn = generate("fleet-pollux", seed=1, jobs=30)
    assert isinstance(drawn, FleetInstance)
    return replace(drawn, budget_gpus=Decimal(budget))


def online(instance: FleetInstance) -> _Online:
    return _Online(instance, OnlineOptions(), Fraction(instance.budget_gpus))


def expected(instance: FleetInstance) -> Streams:
    return streams_of(rental_of(instance, "expected", Fraction(instance.budget_gpus)))


def tally(streams: Streams, jobs: int = 0, part: float = 0.0, **others: int) -> FleetHistory:
    """Return what is known once `jobs` of each type are done, of `part` of the expected work."""
    seen = np.full(len(streams.rates), jobs)
    worked = np.zeros((len(seen), int(streams.epoch.max()) + 1), np.int64)
    work_h = streams.load / streams.rates[streams.type]
    worked[streams.type, streams.epoch] = jobs * part * work_h * 3600
    known: dict[str, Any] = {"now": 0, "spent": 0, **others}
    return FleetHistory(seen=seen, done=seen, worked=worked, **known)


def test_what_is_expected_beyond_the_budget_is_not_believed() -> None:
    """Believed, a load of sixty on a budget of twenty would leave every job with one GPU."""
    instance = path(20)
    streams = expected(instance)
    assert streams.load.sum() > 20
    assert online(instance).estimated(tally(streams)).load.sum() < 20
    plan = online(instance).plan(tally(streams))
    assert plan != all_alike(instance.types, [1] * len(instance.types))


def test_what_was_spent_does_not_change_widths() -> None:
    """It has paid for jobs that run, too, and says nothing of the next ones."""
    instance = path(200)
    streams = expected(instance)
    rich, poor = (
        online(instance).plan(tally(streams, 3, 1.0, now=1000, spent=spent)) for spent in (0, 10**9)
    )
    assert rich == poor


def test_the_more_jobs_are_done_the_nearer_is_the_load_to_what_came() -> None:
    """At the end of the span, with a tenth of the work that was expected of each job."""
    instance = replace(path(10**6), tick_s=Decimal(1))
    streams, end = expected(instance), int(instance.span_s)
    span_h, off = float(instance.span_s) / 3600, []
    for jobs in (10, 100, 1000):
        known = online(instance).estimated(tally(streams, jobs, 0.1, now=end))
        came = 0.1 * jobs / span_h * streams.load / streams.rates[streams.type]
        assert np.allclose(known.rates, jobs / span_h)
        off.append(float(np.abs(known.load / came - 1).max()))
    assert off == sorted(off, reverse=True)
    assert off[-1] < 0.1
