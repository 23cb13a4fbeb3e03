"""Contradicted answers asked again: which of them does a small program show to be wrong?

An answer is contradicted by a point that holds to a tolerance. It is wrong only if the solver gives
it again, a point in fractions refutes it, and it can be made small.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from ..analysis.rows import Row
from ..analysis.tables import Table, numbers, table_of, texts
from ..formulations.conic import ConicProgram
from ..formulations.corpus.build import build_any, shuffled
from ..formulations.corpus.index import CorpusEntry, best_point
from ..formulations.exact import exact_point
from ..formulations.program import (
    ENDLESS,
    TOLERANCE,
    Caps,
    Matrix,
    Program,
    Solution,
    matrix_checker,
)
from ..formulations.shrink import Shrinking, keep_small
from ..formulations.solver_interface.solve import find_solver
from ..formulations.wrong import SECONDS, SEEDS, Suspect, Wrong, doubted, own_point_wrong
from ..instances import Limits
from ..instances.errors import plural
from ..instances.writing import write_whole
from .verdicts import KnownOptimum, contradiction, known_optima

TRIES = 3
"""Number of times that an answer is asked for again, and that a small program is tried."""

LONGER = 10
"""Multiple of the limit that the solver has."""

SHRINK_S = 300.0
"""Seconds for making one program small."""

FILE = "confirmations.jsonl"
"""The outcomes, a line for each contradicted answer."""

Outcome = Literal["confirmed", "not seen again", "only under a limit", "not shown", "not asked"]

OUTCOMES: dict[Outcome, str] = {
    "confirmed": "a small program shows that the solver errs",
    "not seen again": f"right {TRIES} times with {LONGER} times the limit, and with the limit",
    "only under a limit": f"right {TRIES} times with {LONGER} times the limit, but not with it",
    "not shown": "it came again, but no point in fractions refutes it",
    "not asked": "the solver is not installed, or no small program can be made of this class",
}
"""The meaning of each outcome."""

NO_SMALL = "contradicted; no small program can be made of this class"

Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """A contradicted answer, and the outcome of asking for it again."""

    key: str
    """The key of its run."""
    program: str
    engine: str
    order: int
    version: str
    """The solver's version in the run."""
    asked: str
    """The version that was asked again, empty if none was."""
    said: str
    """The contradiction."""
    outcome: Outcome
    note: str = ""
    """The solver's false claim about the small program, or the reason for the outcome."""
    file: str = ""
    """The name of the small program in the folder ``found``, without its end."""


def built_program(entry: CorpusEntry) -> Program | ConicProgram:
    """Return the program of an entry of the corpus."""
    return build_any(entry.recipe)


def confirmed(
    rows: Sequence[Row],
    programs: Mapping[str, CorpusEntry],
    folder: Path,
    tell: Tell,
    *,
    built: Callable[[CorpusEntry], Program | ConicProgram] = built_program,
    only: Callable[[Row], bool] = lambda row: True,
) -> list[Confirmation]:
    """Ask again for the contradicted answers among rows, and return what became of each.

    Small programs go to ``found`` in the folder. Answers that were asked for before, of the same
    version, are not asked for again. `built` returns the program of an entry. `only` chooses
    rows; all of them say what is known.

    Raises:
        MissingError: If the second solver, which supplies points, is needed and not installed.
    """
    known = known_optima(rows, programs)
    done = {one.key: one for one in read_confirmations(folder)}
    found = list[Confirmation]()
    for row in rows:
        said = contradiction(row, known[row["instance"]])
        if not said or not only(row):
            continue
        entry = programs[row["instance"]]
        one = _unasked(row, entry, said)
        before = done.get(one.key)
        if one.asked and before is not None and before.asked == one.asked:
            one = before
        elif one.asked:
            program = built(entry)
            assert isinstance(program, Matrix)
            again = _Again(row, known[entry.name], program, folder / "found")
            one = again.outcome_of(one)
        tell(f"{one.program}, {one.engine}, order {one.order}: {one.outcome}")
        found.append(one)
        done[one.key] = one
        lines = (json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in done.values())
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / FILE, "".join(lines).encode())
    return found


def _unasked(row: Row, entry: CorpusEntry, said: str) -> Confirmation:
    """Return the confirmation of an answer before it is asked for again."""
    solver, small = find_solver(row["solver"]), entry.kind not in ("NL", "conic")
    return Confirmation(
        key=row["key"],
        program=entry.name,
        engine=row["method"],
        order=row["seed"],
        version=row["solver_version"] or "",
        asked=(solver.version or "") if small else "",
        said=said,
        outcome="not asked",
        note=(solver.missing or "") if small else NO_SMALL,
    )


def read_confirmations(folder: Path) -> list[Confirmation]:
    """Return the outcomes that are on file in a folder."""
    file = folder / FILE
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [Confirmation(**json.loads(line)) for line in lines]


def headline(found: Sequence[Confirmation]) -> str:
    """Return how many answers are contradicted, and how many of them are confirmed."""
    shown = sum(one.outcome == "confirmed" for one in found)
    verb = "is" if len(found) == 1 else "are"
    return f"{plural(len(found), 'answer')} {verb} contradicted, {shown or 'none'} confirmed"


def confirmation_table(found: Sequence[Confirmation]) -> Table:
    """Return what became of the contradicted answers, by engine, program and versions."""
    lines = Counter((o.engine, o.program, o.version, o.asked, o.outcome, o.file) for o in found)
    there = {one.outcome for one in found}
    meanings = (f"{n[0].upper()}{n[1:]}: {text}." for n, text in OUTCOMES.items() if n in there)
    return table_of(
        "Contradicted answers that were asked for again",
        (
            *texts("engine", "program"),
            *texts("then", "again", over="version"),
            *texts("outcome", "small program"),
            *numbers("answers"),
        ),
        ((*line, count) for line, count in sorted(lines.items())),
        " ".join(meanings),
    )


class _Again:
    """A contradicted answer that is asked for again."""

    def __init__(self, row: Row, known: KnownOptimum, program: Matrix, folder: Path) -> None:
        """Take the row of the answer, its program, and the folder for small programs."""
        solver, options = find_solver(row["solver"]), row["options"] or ""
        settings = tuple(_pair(word) for word in options.split(":") if word)
        caps = Caps(
            time_s=LONGER * row["time_limit"],
            threads=row["threads"],
            seed=row["seed"],
            settings=settings,
            own_process=True,
        )
        self._limit_s, self._known, self._folder = row["time_limit"], known, folder
        self._suspect, self._words = doubted(solver, caps), _words(row)
        longest_s = max(SECONDS, 2 * (row["seconds"] or 0.0))
        self._quick = doubted(solver, replace(caps, time_s=longest_s, own_process=False))
        moved = shuffled(program, row["seed"])
        assert isinstance(moved.program, Matrix)
        self._program = moved.program
        point = np.zeros(len(program.columns))
        stored = best_point(row["instance"]) or {}
        point[list(stored)] = list(stored.values())
        exact = exact_point(self._program, point if moved.columns is None else point[moved.columns])
        self._hints = () if exact is None else (exact,)

    def outcome_of(self, plain: Confirmation) -> Confirmation:
        """Return what became of the answer. The program is named in the record."""
        wrong = self._again(self._suspect)
        if wrong is None:
            limited = replace(self._suspect, caps=replace(self._suspect.caps, time_s=self._limit_s))
            late = self._again(limited) is not None
            return replace(plain, outcome="only under a limit" if late else "not seen again")
        if isinstance(wrong, str):
            return replace(plain, outcome="not shown", note=wrong)
        state = Shrinking(self._quick, self._program, wrong, Limits(time_s=SHRINK_S))
        source = f"`{plain.program}`, order {plain.order}"
        kept = keep_small(state, self._folder, self._words, source, plain.program, TRIES)
        if kept is None:
            return replace(plain, outcome="not seen again", note=wrong.text)
        return replace(plain, outcome="confirmed", note=kept.found.text, file=kept.stem.name)

    def _again(self, suspect: Suspect) -> Wrong | str | None:
        """Return the error as soon as one of `TRIES` answers has one, in words if not shown."""
        for _ in range(TRIES):
            answer = suspect.answer(self._program)
            if answer is None:
                continue
            said = contradiction(_columns(self._program, answer), self._known)
            if said:
                shown = suspect.judged(self._program, answer, self._hints, exact=True)
                return shown or said
        return None


def _words(row: Row) -> str:
    """Return a solver with the options of a run, the seed among them."""
    name = SEEDS.get(row["solver"])
    seed = f"{name}={row['seed']}" if name and row["seed"] else ""
    return ":".join(filter(None, (row["solver"], row["options"], seed)))


def _pair(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name, value


def _columns(program: Matrix, answer: Solution) -> Row:
    """Return the columns of a row that a verdict reads."""
    checker, own = matrix_checker(program), own_point_wrong(program, answer)
    valid = answer.point is not None and checker.violation(answer.point) <= TOLERANCE
    bound = answer.bound
    return {
        "rejection": None if own is None else own.text,
        "solution_status": answer.status.value,
        "valid": valid,
        "objective": None if answer.point is None else checker.value(answer.point),
        "bound": bound if bound is not None and abs(bound) < ENDLESS else None,
    }
