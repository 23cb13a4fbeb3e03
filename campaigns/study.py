"""What campaigns have in common: how much work they do, and what they make of the rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from ..analysis.plots import Chart, draw_chart
from ..analysis.tables import Table, to_csv, to_latex, to_markdown
from ..instances import MakespanInstance
from ..instances.files import write_whole
from ..methods import find_method
from .ledger import BOUND, Run

POLICIES = {
    "SJF-BCO": "sjf-bco",
    "LS": "list-scheduling",
    "FF": "first-fit",
    "RAND": "random",
}
"""The schedulers of the paper's Figure 4, and the methods that stand for them here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How many seeds, how many seconds for our schedule and for the bound, which figure."""

    seeds: int = 10
    time_limit: float = 10.0
    figure: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Tables and charts by name, and sentences that are computed from the rows."""

    tables: Mapping[str, Table]
    charts: Mapping[str, Chart] = field(default_factory=dict)
    statements: tuple[str, ...] = ()


def ours() -> str:
    """Return the method that stands for our best schedule: the default of the family."""
    return find_method(None, "makespan").name


def certificate_runs(instance: MakespanInstance, seed: int, settings: Settings) -> tuple[Run, Run]:
    """Return the runs of our best schedule and of the bound, which no search limit changes."""
    free, limit = replace(instance, horizon_slots=None), settings.time_limit
    best = Run(instance=free, method=ours(), seed=seed, time_limit=limit)
    return best, Run(instance=free, method=BOUND, time_limit=limit)


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write every table as .tex, .md and .csv, every chart as .svg and, if it can be, as .pdf."""
    written = []
    for name, table in report.tables.items():
        label = f"tab:{folder.name}-{name}"
        texts = {".tex": to_latex(table, label), ".md": to_markdown(table), ".csv": to_csv(table)}
        for suffix, text in texts.items():
            written.append(folder / f"{name}{suffix}")
            write_whole(written[-1], text.encode())
    written.append(folder / "statements.md")
    write_whole(written[-1], "".join(f"- {text}\n" for text in report.statements).encode())
    suffixes = (".svg", ".pdf") if find_spec("matplotlib") else (".svg",)
    for name, chart in report.charts.items():
        for suffix in suffixes:
            written.append(folder / f"{name}{suffix}")
            draw_chart(chart, written[-1])
    return written
