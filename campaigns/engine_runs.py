"""Runs of engines: outcomes relative to known optima, and changes by an upgrade."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from ..analysis.intervals import Interval, paired_ratio
from ..analysis.rows import Row, by_key
from ..analysis.stats.cases import Common, common_set
from ..analysis.tables.model import Cell, Table, numbers, texts
from ..formulations.corpus.index import CLOSE, CorpusEntry, close, corpus
from .engines import LICENSED

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

MAKERS = {"highs": "HiGHS", "scip": "SCIP", "cp-sat": "CP-SAT"}
"""Engines of one code, which are no independent provers, begin with its name."""

KINDS = ("solved", "point", "nothing", "imprecise", "refused", "failed", "wrong")
"""Outcomes of a run (see `kind_of`)."""

Optima = Mapping[str, "KnownOptimum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOptimum:
    """A program's optimum, as far as it is known after all runs."""

    value: float | None
    """Value of the best feasible point, None if no point is known."""
    certified: bool
    provers: frozenset[str]
    """The engines that correctly reported optimality or infeasibility."""

    @property
    def settled(self) -> bool:
        """True if its optimum is considered known."""
        return self.certified or len(self.provers) > 1


def known_optima(rows: Iterable[Row]) -> Optima:
    """Return the known optimum by program, including the corpus's points and certificates."""
    found = by_key(rows, lambda row: str(row["instance"]))
    return {name: _known(corpus()[name], some) for name, some in found.items()}


def _known(entry: CorpusEntry, rows: list[Row]) -> KnownOptimum:
    values = [row["objective"] for row in rows if row["valid"] and entry.kind != "conic"]
    best = min([*values, inf if entry.value is None else entry.value], default=inf)
    value = None if best == inf else best
    agreed = {row["method"] for row in rows if _agrees(row, value)}
    provers = {maker(name) for name in (*agreed, *entry.provers)}
    certified = entry.certified and (value is None or close(value, entry.value or 0.0))
    return KnownOptimum(value=value, certified=certified, provers=frozenset(provers))


def _agrees(row: Row, value: float | None) -> bool:
    if value is None:
        return bool(row["solution_status"] == "infeasible")
    return bool(
        row["valid"] and row["solution_status"] == "optimal" and close(row["objective"], value)
    )


def maker(engine: str) -> str:
    """Return the code that an engine is of."""
    known = next((code for begins, code in MAKERS.items() if engine.startswith(begins)), engine)
    return known.removeprefix("cvxpy-")


def wrong(row: Row, known: KnownOptimum) -> str:
    """Return the error of an answer, or an empty text (see docs/concepts/methodology.md)."""
    value = known.value
    if row["rejection"]:
        return str(row["rejection"])
    if value is None:
        return ""
    if row["solution_status"] == "infeasible":
        return f"claims infeasibility, but {value:.10g} is possible"
    part = LOOSE if corpus()[row["instance"]].kind in ("LP", "conic") else CLOSE
    most = value + part * max(1.0, abs(value))
    if row["solution_status"] == "optimal" and row["valid"] and row["objective"] > most:
        return f"claims the optimum {row['objective']:.10g}, but {value:.10g} is possible"
    if row["bound"] is not None and row["bound"] > most:
        return f"claims the bound {row['bound']:.10g}, but {value:.10g} is possible"
    return ""


LOOSE = 1e-5
"""Relative tolerance of an engine on a program without integers."""


LATE = 1.2
"""An answer later than this multiple of the limit is classified as a point, not as solved."""


def kind_of(row: Row, known: KnownOptimum) -> str:
    """Return the outcome of a run.

    solved: the optimum, or infeasibility. point: a limit was met, and there is a point. nothing: no
    point, also if the engine was terminated. imprecise: a point reported as optimal violates the
    program by more than 1e-6. refused: the program is unsupported. failed: a crash, or no memory.
    """
    if wrong(row, known):
        return "wrong"
    if row["status"] == "refused":
        return "refused"
    late = row["seconds"] is not None and row["seconds"] > LATE * row["time_limit"]
    if row["status"] == "infeasible" and not late:
        return "solved"
    if row["solution_status"] == "optimal" and not late:
        return "solved" if row["valid"] else "imprecise"
    if row["status"] in ("crashed", "out of memory", "killed", "error"):
        return "failed"
    return "point" if row["valid"] else "nothing"


def phases(row: Row) -> Mapping[str, float]:
    """Return the seconds by phase: build, setup, audit."""
    found: Mapping[str, float] = json.loads(row["phases"] or "{}")
    return found


@dataclass(frozen=True)
class EngineRuns:
    """All runs, with the optima known from them."""

    rows: tuple[Row, ...]

    @cached_property
    def known(self) -> Optima:
        """The optimum of each program, as far as it is known."""
        return known_optima(self.rows)

    def kind(self, row: Row) -> str:
        """Return the outcome of a run."""
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
                "seconds": solving(row),
                "trajectory": [],
            }
            found.append(row | plain)
        return found


def entry_of(row: Row) -> CorpusEntry:
    """Return the program of a run."""
    return corpus()[row["instance"]]


def solving(row: Row) -> float | None:
    """Return the seconds of a run since the engine had the program."""
    if row["seconds"] is None:
        return None
    return max(0.0, float(row["seconds"]) - phases(row).get("setup", 0.0))


def by_engine(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the runs of each engine."""
    return by_key(rows, lambda row: str(row["method"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """One engine's earlier and current runs on the same programs, orders and limits."""

    before: tuple[Row, ...]
    now: tuple[Row, ...]
    known: EngineRuns
    """All earlier and current runs, which determine the known optima."""

    @property
    def new_wrong(self) -> list[str]:
        """Sentences on answers that are wrong now and were not before."""
        old = {_case(row) for row in self.before if self._wrong(row)}
        return [
            f"{row['instance']}, order {row['seed']}: {self._wrong(row)}"
            for row in self.now
            if self._wrong(row) and _case(row) not in old
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
