"""What `ringyard whatif` shows, and what it writes."""

from collections.abc import Sequence
from pathlib import Path

from ...analysis.figures.canvas import drawable, write_figure
from ...analysis.report import Findings, gather, to_page
from ...analysis.rows import Row
from ...analysis.whatif.conclusions import Conclusions
from ...campaigns.results import Results, write_report
from ...campaigns.store import Store
from ...campaigns.whatif.replay import Replay
from ..shared.options import remade
from ..shared.options import write as write_file
from ..shared.output import say, show_table
from ..shared.sources import sources_of

SHOWN, MOST = 12, 100
"""The most changed conclusions on the terminal, and on the page; the folder has all."""


def write(
    found: Conclusions, store: Store, rows: Sequence[Row], replay: Replay, html: Path | None
) -> None:
    """Write tables, sentences and the picture into the folder, and the page."""
    chart = found.chart() if found.chart and drawable() else None
    with remade():
        write_report(Results(tables=found.tables, statements=found.statements), store.folder)
        if chart:
            write_figure(chart, store.folder / "crossings.svg")
    if html is None:
        return

    findings = Findings(
        title="What if",
        sentences=(*replay.remarks, *found.statements[:MOST]),
        picture=chart,
        tables=tuple(found.tables.values()),
    )
    page = gather(
        rows,
        sources_of(store),
        name=found.table.caption,
        plan=replay.text,
        schedules_shown=0,
        findings=findings,
    )
    write_file(html, to_page(page).encode())


def tell(found: Conclusions, folder: Path) -> None:
    """Print tables and sentences."""
    for table in found.tables.values():
        show_table(table)
    for sentence in found.statements[: len(found.summaries) + SHOWN]:
        say(f"- {sentence}")
    if len(found.sentences) > SHOWN:
        say(f"- and {len(found.sentences) - SHOWN:,} more: {folder / 'statements.md'}")
    say(f"rows and tables are in {folder}; next: ringyard report {folder} --out report.html")
