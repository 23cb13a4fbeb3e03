"""The default: every way to rent GPUs in turn, and the best log of them.

None is best on all paths: the program knows nothing of nodes, bills and GPUs that come late, and
what fits a budget in hindsight is luck in part. So all are played, those that take long only where
jobs are few, as are equal widths of 1, 2, 4, .. GPUs; the certified bound says what is left. Where
nothing fits, jobs run in turn on a cluster that is rented only while somebody is there.
"""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from math import inf

from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome, RefusedError, Stop
from ...policies.fleet import (
    as_asked,
    boa,
    boa_integer,
    boa_online,
    equal_width,
    pollux,
    static_fair,
    static_fifo,
    static_las,
)
from ...policies.fleet.expected import simple_plans
from ...policies.fleet.in_turn import clusters
from ...policies.fleet.within import serve

QUICK = (boa, boa_integer, equal_width, as_asked)
"""Follow a plan, in a compiled loop."""

SLOW = (boa_online, static_fair, static_fifo, static_las, pollux)
"""Decide at every event, or solve the program again and again."""

FEW_JOBS = 30
"""The slow ones are played for no more jobs than these."""


def run(instance: FleetInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the best log; each method has the seed that it would have alone."""
    best = stop = None
    for found in _outcomes(instance, limits, rng):
        best, stop = min(best or found, found, key=_value), found.stop
        if stop is not Stop.DONE:
            break
    assert best is not None, "some method refuses nothing"
    assert stop is not None
    if best.schedule is None and stop is Stop.DONE:
        last = serve(instance, limits, rng, "in-turn", lambda _: None, clusters(instance))
        best, stop = min(best, last, key=_value), last.stop
    log = best.schedule
    if log is None:
        return replace(best, stop=stop)
    own = replace(log, method="portfolio")
    return replace(best, schedule=own, stop=stop, note=f"by {log.method}, {best.note}")


def _value(found: Outcome) -> Fraction | float:
    return inf if found.value is None else found.value


def _outcomes(instance: FleetInstance, limits: Limits, rng: Generator) -> Iterator[Outcome]:
    """Yield what each method gives that takes the instance."""
    few = len(instance.jobs) <= FEW_JOBS
    for method in QUICK + (SLOW if few else ()):
        refuses = getattr(method, "refuses", None)
        if refuses is None or not refuses(instance):
            # A decider whose jobs wait for ever says so when it is played.
            with suppress(RefusedError):
                yield method.run(instance, limits, deepcopy(rng))
    for plan in simple_plans(instance.types) if few else ():
        yield serve(instance, limits, deepcopy(rng), "equal-width", lambda _: None, [plan])
