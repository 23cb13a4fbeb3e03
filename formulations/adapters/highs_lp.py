"""A linear program in HiGHS that grows and is solved again from where it was."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...instances import RefusedError, SolutionStatus
from ..program import Floats, Matrix
from .highs import load, silent, solve_model, status

if TYPE_CHECKING:
    from highspy import HighsBasisStatus


DEVEX = 1
"""What HiGHS calls weights of rows that are cheap to bring up to date."""


class Optimum(NamedTuple):
    """The least value, a point that has it, and the dual of each row."""

    value: float
    point: Floats
    duals: Floats
    steps: int
    """Of the simplex method."""


class _Until:
    """Ends a run once `over` says so, as somebody does who has been told enough."""

    def __init__(self, over: Callable[[], bool]) -> None:
        self._over = over

    def __call__(self, point: Floats, bound: float | None) -> None:
        """Nothing is told of linear programs."""

    @property
    def ended(self) -> bool | None:
        return self._over() or None


class IncrementalLP:
    """A linear program to which columns and rows can be added; `integer` means nothing here."""

    def __init__(self, matrix: Matrix | None = None, *, most: int | None = None) -> None:
        """Load the program, or begin without columns and rows.

        With `most` no solve takes more steps of the simplex method; they are cheaper, and more.
        Costs are not perturbed then: to make up for that, HiGHS 1.15.1 can go on for ever where all
        sides of rows are 0.
        """
        if matrix is None:
            self._model = silent()
            return
        model = load(matrix)
        if model is None:
            raise RefusedError("HiGHS rejects the numbers of this program")
        everything = np.arange(len(matrix.columns), dtype=np.int32)
        model.changeColsIntegrality(
            len(everything), everything, np.zeros(len(everything), np.uint8)
        )
        if most is not None:
            model.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
            model.setOptionValue("dual_simplex_cost_perturbation_multiplier", 0.0)
            model.setOptionValue("simplex_iteration_limit", most)
        self._model = model

    def add_column(
        self,
        cost: float,
        rows: Sequence[int],
        values: Sequence[float],
        upper: float = np.inf,
    ) -> None:
        """Add a column with these values in these rows, at least 0."""
        places, numbers = np.asarray(rows, np.int32), np.asarray(values, float)
        self._model.addCol(cost, 0.0, upper, len(places), places, numbers)

    def add_row(
        self, columns: Sequence[int], values: Sequence[float], lower: float, upper: float = np.inf
    ) -> None:
        """Add a row with these values in these columns."""
        places, numbers = np.asarray(columns, np.int32), np.asarray(values, float)
        self._model.addRow(lower, upper, len(places), places, numbers)

    def basis(self) -> "tuple[list[HighsBasisStatus], list[HighsBasisStatus]]":
        """Return the statuses of columns and rows at the last optimum."""
        held = self._model.getBasis()
        return list(held.col_status), list(held.row_status)

    def begin_at(
        self,
        columns: "Iterable[HighsBasisStatus | None]",
        rows: "Iterable[HighsBasisStatus | None]",
    ) -> None:
        """Begin near a basis in which columns and rows have these statuses; None: basic."""
        from highspy import HighsBasis, HighsBasisStatus

        start, basic = HighsBasis(), HighsBasisStatus.kBasic
        start.col_status = [basic if one is None else one for one in columns]
        start.row_status = [basic if one is None else one for one in rows]
        start.valid = start.alien = True
        self._model.setBasis(start)

    def matrix(self) -> Matrix:
        """Return the program as it is now, its columns and rows called by their numbers."""
        from scipy.sparse import csc_array, csr_array

        held = self._model.getLp()
        a = held.a_matrix_
        shape, sparse = (held.num_row_, held.num_col_), (a.value_, a.index_, a.start_)
        wise = csr_array if a.format_.name == "kRowwise" else csc_array
        return Matrix(
            columns=tuple(f"column[{j}]" for j in range(held.num_col_)),
            rows=tuple(f"row[{i}]" for i in range(held.num_row_)),
            cost=np.array(held.col_cost_),
            offset=float(held.offset_),
            lower=np.array(held.col_lower_),
            upper=np.array(held.col_upper_),
            integer=np.zeros(held.num_col_, dtype=np.bool_),
            a=wise(sparse, shape=shape).tocsr(),
            row_lower=np.array(held.row_lower_),
            row_upper=np.array(held.row_upper_),
        )

    def solve(self, over: Callable[[], bool] | None = None) -> Optimum:
        """Return the optimum, starting from the basis of the last one.

        Raises:
            RefusedError: If there is none; the message says what HiGHS found instead. Also once
                `over` is true.
        """
        solve_model(self._model, over and _Until(over))
        _, left = status(self._model)
        if left is not SolutionStatus.OPTIMAL:
            said = self._model.modelStatusToString(self._model.getModelStatus()).lower()
            raise RefusedError(f"this linear program has no optimum: HiGHS says {said}")
        found = self._model.getSolution()
        info = self._model.getInfo()
        point, duals = np.array(found.col_value), np.array(found.row_dual)
        steps = int(info.simplex_iteration_count)
        return Optimum(info.objective_function_value, point, duals, steps)
