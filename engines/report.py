"""The report on engines: all tables, profiles and statements."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..analysis.figures.comparisons import time_profile_of
from ..analysis.figures.style import LOOKS
from ..analysis.tables import Table, numbers, table_of, texts
from ..campaigns.reproductions import Drawing, Results
from ..formulations.wrong import all_found
from ..instances.errors import plural
from .choice import best_table, choice_tables, headline, pair_table, ranking
from .compared import CLASSES, EngineRuns, by_engine
from .confirm import Confirmation, confirmed_by
from .confirm import headline as headline_of_doubts
from .programs import Selection, stated_text
from .settings import settings_table
from .tables import class_table, contradicted_table, engine_table, order_table
from .verdicts import KnownOptimum, code_of, contradiction

PAIRED = ("LP", "MILP", "ip")
"""Classes whose engines are compared pair by pair."""


def report_on(found: EngineRuns, absent: Iterable[tuple[str, str]] = ()) -> Results:
    """Compare the engines, in the order of their rows. `absent` has others, with the reasons."""
    contradicted = contradictions(found)
    doubts = headline_of_doubts(len(contradicted), recorded(found, contradicted), RECORDS)
    return _report(found, contradicted_table(found, contradicted), doubts, absent)


def _report(
    found: EngineRuns,
    contradicted: Table | None,
    doubts: str,
    absent: Iterable[tuple[str, str]] = (),
) -> Results:
    """Compare the engines. `doubts` is the statement on contradicted answers."""
    tables: dict[str, Table | None] = {
        "engines": engine_table(found, absent),
        "settings": settings_table(found),
    }
    for kind in CLASSES:
        tables[kind.lower()] = class_table(kind, found)
        tables[f"{kind.lower()}-licensed"] = class_table(kind, found, licensed=True)
        tables[f"{kind.lower()}-pairs"] = pair_table(kind, found) if kind in PAIRED else None
    tables |= {
        **choice_tables(found),
        "best": best_table(found),
        "orders": order_table(found),
        "contradicted": contradicted,
    }
    return Results(
        tables={name: table for name, table in tables.items() if table is not None},
        charts=dict(profiles(found)),
        statements=tuple(statements(found, doubts)),
    )


def contradictions(runs: EngineRuns) -> dict[str, str]:
    """Return the contradiction of each answer that has one, by the key of its run."""
    reasons = ((row["key"], contradiction(row, runs.known[row["instance"]])) for row in runs.rows)
    return {key: reason for key, reason in reasons if reason}


def bench_report(
    found: EngineRuns,
    chosen: Selection,
    again: Sequence[Confirmation] | None = None,
    where: str = "",
) -> Results:
    """Compare the engines of a benchmark, with a table of its programs.

    `again` has the contradicted answers that were asked for again, if they were, and `where` is
    the folder of the small programs.
    """
    contradicted = contradictions(found)
    table = contradicted_table(found, contradicted, again or ()) if contradicted else None
    shown = None if again is None else confirmed_by(again)
    report = _report(found, table, headline_of_doubts(len(contradicted), shown, where))
    return replace(
        report,
        tables={**report.tables, "programs": _program_table(found, chosen)},
        statements=(*report.statements, *chosen.left_out),
    )


def _program_table(found: EngineRuns, chosen: Selection) -> Table:
    """Return the programs, with what is known of each after all runs."""
    lines = []
    for name in dict.fromkeys(row["instance"] for row in found.rows):
        entry, known = found.programs[name], found.known[name]
        evidence = ["certified"] * known.certified + sorted(known.provers)
        stated = stated_text(*chosen.stated[name]) if name in chosen.stated else ""
        sizes = (entry.rows, entry.columns, entry.integers, entry.nonzeros)
        lines.append((name, entry.kind, *sizes, known.value, ", ".join(evidence), stated))
    return table_of(
        "Programs",
        (
            *texts("program", "class"),
            *numbers("rows", "columns", "integers", "nonzeros"),
            *numbers("best value", digits=6),
            *texts("optimal according to", "stated"),
        ),
        lines,
        "Values are those of feasible points, evaluated in fractions. What is stated decides no "
        "verdict.",
    )


def profiles(runs: EngineRuns) -> Iterator[tuple[str, Drawing]]:
    """Yield the profile of each class, of its quickest engines."""
    for kind, common in runs.commons.items():
        ranked = ranking(runs, common).means
        if not any(one.solved for one in ranked):
            continue
        names = [one.engine for one in ranked]
        shown = names[: len(LOOKS)]
        rows = list(runs.plain(r for r in runs.of(kind) if r["method"] in shown))
        left = f"{len(names) - len(shown)} slower engines are not drawn"
        up, notes = f"share of {CLASSES[kind]}", (left,) if names != shown else ()
        yield f"{kind.lower()}-profile", partial(time_profile_of, rows, up=up, notes=notes)


def statements(runs: EngineRuns, doubts: str) -> Iterator[str]:
    """Yield statements. `doubts` is the statement about contradicted answers."""
    engines_asked, programs = by_engine(runs.rows), {row["instance"] for row in runs.rows}
    cases = {(row["instance"], row["seed"]) for row in runs.rows}
    orders = {seed for _, seed in cases}
    spent = sum(row["seconds"] or 0.0 for row in runs.rows)
    some = "" if len(cases) == len(programs) * len(orders) else "up to "
    codes = set(map(code_of, runs.rows))
    yield (
        f"{len(runs.rows):,} runs: {plural(len(engines_asked), 'engine')} of "
        f"{plural(len(codes), 'code')}, {plural(len(programs), 'program')}, "
        f"{len(cases):,} cases in {some}{plural(len(orders), 'order')} of each, "
        f"{spent / 3600:.1f} hours in engines"
    )
    yield from proved(list(runs.known.values()))
    yield doubts
    for kind, common in runs.commons.items():
        yield f"{CLASSES[kind]}: {headline(ranking(runs, common))}"


RECORDS = "instances/found/"


def recorded(runs: EngineRuns, contradicted: Collection[str]) -> int:
    """Return how many contradicted answers, by the keys of their runs, a record confirms.

    The record in `instances/found/` is of the same solver, version and program.
    """
    rows = [row for row in runs.rows if row["key"] in contradicted]
    records = all_found().values()
    found = {(one.solver.partition(":")[0], one.version, one.program) for one in records}
    return sum((row["solver"], row["solver_version"], row["instance"]) in found for row in rows)


def proved(known: Sequence[KnownOptimum]) -> Iterator[str]:
    """Yield statements on the optima that are known after all runs."""
    two = sum(len(one.provers) > 1 for one in known)
    certified = sum(one.certified for one in known)
    neither = sum(not one.settled for one in known)
    yield f"two independent codes or more agree on the answer to {two} of {len(known)} programs"
    yield f"{certified} of them are certified, and {neither} are settled by neither"
