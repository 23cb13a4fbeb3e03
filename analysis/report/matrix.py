"""Instances against methods: what each method gave on each instance, by one measure."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from ..by_key import by_key
from ..rows import BOUND, Row
from ..stats.references import Key, best_bounds, key_of
from .grid import Form, Grid, GridColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What a matrix shows; `of` gets a row with a valid schedule and the proved bound."""

    name: str
    form: Form
    about: str
    digits: int
    """Decimals in which values are equally good."""
    of: Callable[[Row, float | None], float | None]
    maximize: Callable[[Row], bool]
    """Whether it is to be large, for such a row."""


def gap(row: Row, bound: float | None) -> float | None:
    """Return how far a run's value is from a bound, as a part of the larger of both."""
    if bound is None:
        return None
    larger = max(row["objective"], bound)
    return abs(row["objective"] - bound) / larger if larger else 0.0


MEASURES = (
    Measure(
        name="objective",
        form="number",
        digits=4,
        about="makespan in slots or mean completion time in s, with rented GPUs in h (less is "
        "better), or utility or gain (more is better)",
        of=lambda row, _: row["objective"],
        maximize=lambda row: row["sense"] == "max",
    ),
    Measure(
        name="gap",
        form="percent",
        digits=4,
        about="between the objective and the best proved bound of the instance, found by any "
        "run, as a part of the larger of both; less is better",
        of=gap,
        maximize=lambda _: False,
    ),
    Measure(
        name="seconds",
        form="seconds",
        digits=3,
        about="time of the method; less is better",
        of=lambda row, _: row["seconds"],
        maximize=lambda _: False,
    ),
)


def name_of(row: Row) -> str:
    """Name an instance, with the horizon where a run has one."""
    name: str = row["instance"]
    return name if row["horizon"] is None else f"{name} (horizon {row['horizon']})"


def matrices(rows: Sequence[Row]) -> dict[str, tuple[Grid, ...]]:
    """Return the matrices of every problem family, one for each measure."""
    families = by_key(rows, lambda row: str(row["family"]))
    return {family: tuple(_matrices(family, mine)) for family, mine in families.items()}


def _matrices(family: str, rows: Sequence[Row]) -> Iterator[Grid]:
    cells: dict[Key, dict[str, list[Row]]] = {}
    for row in rows:
        cells.setdefault(key_of(row), {}).setdefault(row["method"], []).append(row)
    methods = [name for name in dict.fromkeys(row["method"] for row in rows) if name != BOUND]
    bounds = best_bounds(rows)
    for measure in MEASURES:
        yield _matrix(family, measure, methods, list(cells.values()), bounds)


def _matrix(
    family: str,
    measure: Measure,
    methods: list[str],
    instances: list[dict[str, list[Row]]],
    bounds: dict[Key, float],
) -> Grid:
    first = [next(iter(found.values()))[0] for found in instances]
    limits = [bounds.get(key_of(row)) for row in first]
    table = [
        [_cell(measure, found.get(method, []), limit) for method in methods]
        for found, limit in zip(instances, limits, strict=True)
    ]
    best = [_best(line, measure, row) for line, row in zip(table, first, strict=True)]
    columns = [GridColumn(name="instance", values=[name_of(row) for row in first])]
    if measure.name == "objective":
        about = "the best proved bound that any run found"
        columns.append(GridColumn(name="bound", values=limits, form="number", about=about))
    for i, method in enumerate(methods):
        values = [line[i] for line in table]
        bold = frozenset(k for k, line in enumerate(best) if i in line)
        columns.append(
            GridColumn(
                name=method, about=measure.about, values=values, form=measure.form, best=bold
            )
        )
    about = f"{family}: {measure.name} of every method on every instance"
    return Grid(name=f"{family}-{measure.name}", about=about, columns=tuple(columns))


def _cell(measure: Measure, runs: Sequence[Row], bound: float | None) -> float | str | None:
    """Return the median over the runs with a schedule, else the most frequent status."""
    values = [measure.of(row, bound) for row in runs if row["valid"]]
    known = [value for value in values if value is not None]
    if known:
        return median(known)
    return Counter(row["status"] for row in runs).most_common(1)[0][0] if runs else None


def _best(line: Sequence[float | str | None], measure: Measure, row: Row) -> set[int]:
    """Return the places of the best numbers of a line; nothing is best of one."""
    numbers = {
        i: round(v, measure.digits) for i, v in enumerate(line) if isinstance(v, int | float)
    }
    if len(numbers) < 2:
        return set()
    best = (max if measure.maximize(row) else min)(numbers.values())
    return {i for i, value in numbers.items() if value == best}
