"""Instances for tests of bounds: without communication by hand, and slotted ones to draw."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.instances import MakespanInstance, RingJob, Server
from ringyard.instances.catalogue import load


def jobs(*rows: tuple[int, int, int]) -> tuple[RingJob, ...]:
    """Return jobs without communication from (GPUs, slots, release)."""
    return tuple(
        RingJob(
            name=f"j{i}",
            gpus=width,
            iterations=slots,
            backward_s=Decimal(1),
            release_slot=Decimal(release),
        )
        for i, (width, slots, release) in enumerate(rows)
    )


def jobs_on(gpus: int, *rows: tuple[int, int, int]) -> MakespanInstance:
    """Return such jobs on one server."""
    instance = load("hand-theorem5")
    cluster = replace(instance.cluster, servers=(Server(name="one", gpus=gpus),))
    return replace(instance, cluster=cluster, jobs=jobs(*rows))


def slotted_instances(**limits: int) -> st.SearchStrategy[MakespanInstance]:
    """Draw instances in slotted time with contention at the servers' uplinks."""
    return st.sampled_from(["floor", "fractional"]).flatmap(
        lambda progress: makespan_instances(progress=progress, contention="server_uplink", **limits)
    )
