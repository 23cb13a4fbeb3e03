"""The solver comparison: every engine on every program of the corpus, each answer audited.

Each program is solved in three orders of its rows and columns.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from statistics import fmean, median

from ..analysis.figures.comparisons import time_profile_of
from ..analysis.figures.style import LOOKS
from ..analysis.rows import Row, by_key
from ..analysis.stats.means import charged_times, shifted_geometric_mean
from ..analysis.tables import Cell, Column, Table, numbers, texts
from ..campaigns.engine_runs import (
    CLASSES,
    FLOOR_S,
    KINDS,
    EngineRuns,
    KnownOptimum,
    by_engine,
    entry_of,
    phases,
    solving,
    wrong,
)
from ..campaigns.engines import DOUBLE, KEPT, LICENSED, ProgramRun, engines, packed, run_of
from ..campaigns.engines import kept_rows as kept_rows
from ..campaigns.reproductions import Answers, Drawing, Known, Results, Settings
from ..formulations.adapters.solver import Solver
from ..formulations.corpus.index import CorpusEntry, corpus
from ..formulations.solver_interface.solve import SOLVERS
from ..instances.errors import plural
from .solver_choice import best_table, choice_tables, pair_table, ranking
from .study import table_of

PAIRED = ("LP", "MILP", "ip")
"""Classes whose engines are compared pair by pair."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[ProgramRun]:
    """Yield all runs: first each program as it is, then in other orders.

    Engines with several threads come first, so that they can have a machine for themselves.
    """
    programs = settings.some(turns())
    for alone, seed in product((True, False), range(settings.seeds)):
        asked = [one for one in engines() if (one.threads > 1) == alone]
        for entry, engine in product(programs, asked):
            if engine.takes(entry):
                yield run_of(engine, entry, seed, settings.time_limit)


def turns() -> list[CorpusEntry]:
    """Return all programs, one of each class in turn, so that the first are of every class.

    Within a class, formulations also alternate.
    """
    found = _in_turn(corpus().values(), lambda entry: (entry.recipe.program, entry.kind))
    return _in_turn(found, lambda entry: entry.kind)


def _in_turn(
    entries: Iterable[CorpusEntry], group: Callable[[CorpusEntry], Hashable]
) -> list[CorpusEntry]:
    seen: Counter[Hashable] = Counter()
    turn: dict[str, tuple[int, int]] = {}
    for entry in entries:
        turn[entry.name] = (seen[group(entry)], len(turn))
        seen[group(entry)] += 1
    return sorted((corpus()[name] for name in turn), key=lambda entry: turn[entry.name])


def report(settings: Settings, answers: Answers) -> Results:
    """Compare the engines."""
    return report_of([answers(run) for run in runs(settings)])


def report_of(rows: Sequence[Row]) -> Results:
    """Compare the engines by rows, of whatever runs."""
    found = EngineRuns(tuple(sorted(rows, key=_place)))
    reasons = {row["key"]: wrong(row, found.known[row["instance"]]) for row in found.rows}
    wrongs = {key: reason for key, reason in reasons.items() if reason}
    tables: dict[str, Table | None] = {"engines": engine_table(found.rows)}
    for kind in CLASSES:
        tables[kind.lower()] = class_table(kind, found)
        tables[f"{kind.lower()}-licensed"] = class_table(kind, found, licensed=True)
        tables[f"{kind.lower()}-pairs"] = pair_table(kind, found) if kind in PAIRED else None
    tables |= {
        **choice_tables(found),
        "best": best_table(found),
        "orders": order_table(found),
        "wrong": wrong_table(found, wrongs),
    }
    return Results(
        tables={name: table for name, table in tables.items() if table is not None},
        charts=dict(profiles(found)),
        statements=tuple(statements(found, len(wrongs))),
        files={KEPT.name: packed(found.rows)},
    )


def _place(row: Row) -> tuple[int, str, str, int]:
    """Return where a row stands: by engine, as solvers are listed."""
    order = [solver.name for solver in SOLVERS]
    return order.index(row["solver"]), row["method"], row["instance"], row["seed"]


def profiles(runs: EngineRuns) -> Iterator[tuple[str, Drawing]]:
    """Yield the profile of each class, of its quickest engines."""
    for kind, common in runs.commons.items():
        ranked = ranking(common)
        if not any(one.solved for one in ranked):
            continue
        names = [one.engine for one in ranked]
        shown = names[: len(LOOKS)]
        rows = list(runs.plain(r for r in runs.of(kind) if r["method"] in shown))
        left = f"{len(names) - len(shown)} slower engines are not drawn"
        up, notes = f"share of {CLASSES[kind]}", (left,) if names != shown else ()
        yield f"{kind.lower()}-profile", partial(time_profile_of, rows, up=up, notes=notes)


def statements(runs: EngineRuns, wrongs: int) -> Iterator[str]:
    """Yield statements."""
    engines_asked, programs = by_engine(runs.rows), {row["instance"] for row in runs.rows}
    cases = {(row["instance"], row["seed"]) for row in runs.rows}
    orders = {seed for _, seed in cases}
    spent = sum(row["seconds"] or 0.0 for row in runs.rows)
    some = "" if len(cases) == len(programs) * len(orders) else "up to "
    yield (
        f"{len(runs.rows):,} runs: {len(engines_asked)} engines, {len(programs)} programs, "
        f"{len(cases):,} cases in {some}{plural(len(orders), 'order')} of each, "
        f"{spent / 3600:.1f} hours in engines"
    )
    yield from proved(list(runs.known.values()))
    yield f"{plural(wrongs, 'answer')} {'is' if wrongs == 1 else 'are'} wrong"
    for kind, common in runs.commons.items():
        first = ranking(common)[0]
        share = f"{first.solved:.0%} solved, {first.seconds:.3f} s in the shifted mean"
        yield f"{CLASSES[kind]}: {first.engine} first, {share}"


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
        ),
        (line for _, line in sorted(lines, key=lambda one: one[0])),
        f"Limit: {' or '.join(f'{limit:g}' for limit in limits)} s. Wrong answers are in no "
        "mean but as failures, which cost the limit, or ten limits in PAR10.",
    )


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


def engine_table(rows: Sequence[Row]) -> Table:
    """Return the engines that took part, and reasons for the absence of the other engines."""
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
    return table_of(
        "Engines",
        (
            *texts("engine", "version", "asked about"),
            *numbers("programs", "refused", "threads"),
            *texts("licence"),
        ),
        lines,
    )


def _why(solver: Solver) -> str:
    why = solver.missing or "it was not run"
    return why.partition("; ")[0].removeprefix(f"{solver.name} ")


def proved(known: Sequence[KnownOptimum]) -> Iterator[str]:
    """Yield statements on the optima that are known after all runs."""
    two = sum(len(one.provers) > 1 for one in known)
    certified = sum(one.certified for one in known)
    neither = sum(not one.settled for one in known)
    yield f"two independent codes or more agree on the answer to {two} of {len(known)} programs"
    yield f"{certified} of them are certified, and {neither} are settled by neither"


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
