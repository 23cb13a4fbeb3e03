"""The kinds of tables that rows of a campaign can make, with the columns that each may have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...extensions.entry_points import Brought, brought_as, named
from ..rows import Row
from ..sources import NOTHING, Sources
from ..tables import Column, Table
from .pairs import PAIR_COLUMNS, pair_times, pairs
from .quality import POLICY_COLUMNS, RATIO_COLUMNS, policies, ratios
from .runs import (
    FAILURE_COLUMNS,
    FRONTIER_COLUMNS,
    RUN_COLUMNS,
    VERDICT_COLUMNS,
    failures,
    frontier,
    runs,
    verdicts,
)
from .solvers import SOLVER_COLUMNS, solvers

Make = Callable[[Sequence[Row], Sources], Table]


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """A kind of table: its content, the meaning of a line, all its columns, and its function."""

    about: str
    line: str
    columns: tuple[Column, ...]
    """Possible columns of a table of this kind. A head in <> is a placeholder for several."""
    make: Make

    def __call__(self, rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
        """Return the table of some rows."""
        return self.make(rows, sources)


KINDS: dict[str, TableDefinition] = {
    "ratios": TableDefinition(
        "mean and worst ratio to the proved bound for each method",
        "a method in a group of instances",
        RATIO_COLUMNS,
        ratios,
    ),
    "solvers": TableDefinition(
        "solved runs, mean times, PAR10, gap and memory for each method",
        "a method in a group of instances",
        SOLVER_COLUMNS,
        solvers,
    ),
    "policies": TableDefinition(
        "mean objective and mean ratio to the proved bound for each method",
        "a method in a group of instances",
        POLICY_COLUMNS,
        policies,
    ),
    "pairs": TableDefinition(
        "ratio, effect size and corrected p-value of objectives for each pair of methods",
        "a pair of methods in a group of instances",
        PAIR_COLUMNS,
        pairs,
    ),
    "pair-times": TableDefinition(
        "ratio, effect size and corrected p-value of times to a proof for each pair of methods",
        "a pair of methods in a group of instances",
        PAIR_COLUMNS,
        pair_times,
    ),
    "verdicts": TableDefinition(
        "runs in which each theorem holds, and the largest ratio, for each method",
        "a theorem about a method",
        VERDICT_COLUMNS,
        verdicts,
    ),
    "frontier": TableDefinition(
        "time to proved optimality by instance, with a column for each exact method",
        "an instance, from small to large",
        FRONTIER_COLUMNS,
        frontier,
    ),
    "failures": TableDefinition(
        "every run without an answer, with its reason",
        "a run without an answer",
        FAILURE_COLUMNS,
        failures,
    ),
    "runs": TableDefinition("objective, bound and time of each run", "a run", RUN_COLUMNS, runs),
}
"""Table kinds by name, in the order of lists."""

GROUP = "ringyard.tables"
"""Entry points of this group are kinds of tables of other packages: a function of rows and sources
each, which gives a `Table`."""


def kind_names() -> list[str]:
    """Return the names of all kinds of tables, Ringyard's first."""
    return list(dict.fromkeys([*KINDS, *named(GROUP)]))


def find_kind(name: str) -> Make | None:
    """Return a kind of table by its name or ``FILE.py:NAME``, or None if it is unknown."""
    one = None if name in KINDS else brought_as(GROUP, name)
    return _of_plugin(one) if one else KINDS.get(name)


def _of_plugin(one: Brought) -> Make:
    return lambda rows, sources: one.guard(one.load(Callable), Table)(rows, sources)


__all__ = ["GROUP", "KINDS", "NOTHING", "Sources", "TableDefinition", "find_kind", "kind_names"]
