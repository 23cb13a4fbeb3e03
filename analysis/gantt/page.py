"""A picture in one HTML page: with its numbers, a table of jobs, and rings lit on hovering."""

from dataclasses import dataclass
from html import escape

from ...instances.errors import visible
from .header import fault_line
from .makespan.facts import Facts, Stint
from .shapes import Picture
from .svg import to_svg
from .words import fit, number, percent

MAX_ROWS = 5_000
"""Rows of the table of jobs; further jobs are counted."""

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; color: #1f2328; background: #fff; margin: 0 auto;
  max-width: 1600px; padding: 16px 20px; }
h1 { font-size: 20px; margin: 0 0 8px; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 0 0 12px; }
dt { color: #59636e; font-size: 12px; } dd { margin: 0; font-weight: 600; }
.wrong { color: #c00018; font-weight: 600; }
svg { display: block; width: 100%; height: auto; }
.tie, svg text { pointer-events: none; }
.picking .job { opacity: .18; } .picking .tie { opacity: .06; }
.picking .lit { opacity: 1; } svg .job.lit .piece { stroke: #000; stroke-width: 1; }
table { border-collapse: collapse; margin-top: 16px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 2px 12px; border-bottom: 1px solid #d8dce2; }
th:nth-child(1), td:nth-child(1), th:nth-child(3), td:nth-child(3) { text-align: left;
  overflow-wrap: anywhere; }
th[aria-sort=ascending]::after { content: " ↑"; } th[aria-sort=descending]::after { content: " ↓"; }
th { background: #f3f5f7; cursor: pointer; position: sticky; top: 0; }
tr.lit td { background: #fff3bf; }
"""

SCRIPT = """
const parts = {};
for (const part of document.querySelectorAll("[data-job]"))
  (parts[part.dataset.job] ??= []).push(part);
let lit = [];
document.addEventListener("mouseover", event => {
  const job = event.target.closest("[data-job]")?.dataset.job;
  for (const part of lit) part.classList.remove("lit");
  lit = parts[job] ?? [];
  for (const part of lit) part.classList.add("lit");
  document.body.classList.toggle("picking", lit.length > 0);
});
document.querySelector("thead").addEventListener("click", event => {
  const head = event.target, body = document.querySelector("tbody");
  const order = head.ariaSort === "ascending" ? "descending" : "ascending";
  for (const other of head.parentElement.cells) other.ariaSort = null;
  head.ariaSort = order;
  const value = cell => cell.dataset.value ?? cell.textContent;
  const key = row => value(row.cells[head.cellIndex]);
  const compare = (a, b) =>
    Number.isNaN(a - b) ? a.localeCompare(b, "en", { numeric: true }) : a - b;
  const rows = [...body.rows].sort((a, b) => compare(key(a), key(b)));
  body.append(...(order === "ascending" ? rows : rows.reverse()));
});
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of jobs: heads, rows as HTML, and what is said of those that are not listed."""

    heads: tuple[str, ...]
    rows: list[str]
    rest: str = ""


def to_page(facts: Facts, picture: Picture) -> str:
    """Write the page; it needs no other file and no network."""
    names = ("job", "GPUs", "servers", "start", "end", "mean slowdown")
    rows = [_row(stint, facts) for stint in facts.stints[:MAX_ROWS]]
    more = len(facts.stints) - len(rows)
    rest = f"{more:,} more jobs, which start later, are not listed." if more else ""
    table = Table(heads=names, rows=rows, rest=rest)
    return write_page(facts.instance, picture, _numbers(facts), fault_line(facts.faults), table)


def write_page(
    title: str, picture: Picture, numbers: dict[str, str], faults: str, table: Table
) -> str:
    """Put a page together: numbers, faults if there are any, picture, table of jobs."""
    cells = "".join(
        f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in numbers.items()
    )
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f"<title>{escape(picture.about)}</title>",
        f"<style>{STYLE}</style>\n</head>\n<body>",
        f"<h1>{escape(fit(title, 20, 2000))}</h1>",
        f"<dl>{cells}</dl>",
        f'<p class="wrong">{escape(faults)}</p>' if faults else "",
        to_svg(picture, embedded=True),
        _table(table),
        f"<script>{SCRIPT}</script>\n</body>\n</html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _numbers(facts: Facts) -> dict[str, str]:
    return {
        "method": fit(facts.method, 14, 600) or "not stated",
        "makespan": "none" if facts.makespan is None else number(facts.makespan),
        "bound": "none" if facts.bound is None else number(facts.bound),
        "gap": "unknown" if facts.gap is None else percent(facts.gap),
        "jobs that end": f"{facts.ended:,} of {facts.jobs:,}",
        "rings over several servers": f"{sum(stint.is_ring for stint in facts.stints):,}",
        "servers": f"{len(facts.servers):,}",
        "GPUs": f"{sum(server.gpus for server in facts.servers):,}",
    }


def _table(table: Table) -> str:
    head = "".join(f"<th>{name}</th>" for name in table.heads)
    rows, rest = "\n".join(table.rows), f"<p>{table.rest}</p>" if table.rest else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>{rest}"


def _row(stint: Stint, facts: Facts) -> str:
    names = [visible(facts.servers[server].name) for server, _ in stint.pieces]
    places = [f"{name}: {count}" for name, (_, count) in zip(names, stint.pieces, strict=True)]
    shown = ", ".join(places[:12]) + (f", {len(places) - 12} more" if len(places) > 12 else "")
    end = "never" if stint.end is None else number(stint.end)
    last = "Infinity" if stint.end is None else f"{float(stint.end):.6f}"
    times = [(number(stint.start), f"{float(stint.start):.6f}"), (end, last)]
    cells = [
        f"<td>{escape(visible(stint.job.name))}</td><td>{stint.gpus}</td><td>{escape(shown)}</td>",
        *(f'<td data-value="{value}">{text}</td>' for text, value in times),
        f"<td>{stint.mean_slowdown:.2f}</td>",
    ]
    return f'<tr data-job="{stint.number}">{"".join(cells)}</tr>'
