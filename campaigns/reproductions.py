"""Reproductions: the campaigns behind tables and figures of pages, and their results.

Studies are leaves that no code here imports. A package names its reproductions in an entry point of
the group, as `papers/` does in this package. An installation may leave `papers/` out.

On a page, a part is between `<!-- NAME -->` and `<!-- end -->`. The picture of chart NAME is
`pictures/CAMPAIGN-NAME.svg`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..analysis.drawing.paint import painted
from ..analysis.drawing.shapes import Picture
from ..analysis.figures.canvas import Figure, figure_bytes
from ..analysis.intervals import paired_ratio
from ..analysis.rows import BOUND, Row
from ..analysis.tables import Table, columns_of, to_csv, to_latex, to_markdown
from ..extensions.entry_points import TAKEN, Brought, brought
from ..families.registry import family_of
from ..instances import BoundKind, digest
from ..instances.errors import ABSENT, InputError, Problem
from ..instances.reading.decode import read_text
from ..instances.reading.vocabulary import load
from ..instances.writing import write_whole
from ..methods import families_of
from .runs import Run as Run
from .runs import called

GROUP = "ringyard.reproductions"
"""Entry points of this group name a `Reproduction`, or a tuple of them."""

ALL = "all"
"""The name for all reproductions of this package."""

T = TypeVar("T")

Answers = Callable[[Run], Row]
"""Gives the row of a run."""

Known = Callable[[Run], Row | None]
"""Returns the row of a finished run, on which later runs may depend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Amount of work of a campaign."""

    seeds: int = 10
    """Instances drawn for each point."""
    time_limit: float = 10.0
    """Seconds for our best schedule, and for the bound, of an instance."""
    figure: int | None = None
    """Only this figure of the paper."""
    points: int | None = None
    """Only this many, the first, of everything that is varied."""

    def some(self, points: Iterable[T]) -> list[T]:
        """Return the points that take part."""
        return list(islice(points, self.points))


SMOKE = Settings(seeds=1, time_limit=0.1, points=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A campaign, the pages that show its results, and its amount of work."""

    name: str
    about: str
    module: str
    """The module with `report(settings, answers)`, and with `runs(settings, known)` if it has any.

    It is imported when the reproduction is made. A name that begins with a dot is in this package.
    """
    pages: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    """Folders and files whose code the results rest on: if it changes, pages say "older code"."""
    settings: Settings = Settings()
    """Settings of the published pages."""
    smoke: Settings = SMOKE
    """Settings for a quick run of seconds without meaningful results."""
    timed: bool = False
    """True if seconds are measured while the report is made, rather than by runs."""
    kept: bool = False
    """True if its runs come with Ringyard: `report_of(kept_rows())` reports on them."""
    summary: bool = False
    """True if it only summarizes existing results: `summary(docs, out)` is its campaign."""
    figures: tuple[int, ...] = ()
    """Figures of the paper that can be made alone."""
    plots: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """Kinds of pictures that `ringyard plot` draws of these rows, with their row selection."""

    @property
    def campaign(self) -> Any:
        """Import the campaign."""
        return load(self.module)


def runs_of(campaign: Any, settings: Settings, known: Known | None = None) -> Iterable[Run]:
    """Return the runs of a campaign, empty if its report is computed directly."""
    runs: Iterable[Run] = campaign.runs(settings, known) if hasattr(campaign, "runs") else ()
    return runs


class Found(NamedTuple):
    """A reproduction, and the entry point that brings it."""

    one: Reproduction
    point: Brought

    @property
    def is_ours(self) -> bool:
        """True if this package brings it."""
        return self.point.source == "Ringyard"

    @property
    def label(self) -> str:
        """Its name and its package, for messages."""
        return f"{self.one.name} of {self.point.package}"


def find_reproductions() -> tuple[dict[str, Found], list[str]]:
    """Return the reproductions of all packages by name, Ringyard's first, and reasons for gaps."""
    found, remarks = list[Found](), list[str]()
    for point, made, reason in brought(GROUP, (), _loaded):
        found += [Found(one, point) for one in made or ()]
        remarks += [f"{point.label}: {reason}"] if reason else []
    found.sort(key=lambda one: not one.is_ours)
    by_name = dict[str, Found]()
    for one in found:
        first = by_name.setdefault(one.one.name, one)
        if one.one.name == ALL or (first is not one and first.is_ours):
            remarks.append(f"{one.label}: {TAKEN}")
        elif first is not one:
            remarks.append(
                f"{one.label}: {first.point.package} has a reproduction of the same name"
            )
    by_name.pop(ALL, None)
    return by_name, remarks


def _loaded(point: Brought) -> tuple[Reproduction, ...]:
    made = point.load((Reproduction, tuple))
    wrong = [one for one in _each(made) if not isinstance(one, Reproduction)]
    if wrong:
        expected, advice = "reproductions", f"repair or uninstall the package {point.package}"
        raise InputError(point.label, [Problem(point.name, wrong[0], expected, advice)])
    return tuple(_each(made))


def _each(made: Any) -> Iterator[Any]:
    yield from (made,) if isinstance(made, Reproduction) else made


Drawing = Callable[[], Figure]
"""Draws a figure when it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Tables and charts by name, and sentences that are computed from the rows."""

    tables: Mapping[str, Table]
    charts: Mapping[str, Drawing | Picture] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Additional files written with them."""


def write_report(report: Results, folder: Path) -> list[Path]:
    """Write every table as .tex, .md and .csv, every chart as .svg and .pdf."""
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
        figure = chart if isinstance(chart, Picture) else chart()
        for form in ("svg", "pdf"):
            written.append(folder / f"{name}.{form}")
            drawn = isinstance(figure, Picture)
            write_whole(written[-1], painted(figure, form) if drawn else figure_bytes(figure, form))
    return written


END = "<!-- end -->"


def show(name: str, written: Iterable[Path], docs: Path, pages: Sequence[str]) -> list[Path]:
    """Put each .md file of a report into its page, and each .svg file into the pictures.

    Pages are unchanged if a part has no place. Return the written files.
    """
    texts = read_pages(docs, pages)
    pictures: dict[Path, bytes] = {}
    for path in written:
        if path.suffix == ".md":
            mark = f"<!-- {path.stem} -->"
            page = next((page for page, text in texts.items() if mark in text), None)
            if page is None:
                names, advice = ", ".join(pages), "put these markers where the part belongs"
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
        problem = Problem(
            f"<!-- {name} -->", ABSENT, f"a separate line, and {END} later", "add them"
        )
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


TABLE = "beside"
"""The name of the table."""

Place = tuple[str, int]
"""An instance by its digest, and a seed."""


class Beside:
    """A campaign with additional user methods and a table of them."""

    def __init__(self, campaign: Any, methods: Sequence[str]) -> None:
        """Remember the campaign, and the methods to compare with."""
        self._campaign, self._methods = campaign, methods

    def runs(self, settings: Settings, known: Known | None = None) -> Iterator[Run]:
        """Yield the campaign's runs, and then the runs of the added methods."""
        runs = list(runs_of(self._campaign, settings, known))
        yield from runs
        yield from self._own(runs)

    def report(self, settings: Settings, answers: Answers) -> Results:
        """Return the campaign's report, with a table of the added methods."""
        found: Results = self._campaign.report(settings, answers)
        runs = list(runs_of(self._campaign, settings, answers))
        table = _table(runs, list(self._own(runs)), answers)
        return replace(found, tables={**found.tables, TABLE: table})

    def _own(self, runs: Sequence[Run]) -> Iterator[Run]:
        """Yield a run of each wherever the campaign has one, with the longest limit there."""
        places = {_place(run): run for run in runs if run.method != BOUND}
        limits = dict[Place, list[float | None]]()
        for run in runs:
            limits.setdefault(_place(run), []).append(run.time_limit)
        kinds = {run.instance.kind for run in places.values()}
        for name in self._methods:
            fitting = kinds & set(families_of(name))
            if not fitting:
                expected = f"a method for {', '.join(sorted(kinds))}"
                problem = Problem("--method", name, expected, "name another")
                raise InputError("ringyard reproduce", [problem])
            how = {kind: called(name, kind) for kind in fitting}
            for place, run in places.items():
                if run.instance.kind in fitting:
                    longest = max((one or inf for one in limits[place]), default=inf)
                    limit, own = None if longest == inf else longest, how[run.instance.kind]
                    yield Run(instance=run.instance, seed=run.seed, time_limit=limit, **own)


def _place(run: Run) -> Place:
    return digest(run.instance), run.seed


def _table(runs: Sequence[Run], own: Sequence[Run], answers: Answers) -> Table:
    """Return a table of the user method's value over the value of each campaign method."""
    values = dict[str, dict[Place, float]]()
    bounds = dict[str, float]()
    for run in [*runs, *own]:
        row = answers(run)
        if row["bound"] and row["bound_kind"] != BoundKind.SOLVER.value:
            place, family = digest(run.instance), family_of(run.instance)
            bounds[place] = family.tighter(bounds.get(place), float(row["bound"]))
        if run.method != BOUND and row["valid"] and row["objective"]:
            values.setdefault(run.method, {})[_place(run)] = float(row["objective"])
    mine = dict.fromkeys(run.method for run in own)
    rows = []
    for name in mine:
        found = values.get(name, {})
        others = {other: values[other] for other in values if other not in mine}
        certified = {place: bounds[place[0]] for place in found if place[0] in bounds}
        for other, theirs in [*others.items(), ("proved bound", certified)]:
            both = sorted(found.keys() & theirs.keys())
            if both:
                ratio = paired_ratio([found[p] for p in both], [theirs[p] for p in both])
                rows.append((name, other, len(both), ratio))
    senses = {run.method: answers(run)["sense"] for run in own}
    better = "more" if "max" in senses.values() else "less"
    return Table(
        caption=f"Pairwise ratios: value over the other method's value ({better} than 1 is better)",
        columns=columns_of({"method": None, "beside": None, "instances": 0, "value / other": 3}),
        rows=tuple(rows),
        shared=1,
        notes=(
            "Geometric means over instances and seeds that both methods answered, 95 % intervals.",
        ),
    )
