"""The theorem of BOA that fixed widths are optimal, and its version for whole widths.

Proofs: `docs/theory/boa.md`. `rental_facts.py` computes the effect of rounding and is imported on
first use.
"""

from typing import Any

from ...instances import FleetInstance
from ..rental import premises
from . import Guarantee, Hypothesis, late, only


def _broken(instance: Any, _: Any) -> str | None:
    broken = (one for one in premises(instance) if one.unmet)
    return next((f"{one.name}: {one.unmet}" for one in broken), None)


def _stalled(instance: Any, _: Any) -> str | None:
    if not instance.rescale_s or all(len(one.epochs) == 1 for one in instance.types):
        return None
    return f"rescale_s is {instance.rescale_s}"


def _drawn(instance: Any, _: Any) -> str | None:
    if isinstance(instance, FleetInstance):
        return "a path is too short to split its jobs at random"
    return None


PREMISES = Hypothesis(name="the premises of the theorem", unmet=_broken)
FREE = Hypothesis(name="free changes of width", unmet=_stalled)
KNOWN = Hypothesis(name="known loads", unmet=only("loads", "path"))
ROOMY = Hypothesis(name="a budget above the minimum", unmet=late("rental_facts:tight_budget"))
STREAMS = Hypothesis(name="streams of jobs", unmet=_drawn)

RENTAL: tuple[Guarantee, ...] = (
    Guarantee(
        name="fixed-width",
        statement="P(b less rounding) / P(b), P the program's value: 1 except for ticks",
        source="BOA (arXiv 2406.15560), Theorem 1",
        proved=True,
        hypotheses=(PREMISES, KNOWN, ROOMY),
        factor=late("rental_facts:rounding_factor"),
        methods=("boa",),
    ),
    Guarantee(
        name="two-widths",
        statement="1 except for rounding, with at most one split type",
        source="Ringyard, after BOA (arXiv 2406.15560)",
        proved=True,
        hypotheses=(STREAMS, FREE),
        factor=late("rental_facts:rounding_factor"),
        methods=("boa",),
    ),
)
