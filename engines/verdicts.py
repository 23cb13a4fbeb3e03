"""Verdicts on answers of engines: the known optima, contradictions, and outcomes of runs."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf

from ..analysis.rows import Row, by_key
from ..formulations.corpus.history import CLOSE, close
from ..formulations.corpus.index import CorpusEntry
from ..formulations.solver_interface.solve import SOLVERS

MAKERS = {"highs": "HiGHS", "scip": "SCIP", "cp-sat": "CP-SAT"}
"""Engines of one code, which are no independent provers, begin with its name."""

KINDS = ("solved", "point", "nothing", "imprecise", "refused", "failed", "contradicted")
"""Outcomes of a run (see `kind_of`)."""

LOOSE = 1e-5
"""Relative tolerance of an engine on a program without integers."""

Optima = Mapping[str, "KnownOptimum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOptimum:
    """A program's optimum, as far as it is known after all runs."""

    value: float | None
    """Value of the best feasible point, None if no point is known."""
    certified: bool
    provers: frozenset[str]
    """The engines that correctly reported optimality or infeasibility."""
    tolerance: float = CLOSE
    """Relative difference of values up to which no answer is contradicted."""

    @property
    def settled(self) -> bool:
        """True if its optimum is considered known."""
        return self.certified or len(self.provers) > 1


def known_optima(rows: Iterable[Row], programs: Mapping[str, CorpusEntry]) -> Optima:
    """Return the known optimum by program, including known points and certificates."""
    found = by_key(rows, lambda row: str(row["instance"]))
    return {name: _known(programs[name], some) for name, some in found.items()}


def _known(entry: CorpusEntry, rows: list[Row]) -> KnownOptimum:
    values = [row["objective"] for row in rows if row["valid"] and entry.kind != "conic"]
    best = min([*values, inf if entry.value is None else entry.value], default=inf)
    value = None if best == inf else best
    agreed = {code_of(row) for row in rows if _agrees(row, value)}
    provers = agreed | set(map(maker, entry.provers))
    certified = entry.certified and (value is None or close(value, entry.value or 0.0))
    return KnownOptimum(
        value=value,
        certified=certified,
        provers=frozenset(provers),
        tolerance=tolerance_of(entry),
    )


def tolerance_of(entry: CorpusEntry) -> float:
    """Return the relative difference from the known value up to which no answer is contradicted."""
    return LOOSE if entry.kind in ("LP", "conic") else CLOSE


def _agrees(row: Row, value: float | None) -> bool:
    if value is None:
        return bool(row["solution_status"] == "infeasible")
    return bool(
        row["valid"] and row["solution_status"] == "optimal" and close(row["objective"], value)
    )


def maker(engine: str) -> str:
    """Return the code that an engine of Ringyard is of, by its name."""
    name = engine.removeprefix("cvxpy-")
    return next((code for begins, code in MAKERS.items() if name.startswith(begins)), name)


def code_of(row: Row) -> str:
    """Return the code of a run's engine. A solver from outside is its own or names another."""
    if not row.get("source"):
        return maker(row["method"])
    named = str(row["solver_code"] or row["solver"])
    ours = {one.name.lower(): one.name for one in SOLVERS}
    return maker(ours[named.lower()]) if row["solver_code"] and named.lower() in ours else named


def contradiction(row: Row, known: KnownOptimum) -> str:
    """Return how an answer contradicts known points, or an empty text.

    It need not be wrong: a point holds to a tolerance only (see docs/concepts/methodology.md).
    """
    value = known.value
    if row["rejection"]:
        return str(row["rejection"])
    if value is None:
        return ""
    if row["solution_status"] == "infeasible":
        return f"claims infeasibility, but {value:.10g} is possible"
    if row["solution_status"] == "unbounded" and known.settled:
        return f"claims that the objective has no end, but {value:.10g} is optimal"
    most = value + known.tolerance * max(1.0, abs(value))
    if row["solution_status"] == "optimal" and row["valid"] and row["objective"] > most:
        return f"claims the optimum {row['objective']:.10g}, but {value:.10g} is possible"
    if row["bound"] is not None and row["bound"] > most:
        return f"claims the bound {row['bound']:.10g}, but {value:.10g} is possible"
    return ""


LATE = 1.2
"""An answer later than this multiple of the limit is classified as a point, not as solved."""


def kind_of(row: Row, known: KnownOptimum) -> str:
    """Return the outcome of a run.

    solved: the optimum, or infeasibility. point: a limit was met, and there is a point. nothing: no
    point, also if the engine was terminated. imprecise: a point reported as optimal violates the
    program by more than 1e-6. refused: the program is unsupported. failed: a crash, or no memory.
    """
    if contradiction(row, known):
        return "contradicted"
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


def solving(row: Row) -> float | None:
    """Return the seconds of a run since the engine had the program."""
    if row["seconds"] is None:
        return None
    return max(0.0, float(row["seconds"]) - phases(row).get("setup", 0.0))
