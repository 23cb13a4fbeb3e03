"""Runs of engines on programs, with the optima known from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..analysis.rows import PROGRAM, Row, by_key
from ..analysis.stats.cases import Common, common_set
from ..analysis.stats.clustered import Place
from ..formulations.corpus.index import CorpusEntry
from .engine import LICENSED
from .verdicts import Optima, kind_of, known_optima

CLASSES = {
    "LP": "linear programs",
    "MILP": "programs with integers",
    "ip": "programs in bounded integers",
    "NL": "non-convex programs",
    "conic": "programs in cones",
}
"""Classes of the corpus, in the order of the page."""

FLOOR_S = 0.1
"""Times below are taken for this: a factor between shorter ones is noise."""


@dataclass(frozen=True)
class EngineRuns:
    """All runs, with the optima known from them."""

    rows: tuple[Row, ...]
    programs: Mapping[str, CorpusEntry]
    """The programs by name."""
    licensed: frozenset[str] = LICENSED
    """Solvers with licences for small sizes, which are compared apart."""

    @cached_property
    def known(self) -> Optima:
        """The optimum of each program, as far as it is known."""
        return known_optima(self.rows, self.programs)

    def kind(self, row: Row) -> str:
        """Return the outcome of a run."""
        return kind_of(row, self.known[row["instance"]])

    def entry(self, row: Row) -> CorpusEntry:
        """Return the program of a run."""
        return self.programs[row["instance"]]

    def of(self, kind: str, *, licensed: bool = False) -> list[Row]:
        """Return the runs on programs of a class, by engines that are free, or that are not."""
        return [
            row
            for row in self.rows
            if self.entry(row).kind == kind and (row["solver"] in self.licensed) == licensed
        ]

    @cached_property
    def commons(self) -> Mapping[str, Common]:
        """The runs of free engines on the cases that all have, by class."""
        parts = {kind: self.of(kind) for kind in CLASSES}
        return {kind: self.common(rows) for kind, rows in parts.items() if rows}

    def common(self, rows: Iterable[Row]) -> Common:
        """Return some runs on the cases that all engines among them have."""
        return common_set(self.plain(rows), restrict=True)

    def places(self, common: Common) -> list[Place]:
        """Return the family, the instance and the program of each case."""
        rows = next(iter(common.runs.values()))
        return [(self.entry(row).family, instance_of(row), row["instance"]) for row in rows]

    def plain(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows as statistics take them: solved or not, in seconds with set-up."""
        found = list[Row]()
        for row in rows:
            solved = self.kind(row) == "solved"
            value = self.known[row["instance"]].value
            status = "infeasible" if value is None else "optimal"
            plain: Row = {
                "status": status if solved else "unknown",
                "objective": value if solved else None,
                "valid": solved and value is not None,
                "violations": 0,
                "rejection": None,
                "note": "",
                "bound": None,
                "bound_kind": "none",
                "threads": 1,
                "trajectory": [],
            }
            found.append(row | plain)
        return found


def instance_of(row: Row) -> str:
    """Return the instance whose program a run is about."""
    name = str(row["instance"])
    return name if row["family"] == PROGRAM else name.partition(".")[0]


def by_engine(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the runs of each engine."""
    return by_key(rows, lambda row: str(row["method"]))
