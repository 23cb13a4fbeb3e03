"""Lower bounds on the makespan that take their time: of loads, and of configurations of servers."""

from fractions import Fraction
from functools import partial

from ....instances import Bound, Limits, MakespanInstance
from ...asked_bounds import AskedBounds
from .counting import best_bound, regional_parts

LOADS, SERVERS = "loads", "server configurations"

OPTIONAL = ("area", "exclusion", "uplinks", LOADS, SERVERS)
"""Bounds, by name, that can be left out; that of the longest job is always there."""


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

    Once `until`, the makespan of a schedule at hand, is proved, no other is asked for; and with it
    server configurations end as soon as they can prove no more than is known. One of `OPTIONAL`
    may be left out.
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
    asked.ask("configurations of the cluster", of_all, "slots, server uplinks and few GPUs")
    return asked


def _ask(
    asked: AskedBounds,
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None,
    without: str | None,
) -> None:
    for name, compute, needs in (
        (LOADS, _loads, "slots"),
        (SERVERS, _servers, "servers of 256 GPUs at most"),
    ):
        if until is not None and asked.best.value >= until:
            return
        known = Fraction(0) if until is None else asked.best.value
        if name != without:
            asked.ask(name, partial(compute, instance, limits, until, known), needs)


def _loads(
    instance: MakespanInstance, limits: Limits, until: Fraction | None, _: Fraction
) -> Bound | None:
    from .load import load_bound

    return load_bound(instance, limits, until)


def _servers(
    instance: MakespanInstance, limits: Limits, _: Fraction | None, known: Fraction
) -> Bound | None:
    from ....formulations.makespan.server_bound import server_bound

    return server_bound(instance, limits, known)
