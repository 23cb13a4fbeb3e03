"""Runs as people use them in Python: rows that count, frames, tables, schedules."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

from ..analysis.rows import BOUND, COLUMNS, MANY, VERSION, WHERE, Row, chosen, whole_row
from ..analysis.sources import Sources
from ..analysis.table_kinds import find_kind, kind_names
from ..analysis.table_kinds.solvers import overview
from ..analysis.tables import to_html
from ..analysis.tables.arrange import arranged
from ..analysis.tables.view import TableView
from ..families import family_of
from ..instances import AnySchedule, Instance, digest
from ..instances.arguments import mistaken
from ..instances.errors import InputError, Problem, Words, plural, unknown
from ..instances.frames import Backend, frame
from ..methods import Method, alike
from ..run import Answer
from ..version import __version__
from .perform import answer_columns
from .runs import parts_of_method
from .sources import methods_of, sources, stored
from .store import counted_rows, existing

if TYPE_CHECKING:
    from ..analysis.figures.view import Figure

FigureKind = Literal[
    "gantt",
    "groups",
    "ecdf",
    "profile",
    "profile-ratio",
    "convergence",
    "tradeoff",
    "ratios",
    "factors",
]
TableKind = Literal[
    "ratios",
    "solvers",
    "policies",
    "pairs",
    "pair-times",
    "verdicts",
    "frontier",
    "failures",
    "runs",
]


@dataclass(frozen=True, repr=False)
class Campaign:
    """Runs of methods on instances: the current runs of a folder, or some answers."""

    name: str
    rows: tuple[Row, ...]
    """A dictionary for each run, with the columns that docs/howto/run-a-campaign.md describes."""
    sources: Sources
    notes: tuple[str, ...] = field(default=())
    """Remarks on rows of the folder that are left out, or missing."""

    def __repr__(self) -> str:
        """Return the size of the campaign, and the notes."""
        return "\n  ".join([f"Campaign({self._brief()})", *self.notes])

    def _repr_html_(self) -> str:
        """Show in a notebook how each method's runs ended."""
        return to_html(overview(self.rows, self._brief(), self.notes))

    def _brief(self) -> str:
        """Return numbers of runs, methods and instances, and of rows if some only have bounds."""
        runs = [row for row in self.rows if row["method"] != BOUND]
        methods, instances = ({row[name] for row in runs} for name in ("method", "digest"))
        sizes = f"{plural(len(methods), 'method')} on {plural(len(instances), 'instance')}"
        brief = f"{self.name!r}: {plural(len(runs), 'run')} of {sizes}"
        bounds = len(self.rows) - len(runs)
        whole = f", {plural(bounds, 'bound')}; {plural(len(self.rows), 'row')}" if bounds else ""
        return brief + whole

    def __len__(self) -> int:
        """Return the number of rows, including rows that only have a bound."""
        return len(self.rows)

    def __getitem__(self, place: int) -> Row:
        """Return a row by its place."""
        return self.rows[place]

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows."""
        return iter(self.rows)

    def where(self, **columns: Any) -> "Campaign":
        """Return the runs that have a value in a column, as in ``where(method="sjf-*", seed=0)``.

        A value may be a pattern or a list of values. All columns must match. Bounds are kept for
        every choice of methods and seeds.
        """
        rows = list(self.rows)
        for column, value in columns.items():
            if column not in COLUMNS:
                hint = "see docs/howto/run-a-campaign.md for the columns"
                problem = unknown(column, column, COLUMNS, hint, "a column of the rows")
                raise InputError(WHERE, [problem])
            several = value if isinstance(value, list | tuple | set) else [value]
            rows = chosen(
                rows, column, ["" if one is None else str(one) for one in several], column
            )
        return replace(self, rows=tuple(rows))

    def read(self, row: Row) -> tuple[Instance, AnySchedule]:
        """Return the instance and the schedule of a row, if it has one, to draw or check them."""
        return self.sources.read(row)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each run.

        `backend` is "pandas" or "polars", by default the first installed one.
        """
        return frame(self.rows, list(COLUMNS), backend)

    def table(
        self,
        kind: TableKind | str = "solvers",
        *,
        columns: Sequence[str] = (),
        rename: Mapping[str, str] | None = None,
        transpose: bool = False,
    ) -> TableView:
        """Return a table for a paper, as in `ringyard table`.

        `columns` are the heads to keep, `rename` has new names for heads and cells, and `transpose`
        makes columns of methods.
        """
        make = find_kind(kind)
        if make is None:
            hint = "see `ringyard list tables`"
            raise InputError("table", [unknown("kind", kind, kind_names(), hint)])
        made = make(list(self.rows), self.sources)
        wanted = [columns] if isinstance(columns, str) else columns
        return TableView(arranged({kind: made}, wanted, rename, transpose=transpose)[kind], kind)

    def plot(
        self,
        kind: FigureKind | str = "ratios",
        *,
        rename: Mapping[str, str] | None = None,
        log_time: bool = False,
    ) -> "Figure":
        """Return a figure, as in `ringyard plot`.

        `rename` has new names for entries of the legend, and `log_time` makes the time axis of
        "convergence" logarithmic.
        """
        from ..analysis.figures.view import rows_figure

        return rows_figure(kind, self.rows, self.sources, rename=rename, log_time=log_time)


def load_campaign(folder: str | Path) -> Campaign:
    """Return the current runs of a folder made by `ringyard run`.

    Rows of an older limit, method or version are left out, as in `ringyard table`, with a remark in
    `notes`. Damage found later is a warning.
    """
    store = existing(Path(folder))
    rows, notes = counted_rows(store)
    about = stored(store, lambda sentence: warn(sentence, stacklevel=2))
    return Campaign(store.folder.resolve().name, tuple(rows), about, tuple(notes))


def collect(answers: Answer | Iterable[Answer], name: str = "answers") -> Campaign:
    """Return answers as a campaign, for comparison in frames, tables and figures.

    Answers of one method to one instance with one seed are repetitions. Two different functions
    with one name are refused because tables could not distinguish them.
    """
    held, rows, known = dict[str, Answer](), list[Row](), dict[tuple[str, str], Method]()
    counts = Counter[tuple[str, str, int]]()
    for answer in _answers(answers, "ringyard.collect"):
        first = known.setdefault((answer.method.name, answer.family.kind), answer.method)
        if not alike(first, answer.method):
            raise InputError("ringyard.collect", [_doubled(first)])
        row = _row(answer, counts)
        held[row["key"]] = answer
        rows.append(row)
    instances = {row["digest"]: held[row["key"]].instance for row in rows}
    about = replace(
        sources(instances.get, lambda row: held[row["key"]].schedule),
        exact=lambda row: held[row["key"]].method.guarantee == "optimal",
        methods=methods_of(rows),
    )
    return Campaign(name, tuple(rows), about)


def campaign_of(runs: Any, caller: str) -> Campaign:
    """Return a campaign unchanged, or answers as one. `caller` is named in errors."""
    return runs if isinstance(runs, Campaign) else collect(_answers(runs, caller))


def _doubled(method: Method) -> Problem:
    """Return the problem of two methods that have one name."""
    found = Words(f"two methods named {method.name!r} that differ in their code or values")
    advice = "rename one (f.__name__ = ..), or pass options with functools.partial"
    return Problem("runs", found, "a name for each", advice)


def _answers(given: Any, caller: str) -> list[Answer]:
    """Return one answer or several as a list, and raise `InputError` for anything else."""
    if isinstance(given, Answer):
        return [given]
    if isinstance(given, str | PathLike):
        raise InputError(caller, [mistaken("runs", given, "answers or a campaign")])
    if not isinstance(given, Iterable):
        raise InputError(caller, [mistaken("runs", given, "answers or a campaign", _advice(given))])
    several = list(given)
    problems = [
        mistaken(f"runs[{i}]", one, "an answer", _advice(one))
        for i, one in enumerate(several)
        if not isinstance(one, Answer)
    ]
    if problems:
        raise InputError(caller, problems[:MANY], max(0, len(problems) - MANY))
    return several


def _advice(found: Any) -> str:
    """Return advice for an invalid answer."""
    whole = isinstance(found, Campaign)
    return "use the campaign as it is" if whole else "give a result of ringyard.solve"


def _row(answer: Answer, counts: Counter[tuple[str, str, int]]) -> Row:
    family, named = family_of(answer.instance), digest(answer.instance)
    method = answer.method
    same = (named, method.name, answer.seed)
    key = sha256(repr((*same, counts[same])).encode()).hexdigest()[:32]
    counts[same] += 1
    return whole_row(
        {
            "v": VERSION,
            "key": key,
            "instance": answer.instance.name,
            "digest": named,
            "family": family.kind,
            "sense": family.sense,
            "method": method.name,
            **parts_of_method(method, method.name),
            "source": method.digest or None,
            "seed": answer.seed,
            "repetition": counts[same] - 1,
            **answer_columns(answer),
            "schedule": None if answer.schedule is None else key,
            "version": __version__,
        }
    )
