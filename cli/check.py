"""`ringyard check`: the judge alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from .output import cell, emit, note, say

if TYPE_CHECKING:
    from ..analysis.check import Verdict

MOST_SHOWN = 20
"""Violations listed as text."""


def check_command(
    instance: str,
    schedule: Path | None = None,
    /,
    *,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Hold a schedule against its instance: every violation with its amount, and the cost.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    schedule
        A schedule file; the best schedule on record if none is given.
    json
        Print one JSON object.
    """
    from ..analysis.check import check
    from ..instances import InputError, load_schedule
    from ..instances.catalogue import best_schedule, load
    from ..instances.errors import Problem

    problem = load(instance)
    answer = load_schedule(schedule) if schedule else best_schedule(problem.name)
    if answer is None:
        advice = "make one with `ringyard solve --out`"
        missing = Problem("schedule", "none on record", "a schedule file", advice)
        raise InputError(problem.name, [missing])
    if answer.instance != problem.name:
        note(f"note: this schedule says that it was made for {answer.instance!r}")
    verdict = check(problem, answer)
    if json:
        emit({"instance": problem.name, **verdict_row(verdict)})
    else:
        print_verdict(verdict)
    return 0 if verdict.valid else 1


def verdict_row(verdict: "Verdict") -> dict[str, Any]:
    """Return a verdict as the keys of a JSON object."""
    from ..instances.encode import as_number, exact_text
    from ..run import violation_rows

    return {
        "valid": verdict.valid,
        "objective": as_number(verdict.makespan),
        "mean_completion": as_number(verdict.mean_completion),
        "objective_exact": exact_text(verdict.makespan),
        "mean_completion_exact": exact_text(verdict.mean_completion),
        "ends": {job: exact_text(end) for job, end in verdict.ends.items()},
        "violations": violation_rows(verdict),
    }


def print_verdict(verdict: "Verdict") -> None:
    """Print what the judge found, violations first."""
    count = len(verdict.violations)
    say("valid" if verdict.valid else f"INVALID: {count} violation{'s' if count != 1 else ''}")
    for violation in verdict.violations[:MOST_SHOWN]:
        say(f"  {violation.rule} at {violation.where} by {cell(violation.amount)}")
    if count > MOST_SHOWN:
        say(f"  ... and {count - MOST_SHOWN} more (--json lists all)")
    say(f"makespan {cell(verdict.makespan)} slots, mean end {cell(verdict.mean_completion)} slots")
