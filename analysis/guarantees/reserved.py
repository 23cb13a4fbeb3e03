"""The theorem about GADGET: the sum of gains at least half of the most. Proof: `docs/gadget.md`."""

from fractions import Fraction
from typing import Any

from .guarantee import Guarantee, Hypothesis


def _inexact(instance: Any, options: Any) -> str | None:
    del instance
    slot = getattr(options, "slot", "lp")
    return None if slot == "exact" else f"slot is {slot!r}"


def _two(instance: Any) -> Fraction:
    del instance
    return Fraction(2)


RESERVED: tuple[Guarantee, ...] = (
    Guarantee(
        name="slot-by-slot",
        statement="(1 + alpha) / alpha; alpha = 1",
        source="GADGET",
        proved=True,
        hypotheses=(Hypothesis(name="slots filled exactly", unmet=_inexact),),
        factor=_two,
    ),
)
"""In the order in which `ringyard list guarantees` shows them, behind those about utilities."""
