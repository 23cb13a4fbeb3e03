"""Tables of engines on programs: outcomes and times by class, orders, contradictions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from ..analysis.rows import Row, by_key
from ..analysis.stats.clustered import equal_mean, equal_shifted_mean, nested
from ..analysis.stats.means import charged_times
from ..analysis.tables import Cell, Column, Table, numbers, table_of, texts
from .choice import MEANS
from .compared import CLASSES, FLOOR_S, EngineRuns, by_engine
from .confirm import OUTCOMES, Confirmation
from .verdicts import KINDS, phases

ENDS = tuple(kind for kind in KINDS if kind != "contradicted")


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
    places = runs.places(common)
    measured = [row for row in rows if "base_mb" in phases(row)]
    lines: list[tuple[float, tuple[Cell, ...]]] = []
    for engine, own in by_engine(rows).items():
        own = [row for row in own if (row["digest"], row["seed"]) in cases]
        times = charged_times(common, engine)
        mean, low, high = equal_shifted_mean(times, places, 1.0)
        tenfold = equal_mean(nested(charged_times(common, engine, factor=10), places))
        ends = Counter(runs.kind(row) for row in own)
        cells = (
            *(ends[end] for end in ENDS),
            ends["contradicted"],
            mean,
            low,
            high,
            equal_shifted_mean(times, places, 10.0)[0],
            tenfold,
            *_times_to(own, runs),
            _median([phases(row).get("setup") for row in own]),
            *(_used(own) if measured else ()),
        )
        lines.append((mean, (engine, *cells)))
    programs = len({case.digest for case in common.cases})
    limits = sorted({row["time_limit"] for row in rows})
    over = f"{programs} {CLASSES[kind]}, {len(common.cases)} runs of each solver"
    return table_of(
        f"{'Solvers with size-limited licences: ' * licensed}{over}",
        (
            *texts("solver"),
            *numbers(*ENDS, over="runs"),
            *numbers("contradicted", over="answers"),
            Column(head="1 s", digits=2, over="mean s, shifted by", best="min"),
            *numbers("from", "to", digits=2, over="95 %"),
            Column(head="10 s", digits=2, over="mean s, shifted by", best="min"),
            Column(head="PAR10", digits=1, best="min"),
            *numbers("first point", "1 %", digits=2, over="median s to"),
            *numbers("set-up", digits=2, over="median s"),
            *(USED if measured else ()),
        ),
        (line for _, line in sorted(lines, key=lambda one: one[0])),
        f"Limit: {' or '.join(f'{limit:g}' for limit in limits)} s. {MEANS} In PAR10 means are "
        "arithmetic, and a failure costs ten limits. Contradicted answers are failures.",
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
    """Return when an engine had which point, its last one included."""
    steps = [(s, value) for s, value, _ in row["trajectory"] or ()]
    if row["valid"]:
        steps.append((row["seconds"], row["objective"]))
    return steps


def _median(values: Sequence[float | None]) -> float | None:
    """Return the median, with missing values last, or None if it is missing."""
    there = sorted(value for value in values if value is not None)
    if 2 * len(there) <= len(values):
        return None
    return median([*there, *[there[-1]] * (len(values) - len(there))])


def contradicted_table(
    runs: EngineRuns, reason: Mapping[str, str], again: Sequence[Confirmation] = ()
) -> Table:
    """Return every contradicted answer. `reason` has the reason by the key of a run.

    `again` has the answers that were asked for again.
    """
    asked = {one.key: one for one in again}
    lines = [
        (
            *(row["method"], row["solver_version"], row["instance"], row["seed"]),
            reason[row["key"]],
            *(_asked_again(asked.get(row["key"])) if asked else ()),
        )
        for row in sorted(runs.rows, key=lambda r: (r["method"], r["instance"], r["seed"]))
        if row["key"] in reason
    ]
    heads = {"engine": None, "version": None, "program": None, "order": 0, "what it says": None}
    more = ("asked again", "version asked", "small program, or reason") if asked else ()
    there = {one.outcome for one in again}
    meanings = (f"{n[0].upper()}{n[1:]}: {text}." for n, text in OUTCOMES.items() if n in there)
    none = ("none", "", "", None, "", *("" for _ in more))
    return table_of(
        "Contradicted answers",
        heads | dict.fromkeys(more),
        tuple(lines) or (none,),
        *([" ".join(meanings)] if asked else ()),
    )


def _asked_again(one: Confirmation | None) -> tuple[Cell, ...]:
    return ("", "", "") if one is None else (one.outcome, one.asked, one.file or one.note)


def engine_table(runs: EngineRuns, absent: Iterable[tuple[str, str]] = ()) -> Table:
    """Return the engines that took part, and reasons for the absence of other engines."""
    versions = {row["method"]: row["solver_version"] for row in runs.rows}
    lines: list[tuple[Cell, ...]] = []
    for engine, own in by_engine(runs.rows).items():
        classes = [k for k in CLASSES if any(runs.entry(row).kind == k for row in own)]
        licence = "small sizes" if own[0]["solver"] in runs.licensed else "free"
        refused = {row["instance"] for row in own if row["status"] == "refused"}
        about = (", ".join(classes), len({row["instance"] for row in own}), len(refused))
        lines.append((engine, versions[engine], *about, own[0]["threads"], licence))
    lines += ((name, "-", f"not here: {why}", None, None, None, "") for name, why in absent)
    shown = len(lines[0]) if runs.licensed else -1
    return table_of(
        "Engines",
        (
            *texts("engine", "version", "asked about"),
            *numbers("programs", "refused", "threads"),
            *(texts("licence") if runs.licensed else ()),
        ),
        (line[:shown] for line in lines),
    )


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
        "Solved: in at least one order, in all, in some only. Factors: of all programs, and a "
        f"failure costs the limit. Times below {FLOOR_S:g} s are rounded up to it.",
        shared=1,
    )


def _class_lines(kind: str, runs: EngineRuns) -> Iterator[tuple[Cell, ...]]:
    for engine, rows in by_engine(runs.of(kind)).items():
        programs = by_key(rows, lambda row: str(row["instance"]))
        several = [own for own in programs.values() if len(own) > 1]
        solved = [own for own in several if any(runs.kind(row) == "solved" for row in own)]
        always = [own for own in solved if all(runs.kind(row) == "solved" for row in own)]
        if several:
            factors = sorted(factor(own, runs) for own in several)
            high = min(len(factors) - 1, int(0.9 * len(factors)))
            spread = median(factors), factors[high], factors[-1]
            counts = len(solved), len(always), len(solved) - len(always)
            yield kind, engine, *counts, *spread


def factor(rows: Sequence[Row], runs: EngineRuns) -> float:
    """Return the slowest time over the fastest of one program, with failures at the limit."""
    times = [
        max(FLOOR_S, float(row["seconds" if runs.kind(row) == "solved" else "time_limit"]))
        for row in rows
    ]
    return max(times) / min(times)
