"""The results of a study, and the files they are written to: tables, charts and sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from ..analysis.charts import Panel, lay_out
from ..analysis.drawing.paint import painted
from ..analysis.drawing.shapes import Picture
from ..analysis.tables import Table, to_csv, to_latex, to_markdown
from ..instances.writing import write_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Tables and charts by name, and sentences that are computed from the rows."""

    tables: Mapping[str, Table]
    charts: Mapping[str, tuple[Panel, ...] | Picture] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Others that are written beside them."""


def write_report(report: Results, folder: Path) -> list[Path]:
    """Write every table as .tex, .md and .csv, every chart as .svg and, if it can be, as .pdf."""
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
    suffixes = (".svg", ".pdf") if find_spec("matplotlib") else (".svg",)
    for name, chart in report.charts.items():
        picture = chart if isinstance(chart, Picture) else lay_out(chart)
        for suffix in suffixes:
            written.append(folder / f"{name}{suffix}")
            write_whole(written[-1], painted(picture, suffix.removeprefix(".")))
    return written
