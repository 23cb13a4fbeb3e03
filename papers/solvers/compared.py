"""Runs of engines as rows that the statistics of campaigns compare."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...analysis.by_key import by_key
from ...analysis.rows import Row
from ...analysis.stats.cases import Common, common_set
from ...formulations.corpus.index import CorpusEntry, corpus
from .engines import LICENSED
from .verdicts import Optima, kind_of, known_optima, phases

CLASSES = {
    "LP": "linear programs",
    "MILP": "programs with integers",
    "ip": "programs in bounded whole numbers",
    "NL": "non-convex programs",
    "conic": "programs in cones",
}
"""Classes of the corpus, in the order of the page."""


@dataclass(frozen=True)
class EngineRuns:
    """All runs, with what is known after them."""

    rows: tuple[Row, ...]

    @cached_property
    def known(self) -> Optima:
        """What is known of each program."""
        return known_optima(self.rows)

    def kind(self, row: Row) -> str:
        """Return how a run ended."""
        return kind_of(row, self.known[row["instance"]])

    def of(self, kind: str, *, licensed: bool = False) -> list[Row]:
        """Return the runs on programs of a class, by engines that are free, or that are not."""
        return [
            row
            for row in self.rows
            if entry_of(row).kind == kind and (row["solver"] in LICENSED) == licensed
        ]

    @cached_property
    def commons(self) -> Mapping[str, Common]:
        """The runs of free engines on the cases that all have, by class."""
        parts = {kind: self.of(kind) for kind in CLASSES}
        return {kind: self.common(rows) for kind, rows in parts.items() if rows}

    def common(self, rows: Iterable[Row]) -> Common:
        """Return some runs on the cases that all engines among them have."""
        return common_set(self.plain(rows), restrict=True)

    def plain(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows as statistics take them: solved or not, in seconds of solving."""
        return list(self._plain(rows))

    def _plain(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            solved = self.kind(row) == "solved"
            value = self.known[row["instance"]].value
            status = "infeasible" if value is None else "optimal"
            yield row | {
                "status": status if solved else "unknown",
                "objective": value if solved else None,
                "valid": solved and value is not None,
                "violations": 0,
                "fault": None,
                "note": "",
                "bound": None,
                "bound_kind": "none",
                "threads": 1,
                "seconds": solving(row),
                "trajectory": [],
            }


def entry_of(row: Row) -> CorpusEntry:
    """Return the program of a run."""
    return corpus()[row["instance"]]


def solving(row: Row) -> float | None:
    """Return the seconds of a run without those until the engine had the program."""
    if row["seconds"] is None:
        return None
    return max(0.0, float(row["seconds"]) - phases(row).get("setup", 0.0))


def by_engine(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the runs of each engine."""
    return by_key(rows, lambda row: str(row["method"]))
