"""Changes of an engine's answers and times by an upgrade."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.intervals import Interval, paired_ratio
from ..analysis.rows import Row
from ..analysis.tables.model import Cell, Table, numbers, texts
from ..formulations.corpus.index import CorpusEntry
from .compared import FLOOR_S, EngineRuns
from .verdicts import KINDS, contradiction, solving


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """One engine's earlier and current runs on the same programs, orders and limits."""

    before: tuple[Row, ...]
    now: tuple[Row, ...]
    known: EngineRuns
    """All earlier and current runs, which determine the known optima."""

    @property
    def newly_contradicted(self) -> list[str]:
        """Sentences on answers that are contradicted now and were not before."""
        old = {_case(row) for row in self.before if self._contradiction(row)}
        return [
            f"{row['instance']}, order {row['seed']}: {self._contradiction(row)}"
            for row in self.now
            if self._contradiction(row) and _case(row) not in old
        ]

    def moved(self) -> Iterator[str]:
        """Yield the programs solved in every order before and in no order now, or vice versa."""
        then, now = (self._solved(rows) for rows in (self.before, self.now))
        for name in sorted(then.keys() & now.keys()):
            if all(then[name]) and not any(now[name]):
                yield f"{name}: solved in every order before, in no order now"
            elif all(now[name]) and not any(then[name]):
                yield f"{name}: solved in every order now, in no order before"

    def ratio(self) -> Interval | None:
        """Return the mean time ratio over programs that both solved."""
        then, now = (self._times(rows) for rows in (self.before, self.now))
        both = sorted(then.keys() & now.keys())
        if not both:
            return None
        return paired_ratio([now[case] for case in both], [then[case] for case in both])

    def table(self) -> Table:
        """Return the outcomes of the runs, before and after."""
        lines: list[tuple[Cell, ...]] = []
        for when, rows in (("before", self.before), ("now", self.now)):
            ends = Counter(self.known.kind(row) for row in rows)
            versions = ", ".join(sorted({row["solver_version"] or "-" for row in rows}))
            lines.append((when, versions, len(rows), *(ends[kind] for kind in KINDS)))
        return Table(
            caption="Status of the runs",
            columns=(*texts("", "version"), *numbers("runs", *KINDS)),
            rows=tuple(lines),
        )

    def _contradiction(self, row: Row) -> str:
        return contradiction(row, self.known.known[row["instance"]])

    def _solved(self, rows: Sequence[Row]) -> dict[str, list[bool]]:
        found: dict[str, list[bool]] = defaultdict(list)
        for row in rows:
            found[row["instance"]].append(self.known.kind(row) == "solved")
        return found

    def _times(self, rows: Sequence[Row]) -> dict[tuple[str, int], float]:
        return {
            _case(row): max(FLOOR_S, solving(row) or 0.0)
            for row in rows
            if self.known.kind(row) == "solved"
        }


def upgrade(
    engine: str, before: Sequence[Row], now: Sequence[Row], programs: Mapping[str, CorpusEntry]
) -> Upgrade:
    """Compare an engine's column of before, among all rows, with the one of now."""
    cases = {_case(row) for row in now}
    own = tuple(r for r in before if r["method"] == engine and _case(r) in cases)
    newer = {row["key"]: row for row in now}
    rest = (row for row in before if row["key"] not in newer)
    return Upgrade(before=own, now=tuple(now), known=EngineRuns((*rest, *now), programs))


def _case(row: Row) -> tuple[str, int]:
    return row["instance"], row["seed"]
