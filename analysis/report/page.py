"""One file of HTML: style, script and data are in it, and nothing else is ever loaded.

Names from campaigns reach the page in two ways only: through `escape`, and as JSON in which no
`<` stands. The security policy admits the one script whose digest it has, and no network.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import chain
from typing import Any

from ...instances.errors import visible
from ..drawing.colours import HUES
from .grid import Grid, packed
from .preface import WORDS, findings_html
from .report import Report

SCRIPTS = ("element", "column", "grid", "tip", "picture", "gantt", "page")
KEYS = (
    "The wheel, a pinch, or + and - zoom; dragging or the arrow keys left and right move; 0 shows "
    "all of it. Hover over a bar, or walk from job to job with the arrow keys up and down. Darker "
    "bars are slowed down by other rings."
)
CELLS = (
    "A cell is the median over the runs with a valid schedule; where there is none, it is their "
    "status. The gap is to the best proved bound of the instance. Bold: best of the row."
)


def to_page(report: Report) -> str:
    """Write the page; the same report gives the same bytes."""
    script = "\n".join(_file(f"{name}.js") for name in SCRIPTS)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    sections = dict(_sections(report))
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(report.name)}</title>",
        f"<style>\n{_file('style.css')}</style>\n</head>\n<body>",
        _head(report, list(sections)),
        "<main>",
        *(
            f'<section id="{_name(title)}">\n<h2>{title}</h2>\n{body}\n</section>'
            for title, body in sections.items()
        ),
        "</main>",
        f'<script type="application/json" id="data">{_data(report)}</script>',
        f"<script>{script}</script>\n</body>\n</html>",
    ]
    return "\n".join(parts) + "\n"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return escape(visible(text))


def _name(title: str) -> str:
    return title.lower().replace(" ", "-")


def _data(report: Report) -> str:
    """Return the data as JSON that no HTML parser can take for the end of its element."""
    grids = [report.methods, *chain(*report.matrices.values()), report.runs]
    grids += [report.verdicts] if report.verdicts else []
    data: dict[str, Any] = {
        "grids": {grid.name: packed(grid) for grid in grids},
        "schedules": report.schedules,
        "hues": HUES,
    }
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _head(report: Report, titles: list[str]) -> str:
    links = "".join(f'<a href="#{_name(title)}">{title}</a>' for title in titles)
    about = f"<p>{_text(report.about)}</p>" if report.about else ""
    wrong = ' class="wrong"'
    counts = "".join(
        f"<div><dt>{name}</dt><dd{wrong if name == 'failed' and count else ''}>{count:,}</dd></div>"
        for name, count in report.counts.items()
    )
    return (
        f"<header><div><h1>{_text(report.name)}</h1>{about}"
        f'<p class="soft">{_text(report.when)}</p></div>'
        '<button id="theme" type="button">light or dark</button></header>\n'
        f'<dl class="numbers">{counts}</dl>\n{_alarm(report)}'
        f'<nav aria-label="parts">{links}</nav>\n'
        "<noscript><p>Tables and schedules of this page are drawn by its script.</p></noscript>"
    )


def _alarm(report: Report) -> str:
    if not report.contradictions:
        return ""
    items = "".join(f"<li>{_text(sentence)}</li>" for sentence in report.contradictions)
    title = "These answers cannot all be right"
    return f'<div class="alarm" role="alert"><h2>{title}</h2><ul>{items}</ul></div>\n'


def _sections(report: Report) -> Iterator[tuple[str, str]]:
    if report.findings:
        yield report.findings.title, "\n".join(findings_html(report.findings))
    yield "Methods", _grid(report.methods) + _notes(report.remarks)
    choices = [_choice(family, grids) for family, grids in report.matrices.items()]
    yield "Instances and methods", f'<p class="soft">{CELLS}</p>' + "".join(choices)
    if report.schedules:
        left_out = _notes((report.schedules_left_out,))
        yield "Schedules", f'<p class="soft">{KEYS}</p><div id="gantt"></div>{left_out}'
    if report.figures:
        drawn = "".join(
            f"<figure>{figure.svg}<figcaption>{_text(figure.caption)}</figcaption></figure>"
            for figure in report.figures
        )
        left_out = _notes(report.figures_left_out)
        yield "Figures", f'<div class="figures">{drawn}</div>{left_out}'
    if report.verdicts:
        yield "Guarantees", _grid(report.verdicts) + _notes((report.verdicts_left_out,))
    yield "Runs", _grid(report.runs)
    yield "Environment", _facts(report.environment)
    yield "Definitions", _facts(tuple(WORDS.items()))
    if report.plan:
        again = "<p>Save this as campaign.toml, then: <code>ringyard run campaign.toml</code></p>"
        yield "How to repeat it", f"{again}<pre>{escape(report.plan)}</pre>"


def _grid(grid: Grid) -> str:
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
        f'<div id="matrix-{grid.name}"{" hidden" if i else ""}>{_grid(grid)}</div>'
        for i, grid in enumerate(grids)
    )
    return f'<div class="tools" data-choice><h3>{family}</h3>{buttons}</div>{bodies}'


def _notes(texts: tuple[str, ...]) -> str:
    return "".join(f'<p class="soft">{_text(text)}</p>' for text in texts if text)


def _facts(facts: tuple[tuple[str, str], ...]) -> str:
    rows = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts)
    return f'<dl class="facts">{rows}</dl>'
