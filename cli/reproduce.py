"""`ringyard reproduce`: the figures of a paper, made again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..instances.errors import InputError, Problem, nearest, reason
from .options import Whole, at_least_one, time_limit_problems
from .output import emit, note, say, table

if TYPE_CHECKING:
    from ..campaigns.ledger import Ledger, Run

CAMPAIGNS = {
    "mobihoc": "Figures 4-7 of SJF-BCO (arXiv 2207.07817), with our best and a certified bound",
    "sensitivity": "Figure 4 of SJF-BCO under other contention and overhead models",
    "pd-ors": "the experiments of PD-ORS: utility, training time, ratio, gain factor",
}
"""What can be reproduced; the files of `campaigns/` are read when they are called."""


def reproduce_command(
    what: str | None = None,
    /,
    *,
    out: Path | None = None,
    seeds: Whole = 10,
    time_limit: float = 10.0,
    figure: Whole | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Regenerate the figures of a paper beside the paper's own numbers; alone, say which.

    Each run is written down as it comes: after Ctrl-C the same command goes on where it was.
    Beside the rows it writes tables (.tex, .md, .csv) and figures (.svg, .pdf).

    Parameters
    ----------
    what
        What to reproduce.
    out
        Folder for rows, tables and figures; out/WHAT if it is left out.
    seeds
        Number of instances drawn for each point.
    time_limit
        Seconds for our best schedule, and for the bound, of an instance.
    figure
        Only this figure of the paper (mobihoc).
    json
        Print one JSON object.
    """
    if what is None:
        return _list(json)
    _refuse(what, seeds, time_limit, figure)
    from ..campaigns import mobihoc, pdors, sensitivity
    from ..campaigns.study import Settings, write_report

    campaign: Any = {"mobihoc": mobihoc, "sensitivity": sensitivity, "pd-ors": pdors}[what]
    settings = Settings(seeds=seeds, time_limit=time_limit, figure=figure)
    folder = out or Path("out") / what
    ledger = _ledger(folder)
    if not _run_all(what, ledger, list(campaign.runs(settings))):
        return 130
    report = campaign.report(settings, ledger.row)
    written = [str(path) for path in write_report(report, folder)]
    if json:
        emit({"reproduced": what, "statements": list(report.statements), "files": written})
    else:
        _show(report, folder)
    return 0


def _list(json: bool) -> int:
    if json:
        emit({"campaigns": [{"name": name, "about": about} for name, about in CAMPAIGNS.items()]})
    else:
        table(["name", "about"], [list(pair) for pair in CAMPAIGNS.items()])
    return 0


def _refuse(what: str, seeds: int, time_limit: float, figure: int | None) -> None:
    problems = at_least_one("--seeds", seeds) + time_limit_problems(time_limit)
    if what not in CAMPAIGNS:
        like = nearest(what, list(CAMPAIGNS))
        advice = f"did you mean {like!r}?" if like else "see `ringyard reproduce`"
        problems.append(Problem("WHAT", what, "one of " + ", ".join(CAMPAIGNS), advice))
    elif figure is not None:
        known = (4, 5, 6, 7) if what == "mobihoc" else ()
        if figure not in known:
            expected = f"one of {', '.join(map(str, known))}" if known else "no choice of figures"
            problems.append(Problem("--figure", figure, expected, "choose another or leave it out"))
    if problems:
        raise InputError("ringyard reproduce", problems)


def _ledger(folder: Path) -> "Ledger":
    from ..campaigns.ledger import Ledger

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        problem = Problem("--out", reason(error), "a writable folder", "choose another place")
        raise InputError(str(folder), [problem]) from None
    return Ledger(folder / "rows.jsonl")


def _run_all(what: str, ledger: "Ledger", runs: "list[Run]") -> bool:
    """Do what is missing and say whether all of it is done."""
    missing = list({run.key: run for run in runs if not ledger.has(run)}.values())
    try:
        for i, run in enumerate(missing):
            _tell(f"{what}: {i} of {len(missing)} runs, {run.method} on {run.instance.name}")
            ledger.row(run)
    except KeyboardInterrupt:
        _tell("")
        done = sum(ledger.has(run) for run in missing)
        note(f"interrupted after {done} of {len(missing)} runs; the same command goes on from here")
        return False
    _tell("")
    return True


def _tell(text: str) -> None:
    """Show on a terminal, in place of the last such line, what is being done."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text[:79]:<79}\r")
        sys.stderr.flush()


def _show(report: Any, folder: Path) -> None:
    from ..analysis.tables import to_markdown

    for one in report.tables.values():
        say(f"{one.caption}\n")
        say(to_markdown(one))
    for sentence in report.statements:
        say(f"- {sentence}")
    say(f"\ntables and figures are in {folder}")
