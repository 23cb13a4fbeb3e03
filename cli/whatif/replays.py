"""The replays of `ringyard whatif`: doing them, and writing what they show."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ...analysis.figures.canvas import write_figure
from ...analysis.report import Findings, gather, to_page
from ...analysis.rows import Row
from ...campaigns.drive import drive
from ...campaigns.reproductions import Results, write_report
from ...campaigns.runs import Run
from ...campaigns.state import CampaignState
from ...campaigns.store import Store, keep_plan, prepared
from ...campaigns.whatif import ReplayRequest, slug
from ...instances.writing import UnwrittenError, write_whole
from ...interrupts import keeping
from ..shared.campaign import executor, follow, report_left_out, sources_of, why_stopped
from ..shared.options import remade
from ..shared.options import write as write_file
from ..shared.output import note

WIDTH = 120
"""Most characters of a line of a table that is not for a terminal."""
QUESTION, ANSWERS = "question.txt", (".md", ".tex", ".csv", ".svg")
"""The file with the question, and the suffixes of the files with its answers."""


class Question(NamedTuple):
    """A question in the words of its options, and the campaign file of its runs."""

    words: str
    plan: str


def asked_text(trace: str, request: ReplayRequest, **more: str | int | None) -> str:
    """Return a question as the options that are not the usual ones."""
    usual = {one.name: one.default for one in fields(ReplayRequest)}
    options = {name: value for name, value in asdict(request).items() if value != usual[name]}
    given = [(name, value) for name, value in (more | options).items() if value is not None]
    return " ".join([trace, *(f"--{name.replace('_', '-')} {value}" for name, value in given)])


def method_notes(rows: Iterable[Row]) -> list[str]:
    """Return the notes of methods on valid schedules, each once."""
    noted = (row for row in rows if row["valid"] and row["note"])
    return list(dict.fromkeys(f"{row['method']}: {row['note']}" for row in noted))


def driven_runs(
    text: str, runs: Sequence[Run], folder: Path, workers: int | None
) -> tuple[Store, CampaignState] | int:
    """Do the missing runs and return the exit code if some remain."""
    store = report_left_out(prepared(folder), done=False)
    keep_plan(store, text, runs)
    try:
        with keeping(), executor(workers, None) as chosen, follow("whatif") as report:
            return store, drive(store, runs, chosen, report)
    except (KeyboardInterrupt, UnwrittenError) as error:
        why, code = why_stopped(error)
    store.refresh()
    done = sum(store.has(run) for run in runs)
    note(f"{why}: {done} of {len(runs)} runs are done. Rerun the command to resume.")
    return code


def write_findings(
    results: Results,
    findings: Findings,
    store: Store,
    rows: Sequence[Row],
    question: Question,
    html: Path | None,
    name: str,
) -> None:
    """Write tables, sentences and the picture into the folder, and the page.

    The answers to another question are kept in a folder of their own.
    """
    with remade():
        if earlier := _set_aside(store.folder, question.words):
            note(f"note: the answers to the earlier question are now in {earlier}")
        write_whole(store.folder / QUESTION, f"{question.words}\n".encode())
        write_report(results, store.folder)
        if findings.picture:
            write_figure(findings.picture, store.folder / "answers.svg")
    if html is None:
        return
    page = gather(
        rows, sources_of(store), name=name, plan=question.plan, schedules_shown=0, findings=findings
    )
    write_file(html, to_page(page).encode())


def _set_aside(folder: Path, words: str) -> Path | None:
    """Move the answers to another question into `earlier/`, and return their folder."""
    answers = [path for path in folder.iterdir() if path.suffix in ANSWERS]
    if not answers:
        return None
    before = (folder / QUESTION).read_text("utf-8").strip() if (folder / QUESTION).exists() else ""
    if before == words:
        return None
    name = slug(before.replace(" --", " ") or "unnamed")[:80]
    place = folder / "earlier" / f"{name}-{sha256(before.encode()).hexdigest()[:6]}"
    place.mkdir(parents=True, exist_ok=True)
    write_whole(place / QUESTION, f"{before}\n".encode())
    for path in answers:
        write_whole(place / path.name, path.read_bytes())
        path.unlink()
    return place
