"""The default of fleets: every method in turn, and the best log of them.

No method is best on all paths. The program ignores nodes, bills and late GPUs, and it is partly
chance whether a plan fits a budget in hindsight. Therefore all methods are simulated. The slow ones
and equal widths of 1, 2, 4, .. GPUs are only used with few jobs. If no plan fits, jobs run in turn
on a cluster that is rented only while jobs are there.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from ..instances import FleetInstance, Outcome, TerminationReason
from ..policies.fleet import pollux
from ..policies.fleet.planned import (
    AS_ASKED,
    BOA,
    BOA_INTEGER,
    BOA_ONLINE,
    EQUAL_WIDTH,
    simple_plans,
)
from ..policies.fleet.static import STATIC_FAIR, STATIC_FIFO, STATIC_LAS, clusters
from ..policies.fleet.within import serve
from ..policies.request import NoOptions, Request, usual
from .tiny_instances import best_of

QUICK: tuple[Any, ...] = (BOA, BOA_INTEGER, EQUAL_WIDTH, AS_ASKED)
"""Follow a plan, in a compiled loop."""

FEW = 30
"""Most jobs for which slow methods are used too."""

SLOW: tuple[Any, ...] = (BOA_ONLINE, STATIC_FAIR, STATIC_FIFO, STATIC_LAS, pollux)
"""Methods that decide at every event, or solve the program repeatedly. For few jobs."""


def run(instance: FleetInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best log. Each method has the same seed as when it runs alone."""
    asks = _asks(instance, request)
    best = best_of(asks, _better, lambda found: found.termination is not TerminationReason.DONE)
    if best.schedule is None and best.termination is TerminationReason.DONE:
        last = serve(instance, request, "in-turn", lambda _: None, clusters(instance))
        best = _better(best, last)
    log = best.schedule
    if log is None:
        return best
    own = replace(log, method="portfolio")
    return replace(best, schedule=own, note=f"by {log.method}, {best.note}")


def _better(one: Outcome, other: Outcome) -> Outcome:
    """Return the better log, with the termination reason of the later one."""
    best = min(one, other, key=lambda found: inf if found.value is None else found.value)
    return replace(best, termination=other.termination)


def _asks(instance: FleetInstance, request: Request[NoOptions]) -> Iterator[Callable[[], Outcome]]:
    """Yield the simulations in turn. A decider whose jobs wait forever is only refused then."""
    few = len(instance.jobs) <= FEW
    for method in QUICK + (SLOW if few else ()):
        options = usual(method)
        refuses = getattr(method, "refuses", None)
        if refuses is None or not refuses(instance, options):
            own = replace(request, rng=deepcopy(request.rng), options=options)
            yield partial(method.run, instance, own)
    for plan in simple_plans(instance.types) if few else ():
        own = replace(request, rng=deepcopy(request.rng))
        yield partial(serve, instance, own, "equal-width", lambda _: None, [plan])
