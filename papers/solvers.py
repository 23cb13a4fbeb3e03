"""The solver comparison: every engine on every program of the corpus, each answer audited.

Each program is solved in three orders of its rows and columns.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from ..analysis.rows import Row
from ..campaigns.reproductions import Answers, Known, Results, Settings
from ..engines.compared import EngineRuns, by_engine
from ..engines.engine import DOUBLE, engines
from ..engines.kept import KEPT, packed
from ..engines.kept import kept_rows as kept_rows
from ..engines.program_run import ProgramRun, run_of
from ..engines.report import report_on
from ..formulations.corpus.index import CorpusEntry, corpus
from ..formulations.solver_interface.solve import SOLVERS

LONG = (
    "small-06x3.disjunctive.h12",
    "small-07x3.linearised.h15",
    "small-07x3.patterns.h15",
    "small-10x4.linearised.h15",
    "small-10x4.occupancy.h15",
    "pdors-small-10x4x8.offline",
)
"""Programs with `TIMES` the usual limit, to observe slow solutions."""

TIMES = 4


def runs(settings: Settings, _: Known | None = None) -> Iterator[ProgramRun]:
    """Yield all runs: first each program as it is, then in other orders.

    Engines with several threads come first, so that they can have a machine for themselves.
    """
    programs = settings.some(turns())
    for alone, seed in product((True, False), range(settings.seeds)):
        asked = [one for one in engines() if (one.threads > 1) == alone]
        for entry, engine in product(programs, asked):
            if engine.takes(entry):
                limit_s = settings.time_limit * (TIMES if entry.name in LONG else 1)
                yield run_of(engine, entry, seed, limit_s)


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
    found = EngineRuns(tuple(sorted(rows, key=_place)), corpus())
    return replace(report_on(found, _absent(found)), files={KEPT.name: packed(found.rows)})


def _absent(found: EngineRuns) -> Iterator[tuple[str, str]]:
    """Yield the solvers that took no part, with reasons."""
    asked = by_engine(found.rows)
    for one in SOLVERS:
        if one.name not in asked and one.name not in DOUBLE:
            why = one.missing or "it was not run"
            yield one.name, why.partition("; ")[0].removeprefix(f"{one.name} ")


def _place(row: Row) -> tuple[int, str, str, int]:
    """Return where a row stands: by engine, as solvers are listed."""
    order = [solver.name for solver in SOLVERS]
    return order.index(row["solver"]), row["method"], row["instance"], row["seed"]
