"""What an upgrade of an engine changes: its column of before beside the one of now."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..analysis.intervals import Interval, paired_ratio
from ..analysis.rows import Row
from ..analysis.tables import Cell, Table, numbers, texts
from .engine_runs import FLOOR_S, KINDS, EngineRuns, solving, wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """One engine's runs of before and of now on the same programs, orders and limits."""

    before: tuple[Row, ...]
    now: tuple[Row, ...]
    known: EngineRuns
    """All runs of before with those of now: they say what the optima are."""

    @property
    def new_wrong(self) -> list[str]:
        """What is wrong now and was not before, in sentences."""
        old = {_case(row) for row in self.before if self._wrong(row)}
        return [
            f"{row['instance']}, order {row['seed']}: {self._wrong(row)}"
            for row in self.now
            if self._wrong(row) and _case(row) not in old
        ]

    def moved(self) -> Iterator[str]:
        """Yield the programs that were solved in every order, or in none, and are the other now."""
        then, now = (self._solved(rows) for rows in (self.before, self.now))
        for name in sorted(then.keys() & now.keys()):
            if all(then[name]) and not any(now[name]):
                yield f"{name}: solved before in every order, now in none"
            elif all(now[name]) and not any(then[name]):
                yield f"{name}: solved in every order now, before in none"

    def ratio(self) -> Interval | None:
        """Return the mean factor of the times of what both solved, program by program."""
        then, now = (self._times(rows) for rows in (self.before, self.now))
        both = sorted(then.keys() & now.keys())
        if not both:
            return None
        return paired_ratio([now[case] for case in both], [then[case] for case in both])

    def table(self) -> Table:
        """Return how the runs ended, then and now."""
        lines: list[tuple[Cell, ...]] = []
        for when, rows in (("before", self.before), ("now", self.now)):
            ends = Counter(self.known.kind(row) for row in rows)
            versions = ", ".join(sorted({row["solver_version"] or "-" for row in rows}))
            lines.append((when, versions, len(rows), *(ends[kind] for kind in KINDS)))
        return Table(
            caption="How the runs ended",
            columns=(*texts("", "version"), *numbers("runs", *KINDS)),
            rows=tuple(lines),
        )

    def _wrong(self, row: Row) -> str:
        return wrong(row, self.known.known[row["instance"]])

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


def upgrade(engine: str, before: Sequence[Row], now: Sequence[Row]) -> Upgrade:
    """Compare an engine's column of before, among all rows, with the one of now."""
    cases = {_case(row) for row in now}
    own = tuple(r for r in before if r["method"] == engine and _case(r) in cases)
    newer = {row["key"]: row for row in now}
    rest = (row for row in before if row["key"] not in newer)
    return Upgrade(before=own, now=tuple(now), known=EngineRuns((*rest, *now)))


def _case(row: Row) -> tuple[str, int]:
    return row["instance"], row["seed"]
