"""`ringyard check`: the judge alone."""

from os.path import isdir
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...families import family_of
from ...instances import InputError, load_schedule
from ...instances.catalogue import best_schedule, load
from ...instances.errors import Problem
from ..shared.output import emit, note
from ..shared.verdict_words import print_verdict, verdict_row


def check_command(
    instance: str,
    schedule: Path | None = None,
    /,
    *,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Check a schedule against its instance: every violation with its amount, and the cost.

    Of the folder of a campaign every schedule is judged anew. Ends with exit code 1 if a
    schedule is not valid, or a row of the folder no longer holds.

    Parameters
    ----------
    instance
        A name of the catalogue, a file, or the folder of a campaign.
    schedule
        A schedule file; the best schedule on record if none is given.
    json
        Print one JSON object.
    """
    from ...analysis.check import check

    if schedule is None and isdir(instance):
        from .folder import check_folder

        return check_folder(Path(instance), json=json)
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
        emit({"instance": problem.name, **verdict_row(family_of(problem), verdict)})
    else:
        print_verdict(family_of(problem), verdict)
    return 0 if verdict.valid else 1
