"""Lower bounds on the makespan that take their time: of loads, and of configurations of servers."""

from fractions import Fraction
from functools import partial

from ....instances import Bound, Limits, MakespanInstance
from ...asked_bounds import AskedBounds
from .counting import best_bound, regional_parts

LOADS, SERVERS = "loads", "server configurations"

OPTIONAL = ("area", "exclusion", "uplinks", LOADS, SERVERS)
"""Bounds, by name, that can be left out. The bound by the longest job is always there."""


def best_slow_bound(
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None = None,
    without: str | None = None,
) -> Bound:
    """Return the best of these, of loads and of server configurations, as far as time allows."""
    return slow_bounds(instance, limits, until, without).best


def slow_bounds(
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None = None,
    without: str | None = None,
) -> AskedBounds:
    """Ask for the bounds by loads and server configurations, of every part of the instance.

    Given `until`, the makespan of a known schedule, they stop once that is proved, and server
    configurations stop as soon as they cannot improve the best bound. One of `OPTIONAL` may be left
    out.
    """
    asked = AskedBounds(best_bound(instance, without))
    _ask(asked, instance, limits, until, without)
    for part in regional_parts(instance):
        within = AskedBounds(asked.best)
        _ask(within, part.instance, limits, until, without)
        asked.found += map(part.of_all, within.found)
        asked.missing += (f"in {part.regions}, {reason}" for reason in within.missing)
    return asked


def all_bounds(instance: MakespanInstance, limits: Limits) -> AskedBounds:
    """Ask for the bound by configurations of the whole cluster as well."""
    from ....formulations.makespan.configurations import configuration_bound

    asked = slow_bounds(instance, limits)
    of_all = partial(configuration_bound, instance, limits)
    asked.ask(
        "configurations of the cluster", of_all, "slots, server uplinks and a small number of GPUs"
    )
    return asked


def _ask(
    asked: AskedBounds,
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None,
    without: str | None,
) -> None:
    def is_open() -> bool:
        return until is None or asked.best.value < until

    if without != LOADS and is_open():
        from .load import load_bound

        asked.ask(LOADS, partial(load_bound, instance, limits, until), "slots")
    if without != SERVERS and is_open():
        from ....formulations.makespan.server_bound import server_bound

        known = Fraction(0) if until is None else asked.best.value
        ask = partial(server_bound, instance, limits, known)
        asked.ask(SERVERS, ask, "servers of at most 256 GPUs")
