"""What the programs of one slot are about: the rings that may work in it, and what that adds."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ...simulation.reserved.model import ReservedModel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotRing:
    """A ring that may work in this slot."""

    job: int
    gains: tuple[float, ...]
    """What a 1st, 2nd, .. worker adds; as many as it may have (q_i)."""
    sums: tuple[Fraction, ...]
    """Exactly what 0, 1, 2, .. workers add together."""


def ask_of(job: int, sums: Sequence[Fraction]) -> SlotRing:
    """Return what a ring asks for, given what 0, 1, 2, .. workers add together."""
    gains = tuple(float(after - before) for before, after in pairwise(sums))
    return SlotRing(job=job, gains=gains, sums=tuple(sums))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingSlotData:
    """Machines and links, and who asks for them."""

    model: ReservedModel
    asks: tuple[SlotRing, ...]
