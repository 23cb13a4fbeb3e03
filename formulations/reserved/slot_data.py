"""What the programs of one slot are about: the rings that may work in it, and what that adds."""

from dataclasses import dataclass

from ...simulation.reserved_model import ReservedModel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ask:
    """A ring that may work in this slot."""

    job: int
    gains: tuple[float, ...]
    """What 1, 2, .. workers add; as many as it may have (q_i)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingSlotData:
    """Machines and links, and who asks for them."""

    model: ReservedModel
    asks: tuple[Ask, ...]
