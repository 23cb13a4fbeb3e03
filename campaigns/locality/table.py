"""The price of locality of instances, as a table and as plain rows."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...analysis.tables import Column, Table, columns_of, numbers, value_decimals
from ...families import family_of
from ...instances import digest
from ...instances.reading.encode import as_number
from .study import BestKnown, RegionPrice, bound_jobs, places_of

NOTE = (
    "Price: how many times as good the optimum is with all jobs free; limits on it where an "
    "optimum is not proved. Bounds are proved: lower on times, upper on utilities."
)


def locality_table(found: Sequence[RegionPrice], caption: str) -> Table:
    """Return a line for each instance."""
    sides = [[one.bound, one.free] for one in found]
    digits = value_decimals([_float(one.value) for pair in sides for one in pair])
    return Table(
        caption=caption,
        columns=(
            *columns_of({"instance": None, "regions": 0, "jobs": 0, "bound, %": 0}),
            *numbers("value", "bound", digits=digits, over="jobs bound"),
            *numbers("value", "bound", digits=digits, over="all jobs free"),
            Column(head="price", digits=None),
        ),
        rows=tuple(
            (
                one.bound.instance.name,
                regions_of(one),
                len(one.bound.instance.jobs),
                100 * bound_jobs(one.bound.instance) / len(one.bound.instance.jobs),
                *(_float(number) for side in pair for number in (side.value, side.bound)),
                price_text(*one.price),
            )
            for one, pair in zip(found, sides, strict=True)
        ),
        notes=(NOTE,),
        shared=1,
    )


def regions_of(one: RegionPrice) -> int:
    """Return in how many regions servers stand."""
    return len({place.region for place in places_of(one.bound.instance)} - {None})


def price_text(low: Fraction | None, high: Fraction | None) -> str:
    """Show a price, or limits on it."""
    if low is None:
        return "infinite"
    if high is None:
        return f"at least {float(low):.3f}"
    return f"{float(low):.3f}" if low == high else f"{float(low):.3f} to {float(high):.3f}"


def plain(one: RegionPrice) -> dict[str, Any]:
    """Return everything as plain values, for programs."""
    instance, (low, high) = one.bound.instance, one.price
    return {
        "instance": instance.name,
        "digest": digest(instance),
        "family": instance.kind,
        "sense": family_of(instance).sense,
        "regions": regions_of(one),
        "jobs": len(instance.jobs),
        "bound_jobs": bound_jobs(instance),
        "bound": _side(one.bound),
        "free": _side(one.free),
        "price_low": _float(low),
        "price_high": _float(high),
    }


def _side(one: BestKnown) -> dict[str, Any]:
    return {
        "value": as_number(one.value),
        "bound": as_number(one.bound),
        "method": one.method,
        "proved": one.proved,
        "valid": one.valid,
    }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
