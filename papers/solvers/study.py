"""The campaign: every engine on every program, in three orders of rows and columns."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product

from ...analysis.figures.comparisons import time_profile_of
from ...analysis.figures.style import LOOKS
from ...analysis.rows import Row
from ...analysis.tables import Table
from ...campaigns.engine_runs import CLASSES, EngineRuns, by_engine, wrong
from ...campaigns.engines import ProgramRun, engines, run_of
from ...campaigns.kept_runs import KEPT, packed
from ...campaigns.kept_runs import kept_rows as kept_rows
from ...campaigns.results import Drawing, Results
from ...formulations.corpus.index import CorpusEntry, corpus
from ...formulations.solver_interface.solve import SOLVERS
from ...instances.errors import plural
from ..study import Answers, Known, Settings
from .choice import best_table, choice_tables, pair_table, ranking
from .orders import order_table
from .tables import class_table, engine_table, proved, wrong_table

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

    Within a class, those of each formulation come in turn, too.
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
    """Yield what can be said in a sentence."""
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
