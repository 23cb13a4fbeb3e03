"""Which tables do rows make? Each kind stands in a file of its own."""

from collections.abc import Callable, Sequence

from ..rows import Row
from ..sources import NOTHING, Sources
from ..tables import Table
from .failures import failures
from .frontier import frontier
from .policies import policies
from .ratios import ratios
from .runs import runs
from .solvers import solvers
from .verdicts import verdicts

KINDS: dict[str, Callable[[Sequence[Row], Sources], Table]] = {
    "ratios": ratios,
    "solvers": solvers,
    "policies": policies,
    "verdicts": verdicts,
    "frontier": frontier,
    "failures": failures,
    "runs": runs,
}
"""Makes a table of rows, by kind."""

__all__ = ["KINDS", "NOTHING", "Sources"]
