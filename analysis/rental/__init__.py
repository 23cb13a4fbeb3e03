"""Plans for rented GPUs as text, and the premises of the theorem about widths.

Numbers of GPUs and times read `4, 6 (40 %) or 4, 9 (60 %)`, `20 min`. Under the premises, one fixed
width per epoch is optimal. They are checked on an instance.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from ...instances import (
    Amdahl,
    Choice,
    FleetInstance,
    PowerLaw,
    RentalInstance,
    SpeedTable,
    Speedup,
    TypePlan,
)


def gpus_text(gpus: float) -> str:
    """Write a number of GPUs with at most three decimals, and small ones with four digits."""
    return f"{gpus:,.3f}".rstrip("0").rstrip(".") if gpus >= 0.1 else f"{gpus:.4g}"


def counted_gpus(gpus: float) -> str:
    """Write a number of GPUs with their name."""
    text = gpus_text(gpus)
    return f"{text} GPU" if text == "1" else f"{text} GPUs"


def plan_text(plan: TypePlan) -> str:
    """Return the GPUs of a type's jobs by epoch, with the shares of alternative plans."""
    if len(plan.choices) == 1:
        return _choice(plan.choices[0])
    choices = [f"{_choice(one)} ({100 * float(one.share):.3g} %)" for one in plan.choices]
    return " or ".join(choices)


def _choice(choice: Choice) -> str:
    """Write the widths of a choice, once if they are the same throughout."""
    texts = [
        gpus_text(float(one.gpus)) + (f" for {100 * float(one.part):.3g} %" if one.part < 1 else "")
        for one in choice.stretches
    ]
    return texts[0] if len({one.gpus for one in choice.stretches}) == 1 else ", ".join(texts)


def time_text(hours: float) -> str:
    """Write a time with four digits, in the unit that suits it."""
    if hours >= 2:
        return f"{hours:,.4g} h"
    return f"{60 * hours:.4g} min" if hours >= 1 / 30 else f"{3600 * hours:.4g} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """A premise of the theorem. `unmet` gives the reason if it fails, and is empty otherwise."""

    name: str
    unmet: str = ""


def premises(instance: RentalInstance | FleetInstance) -> list[Premise]:
    """Return the premises on jobs and, for a fleet, on leases."""
    found = [
        Premise(name="concave speed-ups", unmet=_bent(instance)),
        Premise(name="fractions of GPUs", unmet=_whole(instance)),
        Premise(name="free changes of width", unmet=_stalled(instance)),
    ]
    if isinstance(instance, FleetInstance):
        found += lease_premises(
            instance.provision_s, instance.node_gpus, instance.billing_s, instance.tick_s
        )
    return found


def lease_premises(
    provision_s: Decimal, node_gpus: int | None, billing_s: Decimal | None, tick_s: Decimal
) -> list[Premise]:
    """Return the premises on leases."""
    late = f"they arrive {provision_s:f} s after the paid request" if provision_s else ""
    lumps = []
    if node_gpus is not None and node_gpus > 1:
        lumps.append(f"leased in nodes of {node_gpus}")
    if billing_s is not None and billing_s > tick_s:
        lumps.append(f"billed by {billing_s:f} s")
    return [
        Premise(name="GPUs at once", unmet=late),
        Premise(name="GPUs one by one, by the tick", unmet=" and ".join(lumps)),
    ]


def _bent(instance: RentalInstance | FleetInstance) -> str:
    """Return the name of a table that is not concave from (0, 0) on."""
    for one in instance.types:
        for e, epoch in enumerate(one.epochs):
            where = f"{one.name!r}" if len(one.epochs) == 1 else f"{one.name!r}, epoch {e}"
            if isinstance(epoch.speedup, SpeedTable) and (at := bend(epoch.speedup)):
                return (
                    f"the table of {where} falls, or rises faster above {counted_gpus(float(at))} "
                    "than below, so two widths may be mixed"
                )
    return ""


def bend(table: SpeedTable) -> str | None:
    """Return the point at which a table's slope grows or the table falls, None if neither."""
    known = [(Fraction(point.gpus), Fraction(point.speed)) for point in table.points]
    slopes = [(s - t) / (k - j) for (j, t), (k, s) in pairwise(known)]
    for point, before, slope in zip(table.points, [Fraction(1), *slopes], slopes, strict=False):
        if slope > before or slope < 0:
            return f"{point.gpus}"
    return None


def _whole(instance: RentalInstance | FleetInstance) -> str:
    if instance.widths == "any":
        return ""
    return "widths are integers, so jobs of a type may be split between two"


def _stalled(instance: RentalInstance | FleetInstance) -> str:
    if not instance.rescale_s or all(len(one.epochs) == 1 for one in instance.types):
        return ""
    return f"a width change pauses a job for {instance.rescale_s} s, which the bound ignores"


def speed_text(speedup: Speedup) -> str:
    """Return the name of the model and its number."""
    if isinstance(speedup, PowerLaw):
        return f"k^{speedup.exponent:f}"
    if isinstance(speedup, Amdahl):
        return f"Amdahl {speedup.parallel:f}"
    return f"table to {speedup.points[-1].gpus:f}"


def shape_text(speedup: Speedup) -> str:
    """Return the satisfied part of the theorem's hypotheses: concave, or s(k) / k nonincreasing."""
    if not isinstance(speedup, SpeedTable) or bend(speedup) is None:
        return "concave"
    points = [(point.gpus, point.speed) for point in speedup.points]
    if all(t >= s for (_, s), (_, t) in pairwise(points)):
        if all(t * j <= s * k for (j, s), (k, t) in pairwise(points)):
            return f"bent at {bend(speedup)}"
        return "s(k)/k rises"
    return "s(k) falls"
