"""Shares of work by width as a plan, and back: jobs draw their widths, whatever their size."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...instances import Choice, InputError, RentalPlan, Stretch, TypePlan
from ...instances.errors import Problem

LEAST = 1e-9
"""Smaller shares are a solver's noise."""

DIGITS = 14


def plan_of(model: Any, method: str) -> RentalPlan:
    """Return the plan of a point."""
    instance, keys = model.instance, model.classes.keys
    drawn: list[list[list[tuple[float, Decimal]]]] = [[] for _ in instance.types]
    for c, (i, _) in enumerate(keys):
        drawn[i].append(_ends(model, c))
    types = (
        TypePlan(type=one.name, choices=_choices(ends))
        for one, ends in zip(instance.types, drawn, strict=True)
    )
    return RentalPlan(instance=instance.name, method=method, types=tuple(types))


def _ends(model: Any, c: int) -> list[tuple[float, Decimal]]:
    """Return widths of a class, each with the part of jobs that have it or one before."""
    gpus = model.menus[c].gpus
    shares = np.array([model.share[c, k].value or 0.0 for k in range(len(gpus))])
    shares = np.where(shares > LEAST, shares, 0)
    used = np.flatnonzero(shares)
    ends = np.cumsum(shares[used]) / shares.sum()
    return [(float(end), _decimal(gpus[k])) for end, k in zip(ends, used, strict=True)]


def _choices(ends: Sequence[Sequence[tuple[float, Decimal]]]) -> tuple[Choice, ...]:
    """Return the choices of a type: jobs in line, each with the widths that end behind it."""
    marks = sorted({_decimal(end) for own in ends for end, _ in own[:-1]})
    choices = []
    for left, right in pairwise([Decimal(0), *marks, Decimal(1)]):
        middle = (left + right) / 2
        widths = [next((k for end, k in own if end >= middle), own[-1][1]) for own in ends]
        stretches = tuple(Stretch(epoch=e, gpus=gpus) for e, gpus in enumerate(widths))
        choices.append(Choice(share=right - left, stretches=stretches))
    return tuple(choices)


def _decimal(value: float) -> Decimal:
    return Decimal(f"{value:.{DIGITS}g}")


def put(model: Any, plan: RentalPlan) -> None:
    """Put a plan into the shares.

    Raises:
        InputError: If it has a width that is not in the program.
    """
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    planned = {one.type: one.choices for one in plan.types}
    for c, (i, e) in enumerate(model.classes.keys):
        name = model.instance.types[i].name
        for choice in planned.get(name, ()):
            for stretch in (one for one in choice.stretches if one.epoch == e):
                k = np.flatnonzero(model.menus[c].gpus == float(stretch.gpus))
                if not k.size:
                    expected = f"a width of the program for epoch {e} of type {name!r}"
                    problem = Problem("gpus", stretch.gpus, expected, "no best plan needs it")
                    raise InputError(model.instance.name, [problem])
                share = model.share[c, int(k[0])]
                more = float(choice.share * stretch.part)
                share.set_value(share.value + more, skip_validation=True)
