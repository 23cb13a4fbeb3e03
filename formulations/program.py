"""A program in the form of solvers, a solver's result, and the check of a point against it.

A program is a matrix, or a text in the NL format.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..instances import SolutionStatus, TerminationReason
from ..instances.errors import sentence

Settings = tuple[tuple[str, str], ...]
"""Options of a solver by its own names, with values as they were typed."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """Minimise ``cost @ x + offset`` with bounds on columns and on the rows ``a @ x``."""

    columns: tuple[str, ...]
    """Names such as ``start['j0',3]``."""
    rows: tuple[str, ...]
    """Names such as ``capacity['s1',3]``."""
    cost: Floats
    offset: float = 0.0
    lower: Floats
    upper: Floats
    integer: Flags
    a: Any
    """A scipy.sparse csr_array, rows by columns."""
    row_lower: Floats
    row_upper: Floats

    def with_rows(self, places: Any) -> "Matrix":
        """Return the program with the rows of some places only, in their order."""
        return replace(
            self,
            rows=tuple(self.rows[i] for i in places),
            a=self.a[places],
            row_lower=self.row_lower[places],
            row_upper=self.row_upper[places],
        )

    def with_columns(self, places: Any) -> "Matrix":
        """Return the program with the columns of some places only, in their order."""
        vectors = ("cost", "lower", "upper", "integer")
        return replace(
            self,
            columns=tuple(self.columns[j] for j in places),
            a=self.a[:, places],
            **{name: getattr(self, name)[places] for name in vectors},
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nonlinear:
    """A program as the text of an NL file, with its columns in the file's order."""

    columns: tuple[str, ...]
    nl: bytes


Program = Matrix | Nonlinear


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a solver used in a separate process, beyond what the process had before it began."""

    memory_mb: float
    """Peak resident memory beyond `base_mb`, or the peak of a program that the solver starts."""
    cpu_s: float
    """Processor time of all threads and of ended children."""
    base_mb: float
    """Resident memory with libraries and the program, before the solver began."""
    base_cpu_s: float
    began: float
    """When the solver began, by this machine's monotonic clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A solver's result: why it stopped, its status, and the distance of its point from the rows.

    Absent is None, never an invented number. `status` is the status after checking: a point that
    violates a row is removed, and `note` says so.
    """

    solver: str = ""
    """Its name, which the solver interface writes."""
    termination: TerminationReason
    status: SolutionStatus
    point: Floats | None = None
    """Values in the order of the program's columns."""
    value: float | None = None
    """The objective at `point`, recomputed."""
    bound: float | None = None
    """The lower bound the solver claims."""
    duals: Floats | None = None
    """Row duals. Only for linear programs without integers."""
    violation: float | None = None
    """The largest violation of a row, a bound or integrality at `point`, recomputed."""
    nodes: int | None = None
    seconds: float = 0.0
    setup_s: float | None = None
    """The part of `seconds` before the solver had the program, None if the adapter cannot measure
    it."""
    memory_mb: float | None = None
    """Peak resident memory, if the solve had a separate process."""
    usage: Usage | None = None
    """The solver's own share of a separate process, None without one or before it began."""
    memory_by: str = ""
    """The keeper of a cap on memory: ``control group`` or ``looks``, empty without a cap."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits of one solve. Memory and processor caps need a separate process."""

    time_s: float | None = None
    cpu_s: float | None = None
    memory_mb: float | None = None
    nodes: int | None = None
    threads: int = 1
    seed: int = 0
    gap: float = 0.0
    """Relative gap at which the solver may stop."""
    own_process: bool = False
    settings: Settings = ()
    """Options of the solver by its own names, set after all other options."""

    def since(self, began: float) -> "Caps":
        """Return the caps with the time that is left since a monotonic moment.

        A solver's own clock begins when it has the program, and handing that over takes time.
        """
        if self.time_s is None:
            return self
        return replace(self, time_s=max(0.0, self.time_s - (time.monotonic() - began)))


def too_many(size: int, most: int, things: str, advice: str = "") -> str | None:
    """Return the reason if a program would have too many of some things, else None."""
    if size <= most:
        return None
    end = f". {sentence(advice)}" if advice else ""
    return f"its program would have {size:,} {things}, more than {most:,}{end}"


TOLERANCE = 1e-6
"""The tolerance for a row, relative to the row's largest number or 1, for an integer, absolute, and
for the difference of two objective values, relative."""

ENDLESS = 1e20
"""Solvers mean infinity by numbers of this size."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checker:
    """The bounds of columns and rows, and functions for the rows' values."""

    lower: Floats
    upper: Floats
    integer: Flags
    row_lower: Floats
    row_upper: Floats
    largest: Floats
    """The largest coefficient of each row."""
    rows: Callable[[Floats], Floats]
    value: Callable[[Floats], float]

    @property
    def crossed(self) -> bool:
        """True if bounds alone exclude every point."""
        low = np.where(self.integer, np.ceil(self.lower), self.lower)
        high = np.where(self.integer, np.floor(self.upper), self.upper)
        return bool((low > high).any() or (self.row_lower > self.row_upper).any())

    def violation(self, point: Floats) -> float:
        """Return the largest miss of a row, a bound or integrality, infinite for NaN."""
        worst = max(self.residuals(point))
        return np.inf if np.isnan(worst) else worst

    def residuals(self, point: Floats) -> tuple[float, float]:
        """Return the largest miss of a row or bound, and of integrality."""
        if point.shape != self.lower.shape or not (np.abs(point) < ENDLESS).all():
            return np.inf, np.inf
        rows = _outside(self.rows(point), self.row_lower, self.row_upper)
        scale = np.maximum(self.largest, _size(self.row_lower, self.row_upper))
        columns = _outside(point, self.lower, self.upper) / _size(self.lower, self.upper)
        integers = np.abs(point - np.round(point))[self.integer]
        primal = max(float(part.max(initial=0.0)) for part in (rows / scale, columns))
        return primal, float(integers.max(initial=0.0))

    def settle(self, point: Floats) -> tuple[Floats, float]:
        """Return the point, integers made whole where that keeps it valid, and its violation."""
        miss = self.violation(point)
        if miss == np.inf:
            return point, miss
        whole = np.where(self.integer, np.round(point), point)
        rounded = self.violation(whole)
        return (whole, rounded) if rounded <= TOLERANCE else (point, miss)


def matrix_checker(matrix: Matrix) -> Checker:
    """Return the checker of a matrix."""
    filled = matrix.a.nnz > 0
    return Checker(
        lower=matrix.lower,
        upper=matrix.upper,
        integer=matrix.integer,
        row_lower=matrix.row_lower,
        row_upper=matrix.row_upper,
        largest=abs(matrix.a).max(axis=1).toarray().ravel() if filled else np.zeros(1),
        rows=lambda point: np.asarray(matrix.a @ point),
        value=lambda point: float(matrix.cost @ point) + matrix.offset,
    )


def _outside(values: Floats, lower: Floats, upper: Floats) -> Floats:
    return np.maximum(np.maximum(lower - values, values - upper), 0.0)


def _size(lower: Floats, upper: Floats) -> Floats:
    """Return the size of finite bounds, at least 1."""
    finite = [np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper)]
    return np.maximum(1.0, np.maximum(*finite))
