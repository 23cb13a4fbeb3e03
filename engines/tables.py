"""Tables of engines on programs: outcomes and times by class, orders, wrong answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from ..analysis.rows import Row, by_key
from ..analysis.stats.means import charged_times, shifted_geometric_mean
from ..analysis.tables import Cell, Column, Table, numbers, table_of, texts
from ..formulations.solver_interface.solve import SOLVERS
from .compared import CLASSES, FLOOR_S, EngineRuns, by_engine
from .engine import DOUBLE, LICENSED
from .verdicts import KINDS, phases, solving

ENDS = tuple(kind for kind in KINDS if kind != "wrong")


def class_table(kind: str, runs: EngineRuns, *, licensed: bool = False) -> Table | None:
    """Return the results of engines on a class of programs, or None without runs.

    Engines with licences for small sizes are compared with free ones on the programs that fit all
    of them.
    """
    rows = _fitting(runs, kind) if licensed else runs.of(kind)
    if not rows:
        return None
    common = runs.common(rows) if licensed else runs.commons[kind]
    cases = {(case.digest, case.seed) for case in common.cases}
    measured = [row for row in rows if "base_mb" in phases(row)]
    lines: list[tuple[float, tuple[Cell, ...]]] = []
    for engine, own in by_engine(rows).items():
        own = [row for row in own if (row["digest"], row["seed"]) in cases]
        times = charged_times(common, engine)
        means = [shifted_geometric_mean(times, shift).value for shift in (1.0, 10.0)]
        tenfold = fmean(charged_times(common, engine, factor=10))
        ends = Counter(runs.kind(row) for row in own)
        cells = (
            *(ends[end] for end in ENDS),
            ends["wrong"],
            *means,
            tenfold,
            *_times_to(own, runs),
            _median([phases(row).get("setup") for row in own]),
            *(_used(own) if measured else ()),
        )
        lines.append((means[0], (engine, *cells)))
    programs = len({case.digest for case in common.cases})
    limits = sorted({row["time_limit"] for row in rows})
    over = f"{programs} {CLASSES[kind]}, {len(common.cases)} runs of each solver"
    return table_of(
        f"{'Solvers with size-limited licences: ' * licensed}{over}",
        (
            *texts("solver"),
            *numbers(*ENDS, over="runs"),
            *numbers("wrong", over="answers"),
            Column(head="1 s", digits=2, over="mean s, shifted by", best="min"),
            Column(head="10 s", digits=2, over="mean s, shifted by", best="min"),
            Column(head="PAR10", digits=1, best="min"),
            *numbers("first point", "1 %", digits=2, over="median s to"),
            *numbers("set-up", digits=2, over="median s"),
            *(USED if measured else ()),
        ),
        (line for _, line in sorted(lines, key=lambda one: one[0])),
        f"Limit: {' or '.join(f'{limit:g}' for limit in limits)} s. Times include the set-up, "
        "in which a solver receives the program. Wrong answers are in no mean but as failures, "
        "which cost the limit, or ten limits in PAR10.",
    )


USED = (
    *numbers("processor s", digits=2, over="median"),
    *numbers("MB", digits=1, over="median"),
    *numbers("MB", digits=1, over="largest"),
)
"""Columns of what engines used in processes of their own."""


def _used(rows: Sequence[Row]) -> tuple[float | None, ...]:
    """Return the median processor time and memory of engines alone, and the largest memory."""
    own = [row for row in rows if "base_mb" in phases(row)]
    memory = [float(row["memory_mb"]) for row in own]
    times = [float(row["cpu_seconds"]) for row in own]
    return (median(times), median(memory), max(memory)) if own else (None, None, None)


def _fitting(runs: EngineRuns, kind: str) -> list[Row]:
    """Return runs on the programs of a class that no licence refuses."""
    rows = runs.of(kind, licensed=True)
    refused = {row["instance"] for row in rows if runs.kind(row) == "refused"}
    both = [*rows, *runs.of(kind)] if rows else []
    return [row for row in both if row["instance"] not in refused]


def _times_to(rows: Sequence[Row], runs: EngineRuns) -> tuple[float | None, float | None]:
    """Return the median seconds to a first point, and to one within 1 % of the best, or None."""
    firsts, nears = [], []
    for row in rows:
        steps = steps_of(row)
        value = runs.known[row["instance"]].value
        firsts.append(steps[0][0] if steps else None)
        near = 0.0 if value is None else value + 0.01 * abs(value) + 1e-9
        nears.append(next((s for s, v in steps if value is not None and v <= near), None))
    return _median(firsts), _median(nears)


def steps_of(row: Row) -> list[tuple[float, float]]:
    """Return when an engine had which point, its last one included, without set-up."""
    setup = phases(row).get("setup", 0.0)
    steps = [(max(0.0, s - setup), value) for s, value, _ in row["trajectory"] or ()]
    if row["valid"]:
        steps.append((solving(row) or 0.0, row["objective"]))
    return steps


def _median(values: Sequence[float | None]) -> float | None:
    """Return the median, with missing values last, or None if it is missing."""
    there = sorted(value for value in values if value is not None)
    if 2 * len(there) <= len(values):
        return None
    return median([*there, *[there[-1]] * (len(values) - len(there))])


def wrong_table(runs: EngineRuns, reason: Mapping[str, str]) -> Table:
    """Return every wrong answer. `reason` has the reason by the key of a run."""
    lines = [
        (row["method"], row["solver_version"], row["instance"], row["seed"], reason[row["key"]])
        for row in sorted(runs.rows, key=lambda r: (r["method"], r["instance"], r["seed"]))
        if row["key"] in reason
    ]
    return table_of(
        "Wrong answers",
        {"engine": None, "version": None, "program": None, "order": 0, "what it says": None},
        tuple(lines) or (("none", "", "", None, ""),),
    )


def engine_table(runs: EngineRuns) -> Table:
    """Return the engines that took part, and reasons for the absence of the other engines."""
    versions = {row["method"]: row["solver_version"] for row in runs.rows}
    asked = by_engine(runs.rows)
    lines: list[tuple[Cell, ...]] = []
    for engine, own in asked.items():
        classes = [k for k in CLASSES if any(runs.entry(row).kind == k for row in own)]
        licence = "small sizes" if own[0]["solver"] in LICENSED else "free"
        refused = {row["instance"] for row in own if row["status"] == "refused"}
        about = (", ".join(classes), len({row["instance"] for row in own}), len(refused))
        lines.append((engine, versions[engine], *about, own[0]["threads"], licence))
    missing = (s for s in SOLVERS if s.name not in asked and s.name not in DOUBLE)
    lines += (
        (one.name, "-", f"not here: {_why(one.missing, one.name)}", None, None, None, "")
        for one in missing
    )
    return table_of(
        "Engines",
        (
            *texts("engine", "version", "asked about"),
            *numbers("programs", "refused", "threads"),
            *texts("licence"),
        ),
        lines,
    )


def _why(missing: str | None, name: str) -> str:
    return (missing or "it was not run").partition("; ")[0].removeprefix(f"{name} ")


def order_table(runs: EngineRuns) -> Table:
    """Return by class and engine the spread of one program's times, and the solved programs."""
    lines = [line for kind in CLASSES for line in _class_lines(kind, runs)]
    return table_of(
        "The same programs in several orders of rows and columns",
        (
            *texts("class", "solver"),
            *numbers("programs", "in all", "in some only", over="solved"),
            *numbers("median", "nine in ten", "largest", digits=2, over="slowest over fastest"),
        ),
        lines,
        "Programs solved in at least one order. Factors cover the programs solved in all "
        f"orders. Times below {FLOOR_S:g} s are rounded up to it.",
        shared=1,
    )


def _class_lines(kind: str, runs: EngineRuns) -> Iterator[tuple[Cell, ...]]:
    for engine, rows in by_engine(runs.of(kind)).items():
        programs = by_key(rows, lambda row: str(row["instance"]))
        several = [own for own in programs.values() if len(own) > 1]
        solved = [own for own in several if any(runs.kind(row) == "solved" for row in own)]
        always = [own for own in solved if all(runs.kind(row) == "solved" for row in own)]
        if solved:
            factors = sorted(map(factor, always))
            high = min(len(factors) - 1, int(0.9 * len(factors)))
            spread = (median(factors), factors[high], factors[-1]) if factors else (None,) * 3
            counts = len(solved), len(always), len(solved) - len(always)
            yield kind, engine, *counts, *spread


def factor(rows: Sequence[Row]) -> float:
    """Return the slowest time over the fastest of one program."""
    times = [max(FLOOR_S, solving(row) or 0.0) for row in rows]
    return max(times) / min(times)
