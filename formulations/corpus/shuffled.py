"""A program with its rows and columns in another order: the same to people, not to a solver.

What a solver does depends on the order, by its ties and by chance. How much is seen only where one
program is asked in several orders.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..program import Floats, Matrix, Program


class Shuffled(NamedTuple):
    """A program in another order, and where its columns stood."""

    program: Program
    columns: NDArray[np.int64] | None
    """The old place of each column; None where nothing moved."""

    def back(self, point: Floats) -> Floats:
        """Return a point in the order of the program as it was."""
        if self.columns is None:
            return point
        found = np.empty_like(point)
        found[self.columns] = point
        return found


def shuffled(program: Program, seed: int) -> Shuffled:
    """Return a linear program in the order that a seed draws; 0 leaves it as it is.

    NL text stays as it is: its solvers draw an order by themselves, if they are asked to.
    """
    if seed == 0 or not isinstance(program, Matrix):
        return Shuffled(program, None)
    rng = np.random.default_rng(seed)
    rows, columns = (rng.permutation(size) for size in program.a.shape)
    moved = replace(
        program,
        columns=tuple(program.columns[j] for j in columns.tolist()),
        rows=tuple(program.rows[i] for i in rows.tolist()),
        **{name: getattr(program, name)[columns] for name in ("cost", "lower", "upper", "integer")},
        a=program.a.tocsr()[rows][:, columns].sorted_indices(),
        row_lower=program.row_lower[rows],
        row_upper=program.row_upper[rows],
    )
    return Shuffled(moved, columns)
