"""Shared parts of all charts: paper, headline, broken rules, legend, and the HTML page.

The page has the chart, its numbers and a table of jobs. Hovering highlights a ring.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape

from ...instances.errors import visible
from ..drawing import colours
from ..drawing.shapes import (
    Boxes,
    Group,
    Picture,
    Shape,
    TextLine,
    fit,
    number,
    percent,
    text_width,
)
from ..drawing.svg import to_svg
from ..timeline import Timeline

WIDTH, MARGIN, LABEL_SIZE = 1280, 16, 11

LEAST_PITCH = 12
"""Least distance in pixels between the names of two rows."""

Look = tuple[str, str | None, str]
"""Fill, edge and meaning of a key."""


def headline(timeline: Timeline, *more: str, rooms: tuple[float, float] = (480, 260)) -> str:
    """Return instance, method and quality in one line. `rooms` are the widths of both names."""
    names = timeline.instance.name, timeline.schedule.method
    parts = [fit(name, 16, room) for name, room in zip(names, rooms, strict=True)]
    parts.append(timeline.result_text)
    if timeline.bound is not None:
        parts.append(f"bound {timeline.value_text(timeline.bound)}")
    if timeline.gap is not None:
        parts.append(f"gap {percent(timeline.gap)}")
    return " · ".join(filter(None, [*parts, *more]))


def rejection_text(timeline: Timeline) -> str:
    """Return the broken rules with their frequencies, empty for a valid schedule."""
    broken = ", ".join(f"{rule} {count:,}" for rule, count in timeline.broken_rules)
    return f"not valid: {broken}" if broken else ""


def below_header(timeline: Timeline, usual: float) -> float:
    """Return the top of the drawing, lower if there is a row of broken rules."""
    return usual + (20 if timeline.broken_rules else 0)


def sheet(
    timeline: Timeline,
    title: str,
    shapes: Iterable[Shape | Group],
    *,
    head: float,
    bottom: float,
    notes: Sequence[str] = (),
    notes_below: float = 54,
) -> Picture:
    """Draw the headline above the shapes, which end at `bottom`, and the notes below their axis."""
    height = round(bottom + 46 + 16 * len(notes))
    below = draw_notes(notes, bottom + notes_below)
    whole = (*_header(title, rejection_text(timeline)), *shapes, *below)
    return Picture.on_paper((WIDTH, height), title, whole, head)


def _header(title: str, rejection: str) -> Iterator[Shape]:
    """Draw the headline and, in a second row, which rules are broken."""
    room, ink, wrong = WIDTH - 2 * MARGIN, colours.INK, colours.WRONG
    title, rejection = fit(title, 16, room), fit(rejection, 11, room)
    yield TextLine(at=(MARGIN, 26), text=title, size=16, colour=ink, bold=True, role="headline")
    if rejection:
        yield TextLine(
            at=(MARGIN, 46), text=rejection, size=11, colour=wrong, bold=True, role="faults"
        )


def draw_notes(notes: Iterable[str], top: float) -> Iterator[TextLine]:
    """Draw the notes on omitted parts."""
    for i, note in enumerate(notes):
        at, text = (MARGIN, top + 16 * i), fit(note, 11, WIDTH - 2 * MARGIN)
        yield TextLine(at=at, text=text, size=11, colour=colours.SOFT_INK, role="note")


def draw_keys(
    looks: Iterable[Look], y: float, swatch: float = 26.0
) -> Generator[Shape, None, float]:
    """Draw the meanings of looks, and return the next free position."""
    x = float(MARGIN)
    for fill, edge, words in looks:
        yield Boxes(at=((x, y - 9, swatch, 11),), fill=fill, edge=edge, edge_width=0.8)
        x = yield from draw_words(x + swatch + 5, y, words)
    return x


def draw_hues_key(x: float, y: float) -> Iterator[Shape]:
    """Draw the legend of hues, which only tell jobs apart."""
    for i, fill in enumerate(colours.HUES[:3]):
        yield Boxes(at=((x + 9.0 * i, y - 9, 8.0, 11.0),), fill=fill)
    yield from draw_words(x + 31, y, "colour only tells jobs apart")


PLANNED = "as planned"
"""The mark of a job that a new plan leaves as it was."""


def marks_of(timeline: Timeline) -> dict[str, int]:
    """Return the number of each mark of jobs, which is its hue."""
    return {name: k for k, name in enumerate(dict.fromkeys([PLANNED, *timeline.marks.values()]))}


def draw_groups_key(x: float, y: float, names: Iterable[str]) -> Iterator[Shape]:
    """Draw the legend of hues that stand for groups of jobs."""
    for hue, name in enumerate(names):
        yield Boxes(at=((x, y - 9, 8.0, 11.0),), fill=colours.ring_colour(hue))
        x = yield from draw_words(x + 13, y, fit(visible(name), 11, 80))


def draw_words(x: float, y: float, words: str) -> Generator[Shape, None, float]:
    """Draw a text and return the next free position."""
    yield TextLine(at=(x, y), text=words, size=11, colour=colours.SOFT_INK)
    return x + text_width(words, 11) + 12


def draw_labels(rows: Iterable[tuple[float, str]], left: float) -> Iterator[TextLine]:
    """Name rows at their middles, omitting names that would touch the previous one."""
    last = float("-inf")
    for middle, name in rows:
        if middle - last >= LEAST_PITCH:
            last = middle
            yield draw_label(name, middle, left, "server")


def draw_label(name: str, middle: float, left: float, role: str) -> TextLine:
    """Draw the name of a row."""
    at, text, soft = (left - 8, middle + 4), fit(name, LABEL_SIZE, left - 16), colours.SOFT_INK
    return TextLine(at=at, text=text, size=LABEL_SIZE, colour=soft, anchor="end", role=role)


Cells = tuple[str | tuple[str, str], ...]
"""Texts, some with the value that they are sorted by."""

MAX_ROWS = 5_000
"""Maximum number of rows in the table of jobs. A note gives the number of further jobs."""

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; color: #1f2328; background: #fff; margin: 0 auto;
  max-width: 1600px; padding: 16px 20px; }
h1 { font-size: 20px; margin: 0 0 8px; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 0 0 12px; }
dt { color: #59636e; font-size: 12px; } dd { margin: 0; font-weight: 600; }
.wrong { color: #c00018; font-weight: 600; }
svg { display: block; width: 100%; min-width: 900px; height: auto; }
.chart { overflow-x: auto; }
.tie, svg text { pointer-events: none; }
.picking .job { opacity: .18; } .picking .tie { opacity: .06; }
.picking .lit { opacity: 1; } svg .job.lit .piece { stroke: #000; stroke-width: 1; }
table { border-collapse: collapse; margin-top: 16px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 2px 12px; border-bottom: 1px solid #d8dce2; }
th:nth-child(1), td:nth-child(1), th:nth-child(3), td:nth-child(3) { text-align: left;
  overflow-wrap: anywhere; min-width: 5em; }
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


def write_page(
    timeline: Timeline,
    picture: Picture,
    numbers: dict[str, str],
    heads: Sequence[str],
    rows: Sequence[tuple[int, Cells]],
    more: str = "jobs are",
) -> str:
    """Return the page: numbers, broken rules if there are any, picture and table.

    Rows have the number of a job in the picture. `more` begins the sentence on omitted rows.
    """
    rest = len(rows) - MAX_ROWS
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f"<title>{escape(picture.about)}</title>",
        f"<style>{STYLE}</style>\n</head>\n<body>",
        f"<h1>{escape(fit(timeline.instance.name, 20, 2000))}</h1>",
        f"<dl>{_numbers(timeline, numbers)}</dl>",
        f'<p class="wrong">{escape(rejection_text(timeline))}</p>' if timeline.broken_rules else "",
        f'<div class="chart">{to_svg(picture, embedded=True)}</div>',
        _table(heads, rows[:MAX_ROWS]) + (f"<p>{rest:,} more {more} not listed.</p>" * (rest > 0)),
        f"<script>{SCRIPT}</script>\n</body>\n</html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _numbers(timeline: Timeline, more: dict[str, str]) -> str:
    value, bound, gap = timeline.value, timeline.bound, timeline.gap
    numbers = {
        "method": fit(timeline.schedule.method, 14, 600) or "not stated",
        timeline.objective: "none" if value is None else timeline.value_text(value),
        "bound": "none" if bound is None else timeline.value_text(bound),
        "gap": "unknown" if gap is None else percent(gap),
        **more,
    }
    pairs = ((name, escape(text)) for name, text in numbers.items())
    return "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in pairs)


def _table(heads: Sequence[str], rows: Sequence[tuple[int, Cells]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "\n".join(
        f'<tr data-job="{number}">{"".join(map(_cell, cells))}</tr>' for number, cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _cell(cell: str | tuple[str, str]) -> str:
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    return f'<td data-value="{cell[1]}">{cell[0]}</td>'


def time_cell(value: Fraction | None, missing: str = "-") -> tuple[str, str]:
    """Return a moment as a cell. Missing moments are sorted last."""
    return (missing, "Infinity") if value is None else (number(value), f"{float(value):.6f}")


def some_of(names: Sequence[str], most: int = 12) -> str:
    """Return a list of names, with the number of omitted names."""
    rest = f", {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
