"""One whole width for every epoch of every type: a knapsack with choices.

Source: Ringyard, after BOA.

Data: as in `shares.py`.

Variables
    share[c, k] in {0, 1}: class c has the k-th of its widths

Objective
    mean_completion: minimise sum_(c,k) p_c h_ck share[c, k]

Constraints
    shares[c]: sum_k share[c, k] = 1
    budget: sum_(c,k) rho_c z_ck share[c, k] <= b

By construction
    widths: they are whole numbers, or points of tables, if all speed-ups are tables
    parts: no job changes its width within an epoch
    order: every job has a width for each epoch, in order

Jobs that draw their widths may do better, by no more than one class is worth between the two
widths that it has in the relaxation.

Size: as many variables as widths, and |C| + 1 rows.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import RentalInstance, RentalPlan
from .shares import build_over, plan_of, refuses, write

__all__ = ["build", "read", "refuses", "write"]

NAME = "pure"


def build(instance: RentalInstance) -> Any:
    """Return the program of an instance, which has no horizon."""
    return build_over(instance, pyo.Binary)


def read(model: Any) -> RentalPlan:
    """Return the plan of a point."""
    return plan_of(model, NAME)
