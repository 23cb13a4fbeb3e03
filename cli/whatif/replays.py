"""The replays of `ringyard whatif`: doing them, and writing what they show."""

from collections.abc import Sequence
from pathlib import Path

from ...analysis.figures.canvas import write_figure
from ...analysis.report import Findings, gather, to_page
from ...analysis.rows import Row
from ...campaigns.drive import drive
from ...campaigns.reproductions import Results, write_report
from ...campaigns.runs import Run
from ...campaigns.state import CampaignState
from ...campaigns.store import Store, keep_plan, prepared
from ...instances.writing import UnwrittenError
from ...interrupts import keeping
from ..shared.campaign import executor, follow, report_left_out, sources_of, why_stopped
from ..shared.options import remade
from ..shared.options import write as write_file
from ..shared.output import note


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
    plan: str,
    html: Path | None,
    name: str,
) -> None:
    """Write tables, sentences and the picture into the folder, and the page."""
    with remade():
        write_report(results, store.folder)
        if findings.picture:
            write_figure(findings.picture, store.folder / "answers.svg")
    if html is None:
        return
    page = gather(
        rows, sources_of(store), name=name, plan=plan, schedules_shown=0, findings=findings
    )
    write_file(html, to_page(page).encode())
