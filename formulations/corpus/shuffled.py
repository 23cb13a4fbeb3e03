"""A program with its rows and columns in another order: the same to people, not to a solver.

What a solver does depends on the order, by its ties and by chance. How much is seen only where one
program is asked in several orders.
"""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..conic import ConicProgram
from ..program import Floats, Matrix, Program

P = TypeVar("P")


@dataclass(frozen=True)
class Shuffled(Generic[P]):
    """A program in another order, and where its columns stood."""

    program: P
    columns: NDArray[np.int64] | None
    """The old place of each column; None where nothing moved."""

    def back(self, point: Floats) -> Floats:
        """Return a point in the order of the program as it was."""
        if self.columns is None:
            return point
        found = np.empty_like(point)
        found[self.columns] = point
        return found


def shuffled(program: Program, seed: int) -> Shuffled[Program]:
    """Return a linear program in the order that a seed draws; 0 leaves it as it is.

    NL text stays as it is: its solvers draw an order by themselves, if they are asked to.
    """
    if seed == 0 or not isinstance(program, Matrix):
        return Shuffled[Program](program, None)
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
    return Shuffled[Program](moved, columns)


def shuffled_cones(program: ConicProgram, seed: int) -> Shuffled[ConicProgram]:
    """Return a program in cones with its columns in such an order; rows stay in their cones."""
    if seed == 0:
        return Shuffled(program, None)
    columns = np.random.default_rng(seed).permutation(len(program.columns))
    names = tuple(program.columns[j] for j in columns.tolist())
    moved = replace(program, columns=names, cost=program.cost[columns], a=program.a[:, columns])
    return Shuffled(moved, columns)
