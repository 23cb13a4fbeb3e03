"""The results of a study, and the files they are written to: tables, charts and sentences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..analysis.drawing.paint import painted
from ..analysis.drawing.shapes import Picture
from ..analysis.figures.canvas import Figure, drawable, figure_bytes
from ..analysis.tables import Table, to_csv, to_latex, to_markdown
from ..instances.writing import write_whole

Drawing = Callable[[], Figure]
"""What draws a figure when it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Tables and charts by name, and sentences that are computed from the rows."""

    tables: Mapping[str, Table]
    charts: Mapping[str, Drawing | Picture] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Others that are written beside them."""


def write_report(report: Results, folder: Path) -> list[Path]:
    """Write every table as .tex, .md and .csv, every chart as .svg and .pdf.

    Without matplotlib there are only charts of schedules, and these as .svg.
    """
    written = []
    for name, table in report.tables.items():
        label = f"tab:{folder.name}-{name}"
        texts = {".tex": to_latex(table, label), ".md": to_markdown(table), ".csv": to_csv(table)}
        for suffix, text in texts.items():
            written.append(folder / f"{name}{suffix}")
            write_whole(written[-1], text.encode())
    if report.statements:
        written.append(folder / "statements.md")
        write_whole(written[-1], "".join(f"- {text}\n" for text in report.statements).encode())
    for name, data in report.files.items():
        written.append(folder / name)
        write_whole(written[-1], data)
    for name, chart in report.charts.items():
        if isinstance(chart, Picture):
            forms = ("svg", "pdf") if drawable() else ("svg",)
            made = {form: painted(chart, form) for form in forms}
        elif drawable():
            figure = chart()
            made = {form: figure_bytes(figure, form) for form in ("svg", "pdf")}
        else:
            continue
        for form, data in made.items():
            written.append(folder / f"{name}.{form}")
            write_whole(written[-1], data)
    return written
