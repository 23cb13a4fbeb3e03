"""Tables of the solver comparison: one line for each engine, over the same programs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from ...analysis.rows import Row
from ...analysis.stats.means import charged_times, shifted_geometric_mean
from ...analysis.tables import Cell, Column, Table, numbers, texts
from ...campaigns.engine_runs import (
    CLASSES,
    KINDS,
    EngineRuns,
    KnownOptimum,
    by_engine,
    entry_of,
    phases,
    solving,
)
from ...campaigns.engines import DOUBLE, LICENSED
from ...formulations.adapters.solver import Solver
from ...formulations.solver_interface.solve import SOLVERS

ENDS = tuple(kind for kind in KINDS if kind != "wrong")


def class_table(kind: str, runs: EngineRuns, *, licensed: bool = False) -> Table | None:
    """Return how engines did on a class of programs; None if there are no runs.

    Engines with licences for small sizes are compared over what fits all of them, with free ones.
    """
    rows = _fitting(runs, kind) if licensed else runs.of(kind)
    if not rows:
        return None
    common = runs.common(rows) if licensed else runs.commons[kind]
    cases = {(case.digest, case.seed) for case in common.cases}
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
        )
        lines.append((means[0], (engine, *cells)))
    programs = len({case.digest for case in common.cases})
    limits = sorted({row["time_limit"] for row in rows})
    over = f"{programs} {CLASSES[kind]}, {len(common.cases)} runs of each engine"
    return Table(
        caption=f"{'Licences for small sizes: ' * licensed}{over}",
        columns=(
            *texts("engine"),
            *numbers(*ENDS, over="runs"),
            *numbers("wrong", over="answers"),
            Column(head="1 s", digits=2, over="mean s, shifted by", best="min"),
            Column(head="10 s", digits=2, over="mean s, shifted by", best="min"),
            Column(head="PAR10", digits=1, best="min"),
            *numbers("first point", "1 %", digits=2, over="median s to"),
            *numbers("set-up", digits=2, over="median s"),
        ),
        rows=tuple(line for _, line in sorted(lines, key=lambda one: one[0])),
        notes=(
            f"Limit: {' or '.join(f'{limit:g}' for limit in limits)} s. Wrong answers are in no "
            "mean but as failures, which cost the limit, or ten limits in PAR10.",
        ),
    )


def _fitting(runs: EngineRuns, kind: str) -> list[Row]:
    """Return runs on the programs of a class that no licence refuses."""
    rows = runs.of(kind, licensed=True)
    refused = {row["instance"] for row in rows if runs.kind(row) == "refused"}
    both = [*rows, *runs.of(kind)] if rows else []
    return [row for row in both if row["instance"] not in refused]


def _times_to(rows: Sequence[Row], runs: EngineRuns) -> tuple[float | None, float | None]:
    """Return the median seconds to a first point, and to one within 1 % of the best; or None."""
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
    """Return the median, where a missing value is later than any; None if that is missing."""
    there = sorted(value for value in values if value is not None)
    if 2 * len(there) <= len(values):
        return None
    return median([*there, *[there[-1]] * (len(values) - len(there))])


def wrong_table(runs: EngineRuns, reason: Mapping[str, str]) -> Table:
    """Return every wrong answer; `reason` says by its key what is wrong with a run."""
    lines = [
        (row["method"], row["solver_version"], row["instance"], row["seed"], reason[row["key"]])
        for row in sorted(runs.rows, key=lambda r: (r["method"], r["instance"], r["seed"]))
        if row["key"] in reason
    ]
    return Table(
        caption="Wrong answers",
        columns=(*texts("engine", "version", "program"), *numbers("order"), *texts("what it says")),
        rows=tuple(lines) or (("none", "", "", None, ""),),
    )


def engine_table(rows: Sequence[Row]) -> Table:
    """Return which engines took part, and why others did not."""
    versions = {row["method"]: row["solver_version"] for row in rows}
    asked = by_engine(rows)
    lines: list[tuple[Cell, ...]] = []
    for engine, own in asked.items():
        classes = [k for k in CLASSES if any(entry_of(row).kind == k for row in own)]
        licence = "small sizes" if own[0]["solver"] in LICENSED else "free"
        refused = {row["instance"] for row in own if row["status"] == "refused"}
        about = (", ".join(classes), len({row["instance"] for row in own}), len(refused))
        lines.append((engine, versions[engine], *about, own[0]["threads"], licence))
    missing = (s for s in SOLVERS if s.name not in asked and s.name not in DOUBLE)
    lines += ((one.name, "-", f"not here: {_why(one)}", None, None, None, "") for one in missing)
    return Table(
        caption="Engines",
        columns=(
            *texts("engine", "version", "asked about"),
            *numbers("programs", "refused", "threads"),
            *texts("licence"),
        ),
        rows=tuple(lines),
    )


def _why(solver: Solver) -> str:
    why = solver.missing or "it was not asked"
    return why.partition("; ")[0].removeprefix(f"{solver.name} ")


def proved(known: Sequence[KnownOptimum]) -> Iterator[str]:
    """Yield what is known after all runs, in sentences."""
    two = sum(len(one.provers) > 1 for one in known)
    certified = sum(one.certified for one in known)
    neither = sum(not one.settled for one in known)
    yield f"two independent codes or more agree on the answer to {two} of {len(known)} programs"
    yield f"{certified} of them are certified, and {neither} are settled by neither"
