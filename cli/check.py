"""`ringyard check`: the judge alone, of one schedule, or of every one of a campaign."""

from functools import lru_cache
from os.path import isdir
from pathlib import Path

from ..families import family_of
from ..instances import InputError, load_schedule
from ..instances.catalogue import best_schedule, load
from ..instances.errors import Problem, plural, visible
from .shared.options import AsJson
from .shared.output import emit, say
from .shared.progress import counting
from .shared.sources import told
from .shared.verdict_words import print_verdict, verdict_row


def check_folder(folder: Path, *, json: bool) -> int:
    """Judge the schedules of a campaign, say which rows no longer hold, and return the exit code.

    Rows hold if they are as they were written, and say what the judge says of instance and
    schedule, and if no bound contradicts a value.
    """
    from ..analysis.sources import Sources
    from ..analysis.stats.wrong import contradictions
    from ..campaigns.rejudge import faults
    from ..campaigns.store import existing

    store = existing(folder)
    left_out, rows = store.left_out(), store.rows()
    sources = Sources(instance=lru_cache(maxsize=8)(store.instance), schedule=store.schedule)
    broken, holding = list[str](), []
    with counting("schedules judged", len(rows)) as watch:
        for i, row in enumerate(rows):
            said = list(faults(row, sources))
            broken += said
            holding += [] if said else [row]
            if watch is not None:
                watch(i + 1)
    crossed, judged = contradictions(holding), sum(bool(row["schedule"]) for row in rows)
    if json:
        emit(
            {
                "folder": str(folder),
                "rows": len(rows),
                "judged": judged,
                "left_out": list(left_out.sentences()),
                "broken": broken,
                "contradictions": crossed,
            }
        )
        return int(bool(left_out or broken or crossed))
    told(store)
    for sentence in [*broken, *crossed]:
        say(sentence)
    wrong = [f"{len(rows) - len(holding):,} no longer hold"] if broken else []
    wrong += [plural(len(crossed), "contradiction")] if crossed else []
    counts = f"{plural(len(rows), 'row')}, {plural(judged, 'schedule')} judged"
    say(f"{counts}: {', '.join(wrong) or 'all hold'}")
    return int(bool(left_out or broken or crossed))


def check_command(
    instance: str,
    schedule: Path | None = None,
    /,
    *,
    json: AsJson = False,
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
    """
    from ..analysis.check import check

    if schedule is None and isdir(instance):
        return check_folder(Path(instance), json=json)
    problem = load(instance)
    answer = load_schedule(schedule) if schedule else best_schedule(problem.name)
    if answer is None:
        advice = "make one with `ringyard solve --out`"
        missing = Problem("schedule", "none on record", "a schedule file", advice)
        raise InputError(problem.name, [missing])
    verdict = check(problem, answer)
    other = answer.instance != problem.name
    if json:
        made_for = {"made_for": answer.instance} if other else {}
        emit({"instance": problem.name, **made_for, **verdict_row(family_of(problem), verdict)})
    else:
        if other:
            made, here = visible(answer.instance), visible(problem.name)
            say(f"made for {made}, not for {here}: this is what it would be there")
        print_verdict(family_of(problem), verdict)
    return 0 if verdict.valid else 1
