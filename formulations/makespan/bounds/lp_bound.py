"""What the duals of a linear relaxation prove about an instance."""

from fractions import Fraction
from math import ceil

import numpy as np

from ....instances import Bound, BoundKind, MakespanInstance, RefusedError
from ...catalogue import Formulation
from ...dual import dual_bound
from ...matrix import relaxed, stated_matrix
from ...program import Caps
from ...solver_interface.solve import NO_CAPS, solve


def lp_bound(
    instance: MakespanInstance,
    formulation: Formulation,
    horizon: int | None = None,
    caps: Caps = NO_CAPS,
) -> Bound | None:
    """Return what the linear relaxation of a program proves about the makespan.

    The program speaks of schedules that end by its horizon only; any other ends one slot later
    or more. So its bound counts up to ``horizon + 1``. None if there are no duals, as at a time
    limit or where the relaxation has no point: try a longer horizon then.

    Raises:
        RefusedError: If the program cannot state the instance, or minimises something else.
    """
    matrix = stated_matrix(instance, formulation, horizon)
    aims = [matrix.columns[j] for j in np.flatnonzero(matrix.cost)]
    if aims != ["makespan_slots"]:
        raise RefusedError(f"{formulation.name} minimises {', '.join(aims)}, not the makespan")
    solution = solve(relaxed(matrix), caps=caps)
    value = None if solution.duals is None else dual_bound(matrix, solution.duals)
    if value is None:
        return None
    last = Fraction(matrix.upper[matrix.columns.index("makespan_slots")])
    why = f"the linear relaxation over {last} slots, its duals summed exactly"
    return Bound.by(BoundKind.DUAL, formulation.name, min(Fraction(ceil(value)), last + 1), why)
