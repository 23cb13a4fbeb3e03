"""A lifted program whose products form a positive semidefinite matrix as well, by SCS."""

import numpy as np

from ...instances import RefusedError
from ..lifted import lifted, products
from ..program import Matrix


def semidefinite_value(program: Matrix) -> float:
    """Return the value of the lifted program whose products form a semidefinite matrix as well.

    By SCS through CVXPY, in floating point: it is no bound that one could rely on.
    """
    import cvxpy

    linear, place = lifted(program), products(program)
    count = len(place)
    point = cvxpy.Variable(len(linear.columns))
    moment = cvxpy.Variable((count + 1, count + 1), PSD=True)
    rows = [moment[0, 0] == 1, moment[0, 1:] == point[:count]]
    rows += [moment[i + 1, 1:] == point[place[i]] for i in range(count)]
    for sign, ends in ((1, linear.row_upper), (-1, linear.row_lower)):
        known = np.isfinite(ends)
        rows.append(sign * (linear.a[known] @ point) <= sign * ends[known])
    rows += [point >= linear.lower, point <= linear.upper]
    problem = cvxpy.Problem(cvxpy.Minimize(linear.cost @ point + linear.offset), rows)
    problem.solve(solver="SCS")
    if problem.status != "optimal":
        raise RefusedError(f"SCS ends with {problem.status}")
    return float(problem.value)
