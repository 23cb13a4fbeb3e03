"""Contradicted answers asked again: which of them does a small program show to be wrong?

An answer is contradicted by a point that holds to a tolerance. It is wrong only if the solver gives
it again, a point in fractions refutes it, and it can be made small.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from ..analysis.rows import Row
from ..campaigns.store import Store, kept_text
from ..formulations.corpus.build import shuffled
from ..formulations.corpus.index import CorpusEntry
from ..formulations.exact import exact_point
from ..formulations.files.sol import read_sol
from ..formulations.program import (
    ENDLESS,
    TOLERANCE,
    Caps,
    Floats,
    Matrix,
    Solution,
    matrix_checker,
)
from ..formulations.shrink import Shrinking, keep_small
from ..formulations.solver_interface.solve import SOLVERS, find_solver
from ..formulations.wrong import (
    NO_END,
    SECONDS,
    SEEDS,
    Suspect,
    Wrong,
    boxed,
    doubted,
    own_point_wrong,
)
from ..instances import InputError, Limits, SolutionStatus
from ..instances.errors import plural
from ..instances.writing import write_whole
from .engine import Engine
from .program_run import case_digest
from .programs import Selection
from .verdicts import KnownOptimum, contradiction, known_optima

TRIES = 3
"""Number of times that an answer is asked for again, and that a small program is tried."""

LONGER = 10
"""Multiple of the limit that the solver has."""

SHRINK_S = 300.0
"""Seconds for making one program small."""

FILE = "confirmations.jsonl"
"""The outcomes, a line for each contradicted answer."""

FOUND = "found"
"""The folder of the small programs."""

Outcome = Literal["confirmed", "not seen again", "only under a limit", "not shown", "not asked"]

OUTCOMES: dict[Outcome, str] = {
    "confirmed": "a small program shows that the solver errs",
    "not seen again": f"right {TRIES} times with {LONGER} times the limit, and with the limit",
    "only under a limit": f"right {TRIES} times with {LONGER} times the limit, but not with it",
    "not shown": "it came again, but no point in fractions refutes it",
    "not asked": "the solver is not installed, the program has changed, or no small program can be "
    "made of this class",
}
"""The meaning of each outcome."""

NOT_SMALL = ("NL", "conic")
"""Classes whose programs cannot be made small."""

NO_SMALL = "contradicted, no small program can be made of this class"

CHANGED = "the program has changed since the run"

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


def require_second(engines: Iterable[Engine], entries: Iterable[CorpusEntry]) -> None:
    """Look for the second solvers that confirmations of the engines' answers need.

    Raises:
        MissingError: If one is not installed. The message says how to get it.
    """
    small = [entry for entry in entries if entry.kind not in NOT_SMALL]
    for engine in engines:
        if any(map(engine.takes, small)):
            doubted(find_solver(engine.asked or engine.solver), Caps())


def confirmed(
    rows: Sequence[Row],
    chosen: Selection,
    folder: Path,
    tell: Tell,
    *,
    engines: Iterable[Engine] = (),
    only: Callable[[Row], bool] = lambda row: True,
) -> list[Confirmation]:
    """Ask again for the contradicted answers among rows, and return what became of each.

    Small programs go to ``found`` in the folder. Answers that were asked for before, of the same
    version, are not asked for again. Points in the folder are hints. `engines` says where the
    solvers of a user's files are. `only` chooses rows; all of them say what is known.

    Raises:
        MissingError: If the second solver, which supplies points, is needed and not installed.
    """
    known = known_optima(rows, chosen.entries)
    places = {one.name: one.asked for one in engines if one.asked}
    done, store = {one.key: one for one in read_confirmations(folder)}, Store(folder)
    doubts = [(row, contradiction(row, known[row["instance"]])) for row in rows if only(row)]
    doubts = [(row, said) for row, said in doubts if said]
    cases = list[tuple[Row, str, Confirmation]]()
    for row, said in doubts:
        spelled = places.get(row["method"], str(row["solver"]))
        one = _unasked(row, spelled, chosen.entries[row["instance"]], said)
        before = done.get(row["key"])
        if one.note == "" and before is not None and _was_asked(before, one.asked):
            one = before
        cases.append((row, spelled, one))
    ahead = [row for row, _, one in cases if _is_ahead(one)]
    if ahead:
        hours = sum(longest_s(row["time_limit"]) for row in ahead) / 3600
        tell(f"{plural(len(ahead), 'answer')} to ask again, at most {hours:.2g} hours")
    found = list[Confirmation]()
    for count, (row, spelled, one) in enumerate(cases, start=1):
        entry = chosen.entries[row["instance"]]
        place = f"{count} of {len(cases)}: {one.program}, {one.engine}, order {one.order}"
        if _is_ahead(one):
            tell(f"{place}: asked again, with a limit of {LONGER * row['time_limit']:g} s")
            program = chosen.program(entry.name)
            if isinstance(program, Matrix):
                points = [chosen.point(entry.name, program), _kept_point(store, entry, program)]
                again = _Again(row, spelled, known[entry.name], program, points, folder / FOUND)
                about = "" if entry.name in chosen.files else entry.name
                one = again.outcome_of(one, about)
            else:
                one = replace(one, asked="", note=CHANGED)
        tell(f"{place}: {one.outcome}")
        found.append(one)
        done[one.key] = one
        lines = (json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in done.values())
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / FILE, "".join(lines).encode())
    return found


def _kept_point(store: Store, entry: CorpusEntry, program: Matrix) -> Floats | None:
    """Return the best point that the folder has of a program."""
    row = store.best_point(case_digest(entry))
    if row is None:
        return None
    path = store.point_file(row["key"])
    with suppress(InputError):  # It is only a hint.
        return read_sol(kept_text(path), program.columns, str(path))
    return None


def longest_s(limit_s: float) -> float:
    """Return the most seconds that one contradicted answer takes, if solvers keep their limits.

    The solver is asked with the long limit and the usual one, and the second solver once. Making
    the program small may end in a test of both, and the small program is asked about a few times.
    """
    asked = (TRIES * LONGER + TRIES + LONGER) * limit_s
    return asked + SHRINK_S + 2 * max(SECONDS, 2 * limit_s) + 2 * (TRIES + 1) * SECONDS


def _is_ahead(one: Confirmation) -> bool:
    """Return True if an answer is still to be asked for."""
    return one.outcome == "not asked" and one.note == ""


def _was_asked(before: Confirmation, version: str) -> bool:
    return before.outcome != "not asked" and before.asked == version


def _unasked(row: Row, spelled: str, entry: CorpusEntry, said: str) -> Confirmation:
    """Return the confirmation of an answer before it is asked for again.

    It has a note if the answer cannot be asked for.
    """
    solver, small = find_solver(spelled), entry.kind not in NOT_SMALL
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


def headline(contradicted: int, shown: int | None = None, where: str = "") -> str:
    """Return how many answers are contradicted, and how many of them a small program confirms.

    `shown` is None if nobody looked. `where` is the folder of the small programs.
    """
    if not contradicted:
        return "no answer is contradicted"
    one, article = contradicted == 1, "a" if shown else "no"
    answers = f"{plural(contradicted, 'answer')} {'is' if one else 'are'} contradicted"
    if shown is None:
        return answers
    them = "it" if one else f"{shown or 'any'} of them"
    return f"{answers} by a known point, and {article} small program in {where} confirms {them}"


def confirmed_by(found: Iterable[Confirmation]) -> int:
    """Return how many answers are confirmed."""
    return sum(one.outcome == "confirmed" for one in found)


class _Again:
    """A contradicted answer that is asked for again."""

    def __init__(
        self,
        row: Row,
        spelled: str,
        known: KnownOptimum,
        program: Matrix,
        points: Iterable[Floats | None],
        folder: Path,
    ) -> None:
        """Take the row of the answer, how its solver is found, and its program.

        `points` are known points, and small programs go to `folder`.
        """
        solver, options = find_solver(spelled), row["options"] or ""
        settings = tuple(_pair(word) for word in options.split(":") if word)
        caps = Caps(
            time_s=LONGER * row["time_limit"],
            threads=row["threads"],
            seed=row["seed"],
            settings=settings,
            own_process=True,
        )
        self._limit_s, self._known, self._folder = row["time_limit"], known, folder
        self._suspect, self._words = doubted(solver, caps), _words(row, spelled)
        longest_s = max(SECONDS, 2 * (row["seconds"] or 0.0))
        # A solver of somebody else may crash or hang.
        apart = all(one.name != solver.name for one in SOLVERS)
        self._quick = doubted(solver, replace(caps, time_s=longest_s, own_process=apart))
        moved = shuffled(program, row["seed"])
        assert isinstance(moved.program, Matrix)
        self._program = moved.program
        there = (point for point in points if point is not None)
        places = slice(None) if moved.columns is None else moved.columns
        exact = (exact_point(self._program, point[places]) for point in there)
        self._hints = tuple(point for point in exact if point is not None)

    def outcome_of(self, plain: Confirmation, about: str) -> Confirmation:
        """Return what became of the answer. `about` is the program's name in the corpus, if any."""
        wrong = self._again(self._suspect)
        if wrong is None:
            limited = replace(self._suspect, caps=replace(self._suspect.caps, time_s=self._limit_s))
            late = self._again(limited) is not None
            return replace(plain, outcome="only under a limit" if late else "not seen again")
        if isinstance(wrong, str):
            return replace(plain, outcome="not shown", note=wrong)
        state = Shrinking(self._quick, self._program, wrong, Limits(time_s=SHRINK_S))
        source = f"`{plain.program}`, order {plain.order}"
        kept = keep_small(state, self._folder, self._words, source, about, TRIES)
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


def _words(row: Row, spelled: str) -> str:
    """Return a solver with the options of a run, the seed among them."""
    name = SEEDS.get(spelled)
    seed = f"{name}={row['seed']}" if name and row["seed"] else ""
    return ":".join(filter(None, (spelled, row["options"], seed)))


def _pair(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name, value


def _columns(program: Matrix, answer: Solution) -> Row:
    """Return the columns of a row that a verdict reads."""
    checker, own = matrix_checker(program), own_point_wrong(program, answer)
    endless = answer.status is SolutionStatus.UNBOUNDED and boxed(program)
    valid = answer.point is not None and checker.violation(answer.point) <= TOLERANCE
    bound = answer.bound
    return {
        "rejection": NO_END if endless else None if own is None else own.text,
        "solution_status": answer.status.value,
        "valid": valid,
        "objective": None if answer.point is None else checker.value(answer.point),
        "bound": bound if bound is not None and abs(bound) < ENDLESS else None,
    }
