"""Servers that differ in more than their GPUs: random options for `makespan` instances."""

from dataclasses import replace
from decimal import Decimal
from random import Random

from ringyard.instances import MakespanInstance, validate

WIDTHS = ("1", "1", "0.5", "0.25", "0.3", "0.333333333333", "0.1", "0.7", "1e-3")


def unlike(instance: MakespanInstance, rng: Random) -> MakespanInstance:
    """Return the instance with other servers."""
    made = with_uplinks(instance, rng)
    validate(made)
    return made


def with_uplinks(instance: MakespanInstance, rng: Random) -> MakespanInstance:
    """Return the instance with unequal uplinks."""
    servers = tuple(
        replace(one, uplink=Decimal(rng.choice(WIDTHS))) for one in instance.cluster.servers
    )
    return replace(instance, cluster=replace(instance.cluster, servers=servers))
