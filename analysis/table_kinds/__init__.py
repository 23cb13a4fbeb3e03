"""Which tables do rows make? Each kind stands in a file of its own."""

from collections.abc import Callable, Sequence

from ...outside.entry_points import Brought, named
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

Make = Callable[[Sequence[Row], Sources], Table]

KINDS: dict[str, Make] = {
    "ratios": ratios,
    "solvers": solvers,
    "policies": policies,
    "verdicts": verdicts,
    "frontier": frontier,
    "failures": failures,
    "runs": runs,
}
"""Makes a table of rows, by kind."""

GROUP = "ringyard.tables"
"""Entry points of this group are kinds of tables of other packages: a function of rows and sources
each, which gives a `Table`."""


def outside_kinds() -> dict[str, Make]:
    """Return kinds of tables of other packages, none of them imported before it is called."""
    return {name: _outside(one) for name, one in named(GROUP).items() if name not in KINDS}


def _outside(one: Brought) -> Make:
    return lambda rows, sources: one.guard(one.load(Callable), Table)(rows, sources)


__all__ = ["GROUP", "KINDS", "NOTHING", "Sources", "outside_kinds"]
