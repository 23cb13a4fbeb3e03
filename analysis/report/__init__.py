"""A campaign as one offline web page: tables, figures, and interactive schedules.

The page is a single HTML file with style, script and data, and never loads anything else. Names
from campaigns reach it only through `escape`, or as JSON without any `<`. The security policy
admits only the script with the given digest, and no network.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import chain
from typing import Any

from ...instances.errors import visible
from ..drawing.colours import HUES
from ..figures.canvas import Figure, svg_text
from ..rows import BOUND, FAILED, Row
from ..sources import Sources
from ..stats.references import contradictions, mark_wrong
from ..tables.model import Table
from ..tables.notations import to_html
from .grid import Grid, packed
from .pictures import CaptionedFigure, captioned_figures
from .schedules import shown_schedules
from .tables import matrices, runs, summaries, verdicts

MOST = 6
"""Different values that are listed."""
LEAST = 0.7
"""Share of its width at which a figure of findings can be read. On smaller screens it scrolls."""

TITLES = {
    "host": "hosts",
    "python": "Python",
    "version": "Ringyard",
    "code": "source digest",
    "threads": "threads of a method",
    "workers": "concurrent runs",
    "time_limit": "time limit (s)",
    "cpu_limit": "processor time limit (s)",
    "memory_limit": "memory limit (MB)",
    "gap_limit": "gap at which runs stop",
    "target": "objective at which runs stop",
    "horizon": "horizon (slots)",
}

WORDS = {
    "valid": "The judge recomputed the schedule from the instance in exact arithmetic and found no "
    "broken rule. All objectives are the judge's.",
    "proved bound": "A bound of kind combinatorial or dual, proved in exact arithmetic and mostly "
    "verifiable by a small checker, or of kind searched, proved by exhaustive search and checkable "
    "only by repeating it. A bound that only a solver claims is shown but is never a proved bound.",
    "optimal": "The judge's objective equals a bound, possibly of kind solver. In continuous time "
    "it may exceed the bound by the rounding of starts, 1e-18 slots per job.",
    "gap": "Distance between objective and bound, relative to the larger of the two. The table of "
    "runs uses each run's own bound.",
    "ratio": "Objective / bound when minimizing, bound / objective when maximizing, so that "
    "1 is best. Means of ratios are geometric.",
    "mean time": "Shifted geometric mean, exp(mean(ln(t + 10))) - 10, over the same cases for all "
    "methods, with unproved runs at their time limit.",
    "PAR10": "Mean time, with unproved runs at 10 times the time limit.",
    "primal integral": "Distance of the incumbent from the campaign's best schedule, averaged "
    "over the time limit. 0 % is best.",
    "performance profile": "Share of the cases on which a method is within a factor of the best "
    "(Dolan and Moré 2002). Failures are never within a factor.",
    "contradiction": "A valid schedule better than a bound: one of the two is wrong.",
}
"""Definitions, by term."""


def environment(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the settings of the runs, each with its values."""
    for name, title in TITLES.items():
        yield title, _values(row[name] for row in rows)
    solvers = [row for row in rows if row["solver"]]
    if solvers:
        texts = (f"{row['solver']} {row['solver_version'] or ''}".strip() for row in solvers)
        yield "solvers", _values(texts)


def _values(values: Iterable[object]) -> str:
    """Return the values, the most frequent first, with frequencies if there are several."""
    counts = Counter(values)
    if len(counts) == 1:
        return _value_text(next(iter(counts)))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    shown = [f"{_value_text(value)} ({count:,} runs)" for value, count in ranked[:MOST]]
    more = len(ranked) - MOST
    return ", ".join(shown) + (f", {more:,} more" if more > 0 else "")


def _value_text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Sentences, then a picture, then tables."""

    title: str
    sentences: tuple[str, ...] = ()
    picture: Figure | None = None
    tables: tuple[Table, ...] = ()


def findings_html(found: Findings) -> Iterator[str]:
    """Yield them as parts of the page."""
    if found.sentences:
        items = "".join(f"<li>{escape(visible(text))}</li>" for text in found.sentences)
        yield f"<ul>{items}</ul>"
    if found.picture is not None:
        about, wide = escape(found.picture.get_label()), found.picture.bbox.width
        drawn = f"{svg_text(found.picture)}<figcaption>{about}</figcaption>"
        size = f"max-width: {wide:.0f}px; --least: {LEAST * wide:.0f}px"
        yield f'<figure style="{size}">{drawn}</figure>'
    for table in found.tables:
        yield f'<div class="plain">{to_html(table)}</div>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The parts of the page. `plan` is the text of the campaign file."""

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
    """Return a report on at least one row."""
    marked = mark_wrong(rows)
    seedless = sources.seedless(rows)
    methods, remarks = summaries(marked, seedless)
    shown, schedules_left_out = shown_schedules(marked, sources.read, schedules_shown)
    figures, figures_left_out = captioned_figures(marked, sources.read, seedless)
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
    """Return the period of the runs, to the minute."""
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


SCRIPTS = ("element", "column", "grid", "tip", "picture", "gantt", "page")
KEYS = (
    "Zoom with the wheel, a pinch, or + and -. Move by dragging or with the left and right arrow "
    "keys, and press 0 to show everything. Hover over a bar, or step through the jobs with the up "
    "and down arrow keys. Darker bars are slowed down by other rings. "
    "Colour only distinguishes jobs."
)
CELLS = (
    "Each entry is the median over the runs with a valid schedule, or the status if there is no "
    "such run. Gaps are to the best proved bound of the instance. Bold: best of the row."
)


def to_page(report: Report) -> str:
    """Return the page, byte-identical for equal reports."""
    sections = dict(_sections(report))
    grids = [report.methods, *chain(*report.matrices.values()), report.runs]
    grids += [report.verdicts] if report.verdicts else []
    data = {"schedules": report.schedules, "hues": HUES}
    return whole_page(report.name, _head(report, list(sections)), sections, grids, data)


def whole_page(
    title: str,
    head: str,
    sections: Mapping[str, str],
    grids: Iterable[Grid],
    data: Mapping[str, Any] | None = None,
) -> str:
    """Return a page that loads nothing else. `head` and the sections by title are HTML."""
    script = "\n".join(_file(f"{name}.js") for name in SCRIPTS)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    shown = {"grids": {grid.name: packed(grid) for grid in grids}, **(data or {})}
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text_html(title)}</title>",
        f"<style>\n{_file('style.css')}</style>\n</head>\n<body>",
        head,
        "<main>",
        *(
            f'<section id="{_name(name)}">\n<h2>{name}</h2>\n{body}\n</section>'
            for name, body in sections.items()
        ),
        "</main>",
        f'<script type="application/json" id="data">{_data(shown)}</script>',
        f"<script>{script}</script>\n</body>\n</html>",
    ]
    return "\n".join(parts) + "\n"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def text_html(text: str) -> str:
    """Return a text without any markup."""
    return escape(visible(text))


def _name(title: str) -> str:
    return title.lower().replace(" ", "-")


def _data(shown: Mapping[str, Any]) -> str:
    """Return the data as JSON that no HTML parser can take for the end of its element."""
    return json.dumps(shown, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _head(report: Report, titles: list[str]) -> str:
    about = f"<p>{text_html(report.about)}</p>" if report.about else ""
    about += f'<p class="soft">{text_html(report.when)}</p>'
    return head_html(report.name, about, report.counts, titles, _alarm(report))


def head_html(
    name: str, about: str, counts: Mapping[str, int], titles: Iterable[str], alarm: str = ""
) -> str:
    """Return the head of a page: its name, HTML about it, numbers, and links to the sections."""
    links = "".join(f'<a href="#{_name(title)}">{title}</a>' for title in titles)
    wrong = ' class="wrong"'
    numbers = "".join(
        f"<div><dt>{label}</dt><dd{wrong if label in ALARMING and n else ''}>{n:,}</dd></div>"
        for label, n in counts.items()
    )
    return (
        f"<header><div><h1>{text_html(name)}</h1>{about}</div>"
        '<button id="theme" type="button">light or dark</button></header>\n'
        f'<dl class="numbers">{numbers}</dl>\n{alarm}'
        f'<nav aria-label="parts">{links}</nav>\n'
        "<noscript><p>Tables and schedules of this page are drawn by its script.</p></noscript>"
    )


ALARMING = ("failed", "wrong answers")
"""Numbers that are shown as errors if they are not 0."""


def _alarm(report: Report) -> str:
    if not report.contradictions:
        return ""
    items = "".join(f"<li>{text_html(sentence)}</li>" for sentence in report.contradictions)
    title = "These answers cannot all be right"
    return f'<div class="alarm" role="alert"><h2>{title}</h2><ul>{items}</ul></div>\n'


def _sections(report: Report) -> Iterator[tuple[str, str]]:
    if report.findings:
        yield report.findings.title, "\n".join(findings_html(report.findings))
    yield "Methods", grid_html(report.methods) + notes_html(report.remarks)
    choices = [_choice(family, grids) for family, grids in report.matrices.items()]
    yield "Instances and methods", f'<p class="soft">{CELLS}</p>' + "".join(choices)
    if report.schedules:
        left_out = notes_html((report.schedules_left_out,))
        yield "Schedules", f'<p class="soft">{KEYS}</p><div id="gantt"></div>{left_out}'
    if report.figures:
        drawn = "".join(
            f"<figure>{figure.svg}<figcaption>{text_html(figure.caption)}</figcaption></figure>"
            for figure in report.figures
        )
        left_out = notes_html(report.figures_left_out)
        yield "Figures", f'<div class="figures">{drawn}</div>{left_out}'
    if report.verdicts:
        yield "Guarantees", grid_html(report.verdicts) + notes_html((report.verdicts_left_out,))
    yield "Runs", grid_html(report.runs)
    yield "Environment", facts_html(report.environment)
    yield "Definitions", facts_html(tuple(WORDS.items()))
    if report.plan:
        steps = (
            "<p>Save this as campaign.toml, then run <code>ringyard run campaign.toml</code></p>"
        )
        yield "How to repeat it", f"{steps}<pre>{escape(report.plan)}</pre>"


def grid_html(grid: Grid) -> str:
    """Return the place of a table."""
    return f'<div data-grid="{grid.name}"></div>'


def _choice(family: str, grids: tuple[Grid, ...]) -> str:
    """Show one of several tables, which buttons choose."""
    names = [grid.name.removeprefix(f"{family}-") for grid in grids]
    buttons = "".join(
        f'<button type="button" value="matrix-{grid.name}" aria-pressed="{str(not i).lower()}">'
        f"{names[i]}</button>"
        for i, grid in enumerate(grids)
    )
    bodies = "".join(
        f'<div id="matrix-{grid.name}"{" hidden" if i else ""}>{grid_html(grid)}</div>'
        for i, grid in enumerate(grids)
    )
    return f'<div class="tools" data-choice><h3>{family}</h3>{buttons}</div>{bodies}'


def notes_html(texts: tuple[str, ...]) -> str:
    """Return paragraphs."""
    return "".join(f'<p class="soft">{text_html(text)}</p>' for text in texts if text)


def facts_html(facts: tuple[tuple[str, str], ...]) -> str:
    """Return names, each with a text."""
    rows = "".join(
        f"<dt>{text_html(name)}</dt><dd>{text_html(value)}</dd>" for name, value in facts
    )
    return f'<dl class="facts">{rows}</dl>'
