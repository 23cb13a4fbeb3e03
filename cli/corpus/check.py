"""`ringyard corpus check`: an external point, checked in fractions and by the schedule judge."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...analysis.check import AnyVerdict, check
from ...families import FAMILIES
from ...formulations.conic import ConicProgram
from ...formulations.corpus.build import build_any, digest_of, schedule_of
from ...formulations.corpus.exact import Priced, priced, priced_in_cones
from ...formulations.corpus.history import close
from ...formulations.corpus.index import CorpusEntry, beyond, find_entry
from ...formulations.files.sol import exact_sol
from ...formulations.program import TOLERANCE, Program
from ...instances import RefusedError
from ...instances.catalogue import load
from ...instances.reading.decode import read_text
from ...instances.reading.encode import exact_text
from ..shared.options import AsJson
from ..shared.output import emit, note, say
from ..shared.verdicts import print_verdict, verdict_row

WORDS = {
    "record": "better than the best known: a record. Please report it, with the file.",
    "inexact": "better than the best known, but only feasible to 1e-6. A record must be feasible "
    "exactly. Please report it, with the file.",
    "equal": "as good as the best known",
    "worse": "worse than the best known",
    "first": "no point was known. Please report it, with the file.",
    "contradiction": "below the certified bound, or feasible although the program is infeasible: "
    "the point, the reading or the bound is wrong. Please report it, with the "
    "file.",
    "none": "the point is infeasible",
}
"""Comparison of a point with the best known value, as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPoint:
    """The value of a point, its comparison with the best known, and the judge's verdict."""

    priced: Priced
    says: str
    verdict: AnyVerdict | None = None

    @property
    def good(self) -> bool:
        """True if the point passes all checks."""
        return self.says not in ("none", "contradiction") and (self.verdict is None or self.valid)

    @property
    def valid(self) -> bool:
        """True if the schedule breaks no rule by more than the row tolerance of the point.

        The judge has no tolerance. Rounded numbers, such as shares of an LP, break a limit in their
        last digits. A counting rule, such as a job that runs twice, is broken by 1 or more.
        """
        assert self.verdict is not None
        return all(one.amount <= Fraction(TOLERANCE) for one in self.verdict.violations)


def check_command(file: Path, /, *, program: str, json: AsJson = False) -> int:
    """Judge a solver's point of a program of the corpus, in fractions.

    Parameters
    ----------
    file
        Lines of names and values, as MIPLIB, SCIP, Gurobi, HiGHS and CBC write them.
    program
        The name of the program, from `ringyard corpus`.
    """
    entry = find_entry(program)
    stated = build_any(entry.recipe)
    if digest_of(stated) != entry.digest:
        note(f"note: {program} differs from the index: other versions generated it")
    values = exact_sol(read_text(file), stated.columns, str(file))
    try:
        if isinstance(stated, ConicProgram):
            found = priced_in_cones(stated, values)
        else:
            found = priced(stated, values)
    except ZeroDivisionError as error:
        raise RefusedError(f"{file}: the program divides by zero at this point") from error
    judged = _judged(entry, stated, values, found)
    if json:
        emit(_row(entry, judged))
    else:
        _say(entry, judged)
    return 0 if judged.good else 1


def _judged(
    entry: CorpusEntry, stated: Program | ConicProgram, values: dict[int, Fraction], found: Priced
) -> JudgedPoint:
    if not found.holds(Fraction(TOLERANCE)):
        return JudgedPoint(priced=found, says="none")
    says, recipe = says_of(entry, float(found.value), exact=found.holds()), entry.recipe
    plan = None if isinstance(stated, ConicProgram) else schedule_of(recipe, stated, values)
    verdict = None if plan is None else check(load(recipe.instance), plan)
    return JudgedPoint(priced=found, says=says, verdict=verdict)


def says_of(entry: CorpusEntry, value: float, *, exact: bool) -> str:
    """Compare the value of a feasible point with the best known value.

    Only an exactly feasible point is a record: other points may gain from their violations.
    """
    certified_none = entry.infeasible and entry.certified
    if certified_none or (entry.bound is not None and beyond(entry.bound, value)):
        return "contradiction"
    if entry.value is None:
        return "first"
    if close(value, entry.value):
        return "equal"
    if value > entry.value:
        return "worse"
    return "record" if exact else "inexact"


def _row(entry: CorpusEntry, judged: JudgedPoint) -> dict[str, Any]:
    found = judged.priced
    row: dict[str, Any] = {
        "program": entry.name,
        "digest": entry.digest,
        "value": float(found.value),
        "value_exact": exact_text(found.value),
        "holds_exactly": found.holds(),
        "holds_to_1e-6": found.holds(Fraction(TOLERANCE)),
        **{
            f"miss_of_{part}": {"amount": float(miss.amount), "where": miss.where}
            for part, miss in (
                ("rows", found.rows),
                ("bounds", found.bounds),
                ("integers", found.integers),
            )
        },
        "best_known": entry.value,
        "certified_bound": entry.bound,
        "optimum": entry.optimum,
        "says": judged.says,
    }
    if judged.verdict is not None:
        found_valid = {"valid_to_1e-6": judged.valid}
        row["schedule"] = verdict_row(FAMILIES[entry.family], judged.verdict) | found_valid
    return row


def _say(entry: CorpusEntry, judged: JudgedPoint) -> None:
    found = judged.priced
    say(f"value {float(found.value):.12g}")
    if found.holds():
        say("the point is feasible, exactly")
    else:
        parts = (("row", found.rows), ("bound of", found.bounds), ("integer", found.integers))
        for what, miss in parts:
            if miss.amount:
                say(f"it violates {what} {miss.where} by {float(miss.amount):.3g}")
        if found.holds(Fraction(TOLERANCE)):
            say("the point is feasible to 1e-6")
    known = "none" if entry.value is None else f"{entry.value:.12g}"
    say(f"best known {known}; optimum {entry.optimum}")
    say(WORDS[judged.says])
    if judged.verdict is not None:
        say("its schedule:")
        rounded = judged.valid and not judged.verdict.valid
        invalid = "valid to 1e-6" if rounded else "INVALID"
        print_verdict(FAMILIES[entry.family], judged.verdict, invalid=invalid)
