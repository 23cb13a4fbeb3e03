"""The tables of the page: methods, instances by methods, all runs, and theorems.

The matrix shows one measure of each method on each instance. Theorems are checked against the runs
of a campaign, with factor and verdict next to every ratio.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ...instances.errors import InputError
from ..guarantees import FactorVerdict, Guarantee, guarantees_of
from ..rows import BOUND, COLUMNS, LATER, Row, by_key
from ..sources import Sources
from ..stats.cases import Case, Counts, by_method, case_of, count_runs, for_all_seeds
from ..stats.references import Key, best_bounds, key_of
from ..stats.summary import UNPROVED, Overview, Summary, summary
from ..theorem_check import TheoremCheck, check_theorems
from .grid import Form, Grid, GridColumn, Heads, columns_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number in a matrix. `of` receives a row with a valid schedule and the proved bound."""

    name: str
    form: Form
    about: str
    digits: int
    """Decimals at which equal values tie."""
    of: Callable[[Row, float | None], float | None]
    maximize: Callable[[Row], bool]
    """Return True if it is maximized for a row."""


def gap(row: Row, bound: float | None) -> float | None:
    """Return the distance of a run's value from a bound, relative to the larger of the two."""
    if bound is None:
        return None
    larger = max(row["objective"], bound)
    return abs(row["objective"] - bound) / larger if larger else 0.0


MEASURES = (
    Measure(
        name="objective",
        form="number",
        digits=4,
        about="makespan in slots or mean completion time in s, or in h for rented GPUs (lower is "
        "better), or utility or gain (higher is better)",
        of=lambda row, _: row["objective"],
        maximize=lambda row: row["sense"] == "max",
    ),
    Measure(
        name="gap",
        form="percent",
        digits=4,
        about="distance between the objective and the instance's best proved bound from any run, "
        "relative to the larger of the two (lower is better)",
        of=gap,
        maximize=lambda _: False,
    ),
    Measure(
        name="seconds",
        form="seconds",
        digits=3,
        about="time of the method (lower is better)",
        of=lambda row, _: row["seconds"],
        maximize=lambda _: False,
    ),
)


def name_of(row: Row) -> str:
    """Return an instance's name, with the horizon of its runs if there is one."""
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
    names = [name_of(row) for row in first]
    columns = [GridColumn(name="instance", values=names, key=True)]
    if measure.name == "objective":
        about = "best proved bound of any run"
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
    """Return the median over the runs with a schedule, or else the most frequent status."""
    values = [measure.of(row, bound) for row in runs if row["valid"]]
    known = [value for value in values if value is not None]
    if known:
        return median(known)
    return Counter(row["status"] for row in runs).most_common(1)[0][0] if runs else None


def _best(line: Sequence[float | str | None], measure: Measure, row: Row) -> set[int]:
    """Return the positions of the best numbers of a line with at least two numbers."""
    numbers = {
        i: round(v, measure.digits) for i, v in enumerate(line) if isinstance(v, int | float)
    }
    if len(numbers) < 2:
        return set()
    best = (max if measure.maximize(row) else min)(numbers.values())
    return {i for i, value in numbers.items() if value == best}


LEFT_OUT = ("v", "key", "phases", "trajectory", "schedule", "finished", *LATER)
"""Columns that the page does without: they differ in every row, or are not for reading."""

ALWAYS = ("instance", "method", "status", "objective", "bound", "gap", "seconds")
"""Columns of the table."""

IF_DIFFERENT = (
    "seed",
    "repetition",
    "threads",
    "horizon",
    "time_limit",
    "bound_kind",
    "cpu_seconds",
    "memory_mb",
    "nodes",
    "termination",
    "note",
)
"""Columns shown if runs differ in them. The other columns are shown for a chosen run."""

FORMS: dict[str, Form] = {
    "status": "status",
    "gap": "percent",
    "seconds": "seconds",
    "seconds_bound": "seconds",
    "seconds_check": "seconds",
    "cpu_seconds": "seconds",
    "memory_mb": "count",
}

RUN_HEADS = {"cpu_seconds": "CPU seconds", "memory_mb": "memory (MB)"}

DIGEST = 12
"""Characters of an instance's digest, enough to find its file."""


def runs(rows: Sequence[Row]) -> Grid:
    """Return the table of all runs, in the order of the rows."""
    values = {name: _values(rows, name) for name in COLUMNS if name not in LEFT_OUT}
    shown = [*ALWAYS[:3], *IF_DIFFERENT[:5], *ALWAYS[3:], *IF_DIFFERENT[5:]]
    names = [name for name in shown if name in ALWAYS or len(set(values[name])) > 1]
    hidden = [name for name in values if name not in names]
    return Grid(
        name="runs",
        about="all runs",
        columns=tuple(_column(name, values[name], name in names) for name in [*names, *hidden]),
        facets=("family", "status", "method"),
    )


def _column(name: str, values: list[Any], shown: bool) -> GridColumn:
    kind, about = COLUMNS[name]
    return GridColumn(
        name=name,
        head=RUN_HEADS.get(name, name.replace("_", " ")),
        values=values,
        form=FORMS.get(name, "text" if kind in ("text", "boolean") else "number"),
        about=about.replace("`", ""),
        shown=shown,
        key=name in ("instance", "method", "objective", "gap"),
    )


def _values(rows: Sequence[Row], name: str) -> list[Any]:
    """Return the values of a column, with None for empty texts."""
    values = [row[name] for row in rows]
    if name == "digest":
        return [value[:DIGEST] for value in values]
    if name == "started":
        return [value[:19].replace("T", " ") for value in values]
    return [None if value == "" else value for value in values]


def latest(rows: Sequence[Row]) -> list[Row]:
    """Return of each method on each case the run that was made last.

    Repeated runs may differ in version, source or limits, which a mean must not mix.
    """
    found: dict[tuple[str, Case], Row] = {}
    for row in rows:
        place = row["method"], case_of(row)
        if place not in found or found[place]["started"] < row["started"]:
            found[place] = row
    return list(found.values())


def comparable(rows: Sequence[Row], seedless: Collection[str]) -> tuple[list[Row], list[str]]:
    """Return the rows of methods with common cases, and the methods left out.

    Methods are added by decreasing number of cases. A method is left out if it has no case in
    common with all methods added before. The single run of a `seedless` method is used for every
    seed.
    """
    table = for_all_seeds(by_method(rows), seedless)
    cases = {method: set(runs) for method, runs in table.items()}
    common: set[Case] = set()
    left_out: list[str] = []
    for method in sorted(cases, key=lambda method: (-len(cases[method]), method)):
        shared = common & cases[method] if common else cases[method]
        if shared:
            common = shared
        else:
            left_out.append(method)
    return [row for row in rows if row["method"] not in left_out], sorted(left_out)


SUMMARY_HEADS: Heads = {
    "family": ("family", "text", "problem family"),
    "method": ("method", "text", "method, with the options behind its name"),
    "runs": ("runs", "count", "runs of the method in the campaign"),
    "solved": ("solved", "count", "runs that proved optimality or infeasibility"),
    "valid": ("valid", "count", "runs with a schedule that the judge accepts"),
    "failed": ("failed", "count", "runs without an answer, or with a wrong one"),
    "wrong": ("wrong", "count", "runs with an invalid schedule or a refuted bound"),
    "cases": (
        "cases",
        "count",
        "cases that all methods with means ran, the basis of the columns that follow",
    ),
    "seconds": (
        "mean time",
        "seconds",
        "shifted geometric mean of seconds to a solution, shift 10 s, with unsolved runs at their "
        "limit. Omitted if most runs of a method end on their own without a proof",
    ),
    "scaled": ("scaled", "number", "mean time divided by the smallest mean time"),
    "par10": ("PAR10", "seconds", "mean seconds to a solution, with unsolved runs at 10 limits"),
    "own": (
        "mean run",
        "seconds",
        "shifted geometric mean of run times in seconds, shift 10 s, for all statuses",
    ),
    "ratio": (
        "mean ratio",
        "number",
        "geometric mean of objective / best proved bound (inverse when maximizing), "
        "over the cases that all methods answered",
    ),
    "integral": (
        "primal integral",
        "percent",
        "distance of the incumbent from the best known, averaged over time limit and cases",
    ),
}


def summaries(rows: Sequence[Row], seedless: Collection[str] = ()) -> tuple[Grid, tuple[str, ...]]:
    """Return a line for each method of each family, and reasons for missing numbers.

    The run of a `seedless` method is used for every seed.
    """
    lines: list[dict[str, Any]] = []
    remarks: list[str] = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        if any(row["method"] != BOUND for row in mine):
            lines += _lines(family, mine, seedless, remarks)
    heads = dict(SUMMARY_HEADS)
    if len({line["family"] for line in lines}) == 1:
        del heads["family"]
    columns = columns_of(heads, lines, keys=("method", "solved", "ratio"))
    return Grid(name="methods", about="all methods", columns=columns), tuple(remarks)


def _lines(
    family: str, rows: list[Row], seedless: Collection[str], remarks: list[str]
) -> list[dict[str, Any]]:
    """Return the lines of a family, reduced to numbers of runs if no mean can be computed."""
    last = latest(rows)
    if older := len(rows) - len(last):
        remarks.append(f"{family}: {older:,} runs that were repeated later are left out")
    shared, others = comparable(last, seedless)
    if others:
        remarks.append(
            f"{family}: no means of {', '.join(others)}: no case in common with the other methods"
        )
    try:
        means = _means(family, summary(shared, seedless=seedless, restrict=True), remarks)
    except InputError as error:
        means = {}
        remarks.append(f"{family}: no means: {error}")
    return [
        _counts(family, method, counts) | means.get(method, {})
        for method, counts in count_runs(last).items()
    ]


def _means(family: str, overview: Overview, remarks: list[str]) -> dict[str, dict[str, Any]]:
    if overview.left_out:
        remarks.append(
            f"{family}: means are over the {overview.cases:,} cases that every method ran "
            f"({overview.left_out:,} left out), mean ratios over {overview.together:,}"
        )
    methods: dict[str, list[str]] = {}
    for line in overview.methods:
        for text in line.notes:
            methods.setdefault(text, []).append(line.method)
    reasons = (text for text in methods if text != UNPROVED)
    remarks.extend(f"{family}: {', '.join(methods[text])}: {text}" for text in reasons)
    return {line.method: _mean(line, overview.cases) for line in overview.methods}


def _mean(line: Summary, cases: int) -> dict[str, Any]:
    return {
        "cases": cases,
        "seconds": line.seconds and line.seconds.value,
        "scaled": line.scaled,
        "par10": line.par10,
        "own": line.own,
        "ratio": line.ratio,
        "integral": line.primal_integral,
    }


def _counts(family: str, method: str, counts: Counts) -> dict[str, Any]:
    named = {name: getattr(counts, name) for name in ("runs", "solved", "valid", "failed", "wrong")}
    return {"family": family, "method": method, **named}


MOST = 300
"""Maximum number of instances on which theorems are checked, because factors take time."""

ORDER = (FactorVerdict.VIOLATED, FactorVerdict.HOLDS, FactorVerdict.INCONCLUSIVE)

VERDICT_HEADS: Heads = {
    "instance": ("instance", "text", "name of the instance"),
    "method": ("method", "text", "method, with the options behind its name"),
    "theorem": ("theorem", "text", "name of the theorem, as `ringyard list guarantees` has it"),
    "proved": ("proved", "text", "whether Ringyard proves the theorem or only cites it"),
    "factor": ("factor", "number", "factor guaranteed by the theorem on this instance"),
    "ratio": ("ratio", "number", "objective / best proved bound, or its inverse"),
    "verdict": (
        "verdict",
        "status",
        "holds: within the factor of a proved bound. Violated: not within the factor of a checked "
        "schedule. Inconclusive: undecided, or the theorem does not apply",
    ),
    "remark": ("remark", "text", "why a theorem does not apply to a run"),
    "statement": ("statement", "text", "statement of the theorem"),
}


def verdicts(rows: Sequence[Row], sources: Sources) -> tuple[Grid | None, str]:
    """Return a line for each theorem, method and instance, and a note on omitted ones.

    Of repeated runs, the run with the worst objective is used.
    """
    worst = _worst(rows)
    chosen = [row for digest in list(worst)[:MOST] for row in worst[digest]]
    lines = [_line(*one) for one in check_theorems(chosen, rows, sources)]
    more = len(worst) - MOST
    left_out = f"{more:,} instances beyond the first {MOST:,} are left out." if more > 0 else ""
    if not lines:
        return None, left_out
    lines.sort(key=lambda line: ORDER.index(line["verdict"]))
    columns = columns_of(
        VERDICT_HEADS, lines, keys=("instance", "method", "verdict"), hidden="statement"
    )
    facets = ("verdict", "theorem")
    return Grid(
        name="verdicts", about="theorems about methods", columns=columns, facets=facets
    ), left_out


def _worst(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return by instance the worst valid run of each method about which something is claimed."""
    found: dict[tuple[Key, str], Row] = {}
    for row in rows:
        if row["valid"] and guarantees_of(row["method"]):
            other = found.setdefault((key_of(row), row["method"]), row)
            worse = min if row["sense"] == "max" else max
            found[key_of(row), row["method"]] = worse(other, row, key=lambda one: one["objective"])
    return by_key(found.values(), lambda row: str(row["digest"]))


def _line(row: Row, guarantee: Guarantee, one: TheoremCheck) -> dict[str, Any]:
    return {
        "instance": row["instance"],
        "method": row["method"],
        "theorem": guarantee.name,
        "proved": guarantee.proved,
        "statement": guarantee.statement,
        "factor": None if one.factor is None else float(one.factor),
        "ratio": one.ratio,
        "verdict": one.verdict.value,
        "remark": one.silent,
    }
