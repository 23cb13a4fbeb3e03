"""The theorem about GADGET: gains of at least half the optimum.

Proof: `docs/theory/reserved-coded-shuffle.md`.
"""

from fractions import Fraction
from typing import Any

from . import Guarantee, Hypothesis

ROUNDED = Fraction(1, 10**12)
"""Rounding unit of gains, with errors up to half of it. Unrounded gains are concave."""


def _inexact(_: Any, options: Any) -> str | None:
    slot = getattr(options, "slot", "lp")
    return None if slot == "exact" else f"slot is {slot!r}"


def _first(instance: Any) -> Fraction:
    """Return the largest gain of one worker in one slot, which greedy filling attains."""
    able = (job for job in instance.jobs if job.most_worker_slots != 0)
    return max((Fraction(job.worth(1)) for job in able), default=Fraction(0))


def _nothing(instance: Any, _: Any) -> str | None:
    return None if _first(instance) else "no ring has a gain in 12 decimals"


def _two(instance: Any) -> Fraction:
    lost: Fraction = len(instance.jobs) * (instance.horizon_slots + 1) * ROUNDED
    return 2 + lost / _first(instance)


RESERVED: tuple[Guarantee, ...] = (
    Guarantee(
        name="slot-by-slot",
        statement="(1 + alpha) / alpha, alpha = 1, plus 1e-12 |I| (T + 1) / w for rounded gains",
        source="GADGET",
        proved=True,
        hypotheses=(
            Hypothesis(name="slots filled exactly", unmet=_inexact),
            Hypothesis(name="a gain from one worker (w)", unmet=_nothing),
        ),
        factor=_two,
        methods=("gadget",),
    ),
)
