"""The program of `schedules` with the schedules known so far, for column generation."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

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

    Capacities are scaled by their totals, and worths by the largest, because solvers have absolute
    tolerances.
    """

    def __init__(self, jobs: int, capacity: Floats, largest: float = 1.0) -> None:
        """Start without schedules, with capacity[slot, machine, resource] and the largest worth."""
        self._jobs, self._shape, self._largest = jobs, capacity.shape, largest
        self._limits = np.where(capacity > 0, capacity, 1.0).ravel()
        self._program = covering((), [1.0] * (jobs + capacity.size))
        self._count = 0

    def __len__(self) -> int:
        """Return the number of schedules."""
        return self._count

    def add(self, job: int, worth: float, use: Floats) -> None:
        """Add a schedule of a job with use[slot, machine, resource]."""
        flat = use.ravel()
        taken = np.flatnonzero(flat)
        parts = flat[taken] / self._limits[taken]
        rows, values = [job, *(self._jobs + taken).tolist()], [1.0, *parts.tolist()]
        self._program.add_column(-worth / self._largest, rows, values)
        self._count += 1

    def duals(self) -> Duals:
        """Return the optimum of the linear relaxation."""
        found = self._program.solve()
        duals = self._largest * np.maximum(0.0, -found.duals)
        prices = duals[self._jobs :] / self._limits
        value = -found.value * self._largest
        return Duals(value, duals[: self._jobs], prices.reshape(self._shape))

    def matrix(self) -> Matrix:
        """Return the program in whole numbers, in the same parts."""
        relaxed, ones = self._program.matrix(), np.ones(len(self))
        return replace(relaxed, upper=ones, integer=ones.astype(np.bool_))

    def choose(self, solver: str, caps: Caps) -> Solution:
        """Return the solver's choice of schedules."""
        return solve(self.matrix(), solver, caps)
