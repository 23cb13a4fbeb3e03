"""What is handed to a solver: a matrix, or a nonlinear program in the NL format."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    offset: float
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
