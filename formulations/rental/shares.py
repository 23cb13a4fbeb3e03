"""Shares of every type's work by width, and the least mean completion time of whole widths.

Source: Ringyard, after BOA. It is a relaxed knapsack with choices.

Data: classes c, one for each epoch of each type, with load rho_c and cost p_c of an hour for each
hour of its work, for its widths k the hours h_ck = 1 / s_c(k) and GPU-hours z_ck = k / s_c(k) of an
hour of its work, b GPUs that may be paid for. Widths that no best plan needs are left out
(`widths.py`).

Variables
    share[c, k] >= 0: part of the class's work at the k-th of its widths

Objective
    mean_completion: minimise sum_(c,k) p_c h_ck share[c, k]

Constraints
    shares[c]: sum_k share[c, k] = 1
    budget: sum_(c,k) rho_c z_ck share[c, k] <= b

By construction
    widths: they are whole numbers, or points of tables, if all speed-ups are tables
    parts: no job changes its width within an epoch
    order: every job has a width for each epoch, in order

A vertex has two widths in one class at most. A class is shared at random: each job samples its
width.

Size: as many variables as widths, and |C| + 1 rows.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...instances import (
    Choice,
    InputError,
    RentalInstance,
    RentalPlan,
    SpeedTable,
    Stretch,
    TypePlan,
)
from ...instances.errors import Problem
from .widths import classes_of, menus_of

NAME = "shares"

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


def write(model: Any, plan: RentalPlan) -> None:
    """Put a plan into the variables.

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


def refuses(instance: RentalInstance) -> str | None:
    """Return why a list of widths is not enough, or None if it is."""
    curves = [epoch.speedup for one in instance.types for epoch in one.epochs]
    if instance.widths == "any" and not all(isinstance(curve, SpeedTable) for curve in curves):
        return "any width may be best: use `convex`, or set widths to whole"
    if instance.rescale_s > 0 and any(len(one.epochs) > 1 for one in instance.types):
        return "jobs pause when their GPUs change: use `boa-resize`"
    return None


def build(instance: RentalInstance) -> Any:
    """Return the program of an instance, which has no horizon."""
    return build_over(instance, pyo.NonNegativeReals)


def build_over(instance: RentalInstance, domain: Any) -> Any:
    """Return the program with shares from a domain."""
    model = pyo.ConcreteModel()
    classes = model.classes = classes_of(instance)
    menus = model.menus = menus_of(instance)
    model.instance = instance
    model.choices = [(c, k) for c, menu in enumerate(menus) for k in range(len(menu.gpus))]
    model.share = pyo.Var(model.choices, domain=domain, initialize=0)
    cost = {(c, k): float(classes.cost[c] * menus[c].h[k]) for c, k in model.choices}
    takes = {(c, k): float(classes.load[c] * menus[c].z[k]) for c, k in model.choices}
    model.mean_completion = pyo.Objective(expr=pyo.sum_product(cost, model.share))

    @model.Constraint(range(len(menus)))
    def shares(model: Any, c: int) -> Any:
        return sum(model.share[c, k] for k in range(len(menus[c].gpus))) == 1

    spent = pyo.sum_product(takes, model.share)
    model.budget = pyo.Constraint(expr=spent <= float(instance.budget_gpus))
    return model


def read(model: Any) -> RentalPlan:
    """Return the plan of a point."""
    return plan_of(model, NAME)
