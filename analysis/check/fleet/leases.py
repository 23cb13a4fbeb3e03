"""What leases provide and cost, and the GPUs that are held of them."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from ....instances.fleet.instance import FleetInstance, FleetLog, Lease
from ..judge import Ticks
from .timeline import FleetHolding

PARTS = 1000
"""Parts of a GPU that can be held."""

Billed = list[tuple[Decimal, int]]
"""GPUs, and for how many ticks."""


def counted(log: FleetLog) -> list[Lease]:
    """Return the leases that count: those that stop after their start."""
    return [lease for lease in log.leases if lease.stop_s > lease.start_s]


def billed(instance: FleetInstance, log: FleetLog, ticks: Ticks) -> Billed:
    """Return what is paid for."""
    unit = 1 if instance.billing_s is None else ticks.at(instance.billing_s)
    lengths = (
        (lease.gpus, ticks.at(lease.stop_s) - ticks.at(lease.start_s)) for lease in counted(log)
    )
    return [(gpus, -(-length // unit) * unit) for gpus, length in lengths]


def gpu_hours(stretches: Iterable[tuple[Decimal, int]], ticks: Ticks) -> Fraction:
    """Add up GPUs times hours."""
    lengths: dict[Decimal, int] = {}
    for gpus, length in stretches:
        lengths[gpus] = lengths.get(gpus, 0) + length
    total = sum((Fraction(gpus) * length for gpus, length in lengths.items()), Fraction(0))
    return total * ticks.seconds / 3600


def steps_of(
    instance: FleetInstance, log: FleetLog, held: Iterable[FleetHolding], ticks: Ticks
) -> dict[int, int]:
    """Return at which ticks, and by how many thousandths, GPUs held less GPUs of use change.

    A run takes the whole of a thousandth of which it holds a part, and a lease gives none of it.
    """
    steps: dict[int, int] = {}
    wait = ticks.at(instance.provision_s)
    for lease in counted(log):
        start, stop = ticks.at(lease.start_s) + wait, ticks.at(lease.stop_s)
        if start < stop:
            above, below = lease.gpus.as_integer_ratio()
            gpus = PARTS * above // below
            steps[start] = steps.get(start, 0) - gpus
            steps[stop] = steps.get(stop, 0) + gpus
    for one in held:
        above, below = one.gpus.as_integer_ratio()
        gpus = -(-PARTS * above // below)
        steps[one.start] = steps.get(one.start, 0) + gpus
        steps[one.stop] = steps.get(one.stop, 0) - gpus
    return steps
