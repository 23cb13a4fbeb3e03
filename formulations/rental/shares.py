"""Shares of every type's work by width; the least mean completion time of whole widths.

Source: ours, after BOA; a knapsack with choices, relaxed.

Data: classes c, one for each epoch of each type, with load rho_c and cost p_c of an hour for each
hour of its work; for its widths k the hours h_ck = 1 / s_c(k) and GPU-hours z_ck = k / s_c(k) of
an hour of its work; b GPUs that may be paid for. Widths that no best plan needs are left out
(`widths.py`).

Variables
    share[c, k] >= 0: part of the class's work at the k-th of its widths

Objective
    mean_completion: minimise sum_(c,k) p_c h_ck share[c, k]

Constraints
    shares[c]: sum_k share[c, k] = 1
    budget: sum_(c,k) rho_c z_ck share[c, k] <= b

By construction
    widths: they are whole numbers; or points of tables, if all speed-ups are tables
    parts: no job changes its width within an epoch
    order: every job has a width for each epoch, in order

A vertex has two widths in one class at most. A class is shared by lot: each job draws its width.

Size: as many variables as widths, and |C| + 1 rows.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import RentalInstance, RentalPlan, SpeedTable
from .classes import classes_of
from .drawn import plan_of, put
from .widths import menus_of

__all__ = ["build", "read", "refuses", "write"]

NAME = "shares"


def refuses(instance: RentalInstance) -> str | None:
    """Say why a list of widths is not enough, or None if it is."""
    curves = [epoch.speedup for one in instance.types for epoch in one.epochs]
    if instance.widths == "any" and not all(isinstance(curve, SpeedTable) for curve in curves):
        return "any width may be best: take `convex`, or set widths to whole"
    if instance.rescale_s > 0 and any(len(one.epochs) > 1 for one in instance.types):
        return "jobs stand still when their GPUs change: take `boa-resize`"
    return None


def build(instance: RentalInstance, horizon: None = None) -> Any:
    """Return the program of an instance, which has no horizon."""
    del horizon
    return build_over(instance, pyo.NonNegativeReals)


def build_over(instance: RentalInstance, domain: Any) -> Any:
    """Return the program with shares from a domain."""
    model = pyo.ConcreteModel()
    classes = model.classes = classes_of(instance)
    menus = model.menus = menus_of(instance)
    model.instance = instance
    model.ways = [(c, k) for c, menu in enumerate(menus) for k in range(len(menu.gpus))]
    model.share = pyo.Var(model.ways, domain=domain, initialize=0)
    cost = {(c, k): float(classes.cost[c] * menus[c].h[k]) for c, k in model.ways}
    takes = {(c, k): float(classes.load[c] * menus[c].z[k]) for c, k in model.ways}
    model.mean_completion = pyo.Objective(expr=pyo.sum_product(cost, model.share))

    @model.Constraint(range(len(menus)))
    def shares(model: Any, c: int) -> Any:
        return sum(model.share[c, k] for k in range(len(menus[c].gpus))) == 1

    spent = pyo.sum_product(takes, model.share)
    model.budget = pyo.Constraint(expr=spent <= float(instance.budget_gpus))
    return model


def write(model: Any, plan: RentalPlan) -> None:
    """Put a plan into the variables."""
    put(model, plan)


def read(model: Any) -> RentalPlan:
    """Return the plan of a point."""
    return plan_of(model, NAME)
