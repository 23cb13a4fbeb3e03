"""The results of a study: tables, charts and sentences, in files and in the pages of docs/.

In a page a part stands between `<!-- NAME -->` and `<!-- end -->`; the picture of chart NAME is
`pictures/CAMPAIGN-NAME.svg`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..analysis.drawing.paint import painted
from ..analysis.drawing.shapes import Picture
from ..analysis.figures.canvas import Figure, drawable, figure_bytes
from ..analysis.tables.latex import to_latex
from ..analysis.tables.model import Table
from ..analysis.tables.notations import to_csv, to_markdown
from ..instances.errors import ABSENT, InputError, Problem
from ..instances.reading.decode import read_text
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


END = "<!-- end -->"


def show(name: str, written: Iterable[Path], docs: Path, pages: Sequence[str]) -> list[Path]:
    """Put each .md among the files of a report into its page, each .svg into the pictures.

    Nothing is changed if a part has no place. Returns what was written.
    """
    texts = read_pages(docs, pages)
    pictures: dict[Path, bytes] = {}
    for path in written:
        if path.suffix == ".md":
            mark = f"<!-- {path.stem} -->"
            page = next((page for page, text in texts.items() if mark in text), None)
            if page is None:
                names, advice = ", ".join(pages), "put these marks where the part belongs"
                problem = Problem(names, ABSENT, f"{mark} .. {END}", advice)
                raise InputError(str(docs), [problem])
            part = path.read_text(encoding="utf-8")
            texts[page] = filled(texts[page], path.stem, part, str(page))
        elif path.suffix == ".svg":
            place = docs / "pictures" / f"{name}-{path.name}"
            pictures[place] = path.read_bytes()
    for page, text in texts.items():
        write_whole(page, text.encode())
    for place, picture in pictures.items():
        write_whole(place, picture)
    return [*texts, *pictures]


def filled(text: str, name: str, part: str, source: str = "page") -> str:
    """Return the text of a page with `part` between the marks of that name."""
    before, mark, rest = text.partition(f"<!-- {name} -->\n")
    last, end, after = rest.partition(END)
    if not end or "<!--" in last:
        problem = Problem(f"<!-- {name} -->", ABSENT, f"a line of its own, later {END}", "add them")
        raise InputError(source, [problem])
    return f"{before}{mark}\n{part}\n{end}{after}"


def read_pages(docs: Path, pages: Sequence[str]) -> dict[Path, str]:
    """Return the text of each page by its file."""
    try:
        return {docs / page: read_text(docs / page, regular=True) for page in pages}
    except InputError as error:
        found = error.problems[0].value
        problem = Problem("--docs", found, "the folder of the pages", "name it")
        raise InputError(error.source, [problem]) from None
