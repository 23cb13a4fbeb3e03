"""The program of `schedules` with the schedules known so far, for column generation."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from ...simulation.online import Floats
from ..covering import covering
from ..program import Caps, Matrix, Solution
from ..solver_interface.solve import solve


class Duals(NamedTuple):
    """The value of the linear relaxation, payoffs of jobs and prices of capacities."""

    value: float
    payoffs: Floats
    prices: Floats


class ScheduleMaster:
    """Rows `admitted_once` and `capacity`, and a column for each schedule that is added.

    Capacities count in parts of what there is, worths in parts of the largest: solvers have
    absolute tolerances.
    """

    def __init__(self, jobs: int, capacity: Floats, largest: float = 1.0) -> None:
        """Start without schedules; capacity[slot, machine, resource], none worth more than that."""
        self._jobs, self._shape, self._largest = jobs, capacity.shape, largest
        self._limits = np.where(capacity > 0, capacity, 1.0).ravel()
        self._rows = jobs + capacity.size
        self._program = covering((), [1.0] * self._rows)
        self._worths: list[float] = []
        self._entries: list[tuple[list[int], list[float]]] = []

    def __len__(self) -> int:
        """Return the number of schedules."""
        return len(self._worths)

    def add(self, job: int, worth: float, use: Floats) -> None:
        """Add a schedule of a job that takes use[slot, machine, resource]."""
        flat = use.ravel()
        taken = np.flatnonzero(flat)
        parts = flat[taken] / self._limits[taken]
        rows, values = [job, *(self._jobs + taken).tolist()], [1.0, *parts.tolist()]
        self._worths.append(worth / self._largest)
        self._entries.append((rows, values))
        self._program.add_column(-self._worths[-1], rows, values)

    def duals(self) -> Duals:
        """Return the optimum of the linear relaxation."""
        found = self._program.solve()
        duals = self._largest * np.maximum(0.0, -found.duals)
        prices = duals[self._jobs :] / self._limits
        value = -found.value * self._largest
        return Duals(value, duals[: self._jobs], prices.reshape(self._shape))

    def matrix(self) -> Matrix:
        """Return the program in whole numbers, in the same parts."""
        count = len(self)
        at_rows = np.concatenate([rows for rows, _ in self._entries])
        at_columns = np.repeat(np.arange(count), [len(rows) for rows, _ in self._entries])
        values = np.concatenate([numbers for _, numbers in self._entries])
        shape = self._rows, count
        return Matrix(
            columns=tuple(f"taken[{k}]" for k in range(count)),
            rows=tuple(f"row{i}" for i in range(self._rows)),
            cost=-np.array(self._worths),
            lower=np.zeros(count),
            upper=np.ones(count),
            integer=np.ones(count, dtype=np.bool_),
            a=coo_array((values, (at_rows, at_columns)), shape=shape).tocsr(),
            row_lower=np.full(self._rows, -np.inf),
            row_upper=np.ones(self._rows),
        )

    def choose(self, solver: str, caps: Caps) -> Solution:
        """Return the solver's choice of schedules."""
        return solve(self.matrix(), solver, caps)
