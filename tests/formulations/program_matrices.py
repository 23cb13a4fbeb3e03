"""Matrices with their rows and columns sorted, and tiny instances in slots to make them of."""

import numpy as np
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.formulations.program import Matrix
from ringyard.instances import MakespanInstance


def in_slots(**limits: int) -> st.SearchStrategy[MakespanInstance]:
    """Draw an instance in slotted time with contention at the servers' uplinks."""
    return st.sampled_from(["floor", "fractional"]).flatmap(
        lambda progress: makespan_instances(progress=progress, contention="server_uplink", **limits)
    )


def by_name(matrix: Matrix) -> tuple[object, ...]:
    """Return a matrix with rows and columns sorted by their names."""
    columns, rows = np.argsort(matrix.columns), np.argsort(matrix.rows)
    a = matrix.a.tocsr()[rows].tocsc()[:, columns].tocsr()
    a.sum_duplicates()
    a.sort_indices()
    return (
        [matrix.columns[j] for j in columns],
        [matrix.rows[i] for i in rows],
        matrix.offset,
        *(part[columns].tolist() for part in (matrix.cost, matrix.lower, matrix.upper)),
        matrix.integer[columns].tolist(),
        *(part[rows].tolist() for part in (matrix.row_lower, matrix.row_upper)),
        *(part.tolist() for part in (a.indptr, a.indices, a.data)),
    )
