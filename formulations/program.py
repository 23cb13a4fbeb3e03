"""What is handed to a solver, a matrix or a program in the NL format, and what it gave back."""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..instances import SolutionStatus, TerminationReason

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nonlinear:
    """A program as the text of an NL file, with its columns in the file's order."""

    columns: tuple[str, ...]
    nl: bytes


Program = Matrix | Nonlinear


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Why the solver stopped, what it left, and how far its point is from the rows.

    Absent is None, never an invented number. `status` is what stands after checking: a point
    that violates a row is not there any more, and `note` says so.
    """

    solver: str = ""
    """Its name, which the solver interface writes."""
    termination: TerminationReason
    status: SolutionStatus
    point: Floats | None = None
    """Values in the order of the program's columns."""
    value: float | None = None
    """The objective at `point`, computed anew."""
    bound: float | None = None
    """The lower bound the solver claims."""
    duals: Floats | None = None
    """Row duals; linear programs without integers only."""
    violation: float | None = None
    """The largest violation of a row, a bound or integrality at `point`, computed anew."""
    nodes: int | None = None
    seconds: float = 0.0
    setup_s: float | None = None
    """Of `seconds`, those until the solver had the program; None where its adapter cannot tell."""
    memory_mb: float | None = None
    """Peak resident memory, where the solve had a process of its own."""
    memory_by: str = ""
    """What kept a cap on memory: ``control group`` or ``looks``; empty where there was none."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits of one solve. Memory and processor caps need a process of its own."""

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
    """Options of the solver by its own names, set after all others."""

    def since(self, began: float) -> "Caps":
        """Return the caps of what is left, after what has passed since a monotonic moment.

        A solver's own clock begins when it has the program, and handing that over takes time.
        """
        if self.time_s is None:
            return self
        return replace(self, time_s=max(0.0, self.time_s - (time.monotonic() - began)))


def too_many(size: int, most: int, things: str, advice: str = "") -> str | None:
    """Say that a program would have too many of some things, or None if it would not."""
    if size <= most:
        return None
    end = f"; {advice}" if advice else ""
    return f"its program would have {size:,} {things}, more than {most:,}{end}"
