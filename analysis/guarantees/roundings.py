"""Theorems about schedules from rounded relaxations. Proofs: `docs/makespan/lp-rounding.md`."""

from fractions import Fraction

from ...instances import MakespanInstance
from .guarantee import Guarantee
from .hypotheses import ANYWHERE, FITTING, OFFLINE, SLOTTED


def _inside(instance: MakespanInstance) -> Fraction:
    largest = max(server.gpus for server in instance.cluster.servers)
    return Fraction(4 * largest, largest + 1)


ROUNDINGS: tuple[Guarantee, ...] = (
    Guarantee(
        name="rounded-assignment",
        statement="4 O / (O + 1), O the GPUs of the largest server",
        source="ours, after Lenstra, Shmoys and Tardos 1990",
        proved=True,
        hypotheses=(OFFLINE, SLOTTED, FITTING, ANYWHERE),
        factor=_inside,
    ),
)
"""In the order in which `ringyard list guarantees` shows them."""

CARRIED_BY: dict[str, tuple[str, ...]] = {
    "lenstra-shmoys-tardos": ("rounded-assignment",),
    "alpha-points": ("any-order",),
    "midpoints": ("any-order",),
}
