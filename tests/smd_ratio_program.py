"""The linear program that SMD's method solves at each point of its grid, for HiGHS to compare."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from ringyard.formulations.online.smd import SmdJob
from ringyard.formulations.online.sum_of_ratios import Ratio, level_row, needed, polygon
from ringyard.formulations.program import Matrix


def ratio_program(
    job: SmdJob, ratio: Ratio, levels: Sequence[tuple[Ratio, float]] = (), *, largest: bool = False
) -> Matrix:
    """Return the linear program of the least ratio, without its weight, others at most at levels.

    All of (workers, servers, 1) is scaled so that the ratio's lower part is 1. Source: Charnes
    and Cooper 1962. With `largest` the value is minus the largest ratio.
    """
    rows = np.vstack([polygon(job), *(level_row(other, level) for other, level in levels)])
    cost, fixed = np.zeros(3), np.arange(3) == ratio.below
    cost[ratio.above] = -1.0 if largest else 1.0
    packed = [f"reserved[{r}]" for r in needed(job)]
    return Matrix(
        columns=("workers", "servers", "scale"),
        rows=(*packed, "a_worker", "a_server", *(f"level[{other.name}]" for other, _ in levels)),
        cost=cost,
        lower=np.where(fixed, 1.0, 0.0),
        upper=np.where(fixed, 1.0, np.inf),
        integer=np.zeros(3, dtype=np.bool_),
        a=csr_array(rows),
        row_lower=np.full(len(rows), -np.inf),
        row_upper=np.zeros(len(rows)),
    )
