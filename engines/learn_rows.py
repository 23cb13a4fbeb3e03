"""Learns from the rows of a benchmark: points, claims and bounds for the index of the corpus.

A point counts only if it is in the folder and keeps its promise in fractions. Solvers from outside
Ringyard supply points only: claims are of solvers that everybody can ask.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np

from ..analysis.rows import Row, answered, by_key
from ..campaigns.store import Store, kept_text
from ..formulations.conic import ConicProgram
from ..formulations.corpus.build import build_any, digest_of
from ..formulations.corpus.exact import priced, priced_in_cones
from ..formulations.corpus.history import HistoryLine
from ..formulations.corpus.index import CorpusEntry, SolverClaim, Tier, beyond, with_history
from ..formulations.corpus.record import IndexFiles
from ..formulations.files.sol import exact_sol
from ..formulations.program import TOLERANCE, Floats, Program
from ..formulations.solver_interface.solve import SOLVERS
from ..instances import InputError, RefusedError, SolutionStatus
from .engine import LIMIT_S
from .learn import Answer, certified_line, learned, on_record
from .program_run import case_digest

CLAIMS_S: dict[Tier, float] = {"standard": LIMIT_S, "hard": 600.0}
"""The limit of the runs whose claims the index lists, on one thread and in the file's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What the index learns from the rows about a program, and what it refuses."""

    program: str
    lines: tuple[HistoryLine, ...] = ()
    claims: tuple[SolverClaim, ...] = ()
    """Claims that are new in its index."""
    refused: tuple[str, ...] = ()
    """Points that break their promise, with the reason."""
    contradicted: tuple[str, ...] = ()
    """Claims that what is known refutes."""
    without_point: tuple[str, ...] = ()
    """Better values whose points the folder does not have."""

    @property
    def empty(self) -> bool:
        """True if there is nothing to report."""
        return not any(getattr(self, part) for part in PARTS)


PARTS = ("lines", "claims", "refused", "contradicted", "without_point")


def rows_of_corpus(
    rows: Iterable[Row], index: IndexFiles
) -> Iterator[tuple[CorpusEntry, list[Row]]]:
    """Yield the programs of the index that rows are about, with these rows."""
    known = index.entries()
    for name, some in by_key(rows, lambda row: str(row["instance"])).items():
        if (entry := known.get(name)) is not None:
            own = [row for row in some if row["digest"] == case_digest(entry)]
            if own:
                yield entry, own


def learn_program(
    entry: CorpusEntry,
    rows: Sequence[Row],
    store: Store | None,
    index: IndexFiles,
    bound_s: float = 0.0,
    *,
    write: bool = True,
) -> Lesson:
    """Learn from the rows about a program, and write what is new to the index.

    `store` has the points. If the program has no certified bound, `bound_s` seconds are spent on
    one.
    """
    return _Learner(entry, rows, store, bound_s).lesson(index, write=write)


class _Learner:
    """The rows about a program, which is built if a point or a bound needs it.

    Rows with a better value than any point that is known or stored teach nothing.
    """

    def __init__(
        self, entry: CorpusEntry, rows: Sequence[Row], store: Store | None, bound_s: float
    ) -> None:
        self._entry, self._rows, self._store, self._bound_s = entry, rows, store, bound_s
        self._refused, self._without = list[str](), list[str]()
        self._built: Program | ConicProgram | None = None
        self._best, self._believed, self._broken = entry.value, list[Row](), set[str]()

    def lesson(self, index: IndexFiles, *, write: bool) -> Lesson:
        answers = list(self._answers())
        claims, known = self._claims(), {one.solver: one for one in self._entry.claims}
        new_claims = tuple(one for one in claims if known.get(one.solver) != one)
        entry = self._entry
        if new_claims:
            whole = tuple((known | {one.solver: one for one in new_claims}).values())
            entry = replace(entry, claims=whole, limit_s=CLAIMS_S[entry.tier])
        before = index.lines().get(entry.name, [])
        found = learned(entry, before, self._built, answers)
        lines = list(found.lines)
        bound = self._bound(with_history(entry, [*before, *lines]))
        lines += [] if bound is None else [bound]
        if write and new_claims:
            index.put(entry)
        if write and found.point is not None:
            index.store(entry.name, found.point)
        if write:  # Last: without its line, an interrupted lesson is learned again.
            index.append(lines)
        return Lesson(
            program=entry.name,
            lines=tuple(lines),
            claims=new_claims,
            refused=tuple(self._refused),
            contradicted=tuple(found.contradictions),
            without_point=tuple(self._without),
        )

    @property
    def _program(self) -> Program | ConicProgram:
        if self._built is None:
            self._built = build_any(self._entry.recipe)
            if digest_of(self._built) != self._entry.digest:
                name = self._entry.name
                raise RefusedError(f"{name} differs from the index: other versions generated it")
        return self._built

    def _answers(self) -> Iterator[Answer]:
        """Yield the answers of rows, first those with points."""
        for row in self._rows:
            path = None if self._store is None else self._store.point_file(row["key"])
            if answered(row) and self._is_news(row["objective"]) and path and path.is_file():
                point, answer = self._point(row, path), _answer(row)
                if point is not None:
                    self._believed.append(row)
                    status = SolutionStatus.FEASIBLE if row["source"] else answer.status
                    yield replace(answer, point=point, status=status)
        done = {row["key"] for row in self._believed} | self._broken
        for row in self._rows:
            if row["key"] in done:
                continue
            if answered(row) and self._is_news(row["objective"]):
                self._without.append(f"{_about(row)} has {row['objective']:.10g}")
                continue
            self._believed.append(row)
            told = answered(row) or row["solution_status"] == "infeasible"
            if told and not row["source"]:
                yield _answer(row)
        program, unknown = self._built, self._entry.value is None
        if unknown and program is not None and not isinstance(program, ConicProgram):
            plan = on_record(self._entry.recipe, program, _today())
            yield from () if plan is None else (plan,)

    def _is_news(self, value: float) -> bool:
        return self._best is None or beyond(self._best, value)

    def _point(self, row: Row, path: Path) -> Floats | None:
        """Return the stored point of a row, or None if it breaks its promise."""
        columns = self._program.columns
        try:
            values = exact_sol(kept_text(path), columns, str(path))
            reason = self._reason(values, row["objective"])
        except InputError as error:
            reason, values = str(error.problems[0]), {}
        if reason:
            self._broken.add(row["key"])
            self._refused.append(f"{path}, of {_about(row)}: {reason}")
            return None
        self._best = row["objective"]
        point = np.zeros(len(columns))
        point[list(values)] = [float(value) for value in values.values()]
        return point

    def _reason(self, values: dict[int, Fraction], claimed: float) -> str:
        """Return why a point is refused, or an empty text."""
        program, bound = self._program, self._entry.bound
        try:
            if isinstance(program, ConicProgram):
                found = priced_in_cones(program, values)
            else:
                found = priced(program, values)
        except ZeroDivisionError:
            return "the program divides by zero at this point"
        value, worst = float(found.value), found.worst
        if not found.holds(Fraction(TOLERANCE)):
            return f"it violates {worst.where} by {float(worst.amount):.3g}"
        if beyond(value, claimed):
            return f"its value is {value:.10g}, not {claimed:.10g} as its row claims"
        if bound is not None and beyond(bound, value):
            return f"its value {value:.10g} is below the certified bound {bound:.10g}"
        return ""

    def _claims(self) -> tuple[SolverClaim, ...]:
        """Return the claims for the index, where its tier is hard or it has none."""
        if self._entry.tier == "standard" and self._entry.claims:
            return ()
        limit, ours = CLAIMS_S[self._entry.tier], {one.name for one in SOLVERS}
        rows = [
            row
            for row in sorted(self._believed, key=lambda row: str(row["started"]))
            if (row["seed"], row["threads"], row["time_limit"]) == (0, 1, limit)
            if row["method"] in ours and row["status"] != "refused"
        ]
        found = {row["method"]: _claim(row) for row in rows}
        return tuple(found[name] for name in sorted(found))

    def _bound(self, known: CorpusEntry) -> HistoryLine | None:
        """Return the line of a certified bound, if the program has none and time is granted."""
        if self._bound_s <= 0 or known.bound is not None or known.certified:
            return None
        return certified_line(known, self._program, self._bound_s, _today())


def _answer(row: Row) -> Answer:
    return Answer(
        by=row["method"],
        version=row["solver_version"] or "",
        date=row["started"][:10],
        status=SolutionStatus(row["solution_status"]),
        value=row["objective"],
        seconds=row["seconds"],
        limit_s=row["time_limit"],
        threads=row["threads"],
    )


def _claim(row: Row) -> SolverClaim:
    return SolverClaim(
        solver=row["method"],
        version=row["solver_version"] or "",
        termination=row["termination"],
        status=row["solution_status"],
        seconds=round(row["seconds"] or 0.0, 1),
        value=row["objective"] if row["valid"] else None,
        bound=row["bound"],
    )


def _about(row: Row) -> str:
    return f"{row['method']} {row['solver_version'] or ''}".strip()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
