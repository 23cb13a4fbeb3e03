"""Tables of methods side by side on named instances, each for the page of its methods."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean

from ..analysis.rows import Row, by_key
from ..analysis.tables import Cell, Heads, Table, table_of
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances.catalogue import Entry, entries
from .study import named


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table: its names, its instances, its methods by head, and its entries."""

    name: str
    caption: str
    instances: tuple[str, ...]
    """Names, or how they begin."""
    kind: str = "makespan"
    methods: dict[str, str]
    value: Callable[[Row, Entry], float | None]
    digits: int = 0
    grouped: bool = False
    """True if a line is the mean over the seeds of a setting."""
    bounded: bool = False
    """True if a column has the bound."""

    def entries(self, settings: Settings) -> list[Entry]:
        """Return the instances that take part."""
        found = [entry for name, entry in entries().items() if name.startswith(self.instances)]
        return settings.some([entry for entry in found if entry.kind == self.kind])

    def heads(self) -> Heads:
        """Return the columns of the table, with their decimals."""
        first = {"instances": None, "count": 0} if self.grouped else {"instance": None}
        bounds = {"bound": 0} if self.bounded else {}
        return {**first, **bounds, **dict.fromkeys(self.methods, self.digits)}

    def run(self, entry: Entry, method: str, settings: Settings) -> Run:
        """Return the run of an entry, with a generous time limit."""
        return Run(instance=named(entry.name), method=method, time_limit=settings.time_limit)


def objective(row: Row, _: Entry) -> float | None:
    """Return the makespan, the utility or the gain."""
    return None if row["objective"] is None else float(row["objective"])


def over_bound(row: Row, entry: Entry) -> float | None:
    """Return by how many per cent a makespan exceeds the best proved bound on record."""
    bound = float(max(known.value for known in entry.lower))
    return 100 * (float(row["objective"]) / bound - 1) if row["valid"] else None


def _alone(*methods: str) -> dict[str, str]:
    return {method: method for method in methods}


SHEETS = (
    Sheet(
        name="rounded",
        caption="Mean distance to the best proved bound on record, %",
        instances=("hand-", "small-", "mobihoc-", "tight-", "knot-"),
        methods=_alone(
            "gang-lpt",
            "list-scheduling",
            "lenstra-shmoys-tardos",
            "raghavan-thompson",
            "midpoints",
            "alpha-points",
        ),
        value=over_bound,
        digits=1,
        grouped=True,
    ),
    Sheet(
        name="sjf-bco-options",
        caption="Makespan of SJF-BCO by option, means over seeds 0 to 4",
        instances=tuple(
            f"{group}-s{seed}"
            for group in ("mobihoc-10", "mobihoc-20", "tight-full", "knot-full")
            for seed in range(5)
        ),
        methods={
            "as published": "sjf-bco",
            "theta=none": "sjf-bco:theta=none",
            "mode=pack": "sjf-bco:mode=pack",
            "estimate=fastest": "sjf-bco:estimate=fastest",
            "ties=shortest": "sjf-bco:ties=shortest",
            "ties=listed": "sjf-bco:ties=listed",
            "kappa=1": "sjf-bco:kappa=1",
            "kappa=1, lam=8": "sjf-bco:kappa=1:lam=8",
            "sjf-bco-proved": "sjf-bco-proved",
        },
        value=objective,
        digits=1,
        grouped=True,
    ),
    Sheet(
        name="schedules-tried",
        caption="Makespan of local search by schedules tried",
        instances=(
            *(
                f"knot-{setting}-s{seed}"
                for setting in ("full", "half", "cheap")
                for seed in (0, 1)
            ),
            "tight-full-s0",
            "tight-full-s1",
            "tight-half-s0",
            "tight-cheap-s0",
            "mobihoc-20-s0",
            "mobihoc-20-s1",
            "mobihoc-10-s1",
        ),
        methods={
            "gang-lpt": "gang-lpt",
            "1,000": "local-search:work=1000",
            "10,000": "local-search:work=10000",
            "100,000": "local-search:work=100000",
        },
        value=objective,
        bounded=True,
    ),
    Sheet(
        name="gains",
        caption="Total gain",
        instances=("gadget-",),
        kind="reserved",
        methods=_alone("gadget", "ring-las", "ring-drf", "ring-fifo"),
        value=objective,
        bounded=True,
    ),
)


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs."""
    for sheet in SHEETS:
        for entry in sheet.entries(settings):
            yield from (sheet.run(entry, method, settings) for method in sheet.methods.values())


def report(settings: Settings, answers: Answers) -> Results:
    """Make the tables."""
    return Results(tables={sheet.name: _table(sheet, settings, answers) for sheet in SHEETS})


def _table(sheet: Sheet, settings: Settings, answers: Answers) -> Table:
    groups = by_key(sheet.entries(settings), _group if sheet.grouped else attrgetter("name"))
    rows = (_line(sheet, name, some, settings, answers) for name, some in groups.items())
    return table_of(sheet.caption, sheet.heads(), rows)


def _line(
    sheet: Sheet, name: str, some: list[Entry], settings: Settings, answers: Answers
) -> tuple[Cell, ...]:
    cells: list[Cell] = [name]
    if sheet.grouped:
        cells.append(float(len(some)))
    rows = [
        [answers(sheet.run(entry, m, settings)) for entry in some] for m in sheet.methods.values()
    ]
    if sheet.bounded:
        cells.append(float(rows[0][0]["bound"]))
    for of_method in rows:
        pairs = zip(of_method, some, strict=True)
        values = [value for value in (sheet.value(*pair) for pair in pairs) if value is not None]
        cells.append(fmean(values) if values else None)
    return tuple(cells)


def _group(entry: Entry) -> str:
    """Return the setting that an instance belongs to, or its family."""
    return entry.family if entry.family in ("hand", "small") else entry.name.rpartition("-")[0]
