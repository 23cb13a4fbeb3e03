"""All that the page shows, gathered from rows and the nouns behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..rows import BOUND, FAILED, Row
from ..sources import Sources
from ..stats.wrong import contradictions, mark_wrong
from .grid import Grid
from .matrix import matrices
from .pictures import CaptionedFigure, pictures
from .preface import Findings, environment
from .runs import runs
from .schedules import schedules
from .summary import summaries
from .verdicts import verdicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The parts of the page; `plan` is the text of the campaign file."""

    name: str
    about: str
    plan: str
    when: str
    counts: dict[str, int]
    contradictions: tuple[str, ...]
    methods: Grid
    remarks: tuple[str, ...]
    matrices: dict[str, tuple[Grid, ...]]
    runs: Grid
    schedules: list[dict[str, Any]]
    schedules_left_out: str
    figures: tuple[CaptionedFigure, ...]
    figures_left_out: tuple[str, ...]
    verdicts: Grid | None
    verdicts_left_out: str
    environment: tuple[tuple[str, str], ...]
    findings: Findings | None = None


def gather(
    rows: Sequence[Row],
    sources: Sources,
    *,
    name: str,
    about: str = "",
    plan: str = "",
    schedules_shown: int = 100,
    findings: Findings | None = None,
) -> Report:
    """Gather a report of rows, of which there is at least one."""
    marked = mark_wrong(rows)
    seedless = sources.seedless(rows)
    methods, remarks = summaries(marked, seedless)
    shown, schedules_left_out = schedules(marked, sources.read, schedules_shown)
    figures, figures_left_out = pictures(marked, sources.read, seedless)
    found, verdicts_left_out = verdicts(marked, sources)
    return Report(
        name=name,
        about=about,
        plan=plan,
        when=_when(rows),
        counts=_counts(rows),
        contradictions=tuple(contradictions(rows)),
        methods=methods,
        remarks=remarks,
        matrices=matrices(marked),
        runs=runs(rows),
        schedules=shown,
        schedules_left_out=schedules_left_out,
        figures=figures,
        figures_left_out=figures_left_out,
        verdicts=found,
        verdicts_left_out=verdicts_left_out,
        environment=tuple(environment(rows)),
        findings=findings,
    )


def _when(rows: Sequence[Row]) -> str:
    """Say from when to when the runs were made, to the minute."""
    first, last = min(row["started"] for row in rows), max(row["finished"] for row in rows)
    start, end = (time[:16].replace("T", " ") for time in (first, last))
    return f"{start} to {end} UTC" if start != end else f"{start} UTC"


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    valid = sum(bool(row["valid"]) for row in rows)
    optimal = sum(row["status"] == "optimal" for row in rows)
    failed = sum(row["status"] in FAILED for row in rows)
    bounds = sum(row["method"] == BOUND and row["status"] not in FAILED for row in rows)
    return {
        "runs": len(rows),
        "instances": len({row["digest"] for row in rows}),
        "methods": len({row["method"] for row in rows} - {BOUND}),
        "optimal": optimal,
        "other schedules": valid - optimal,
        "no schedule": len(rows) - valid - failed - bounds,
        "bounds alone": bounds,
        "failed": failed,
    }
