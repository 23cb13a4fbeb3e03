"""The theorem of BOA, that fixed widths are best, and what is left of it with whole widths.

Proofs: `docs/studies/boa.md`. What rounding allows is computed by `rental_facts.py`,
which is imported when a factor or a hypothesis is asked for.
"""

from fractions import Fraction
from typing import Any

from ...instances import FleetInstance, RentalInstance
from ..rental import premises
from .guarantee import Guarantee, Hypothesis, only


def _broken(instance: Any, _: Any) -> str | None:
    broken = (one for one in premises(instance) if one.unmet)
    return next((f"{one.name}: {one.unmet}" for one in broken), None)


def _stalled(instance: Any, _: Any) -> str | None:
    if not instance.rescale_s or all(len(one.epochs) == 1 for one in instance.types):
        return None
    return f"rescale_s is {instance.rescale_s}"


def _tight(instance: Any, _: Any) -> str | None:
    from .rental_facts import least_and_planned

    if isinstance(instance, RentalInstance):
        return None
    least, planned = least_and_planned(instance)
    if planned > least:
        return None
    return f"ticks leave {max(planned, 0):.4g} GPUs of it, and any plan takes {least:.4g}"


def _drawn(instance: Any, _: Any) -> str | None:
    return "a path is too short for lots" if isinstance(instance, FleetInstance) else None


def _factor(instance: Any) -> Fraction:
    from .rental_facts import path_factor, plan_factor

    rented = plan_factor if isinstance(instance, RentalInstance) else path_factor
    return rented(instance)


PREMISES = Hypothesis(name="the premises of the theorem", unmet=_broken)
FREE = Hypothesis(name="free changes of width", unmet=_stalled)
KNOWN = Hypothesis(name="loads as they come", unmet=only("loads", "path"))
ROOMY = Hypothesis(name="a budget above the least", unmet=_tight)
STREAMS = Hypothesis(name="streams of jobs", unmet=_drawn)

RENTAL: tuple[Guarantee, ...] = (
    Guarantee(
        name="fixed-width",
        statement="P(b less rounding) / P(b), P the program's value; 1 but for ticks",
        source="BOA (arXiv 2406.15560), Theorem 1",
        proved=True,
        hypotheses=(PREMISES, KNOWN, ROOMY),
        factor=_factor,
        methods=("boa",),
    ),
    Guarantee(
        name="two-widths",
        statement="1 but for rounding; one type at most is split",
        source="ours, after BOA (arXiv 2406.15560)",
        proved=True,
        hypotheses=(STREAMS, FREE),
        factor=_factor,
        methods=("boa",),
    ),
)
"""In the order in which `ringyard list guarantees` shows them."""
